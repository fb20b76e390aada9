//===- ObsCollectiveOps.td - Reductions and scans -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These operations have their own generated file. So code that does not use
// them is not recompiled when they change. Include only files without
// operations here, because code is generated for everything that is included.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsInterfaces.td"
include "Obsidian/Dialect/Obs/IR/ObsTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Obs_CollectiveOpInterface : OpInterface<"CollectiveOpInterface", [Obs_ExpandableOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    A reduction or scan. It has an array of rank 1, an initial value and an
    associative operator. The operator is a region. It takes two elements, the
    left one first, and yields their combination.
  }];
  let methods = [
    InterfaceMethod<"The array of elements.", "::mlir::Value", "getArray">,
    InterfaceMethod<"The left-most operand: one value for each element type.",
      "::mlir::OperandRange", "getInit">,
    InterfaceMethod<"The operator.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"True if the order of the elements does not matter.",
      "bool", "getCommutative">
  ];
  let verifyWithRegions = 1;
  let verify = "return ::mlir::obs::detail::verifyAssociative($_op);";
}

class Obs_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Obs_Op<mnemonic, [
        NoMemoryEffect, Obs_InferredTypes, Obs_ExpandableOpInterface,
        Obs_CollectiveOpInterface,
        Obs_ScalarScope
      ] # traits> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_ReduceOp : Obs_CollectiveOp<"reduce"> {
  let summary = "Combine all elements of an array";
  let description = [{
    The result is `init ∘ a[0] ∘ a[1] ∘ ... ∘ a[n-1]`, where `∘` is the region:
    it takes two elements and yields their combination. The region is
    associative. `init` need not be neutral, and is the left-most operand
    exactly once. The order of the elements is kept, unless the operation is
    `commutative`. The result of an empty array is `init`.

    Elements may be tuples. With k element types, the region has 2k arguments,
    the left element first, and the operation has k results. They are scalars of
    the level of the region around the operation, and are equal in all workers.
    In scalar code and at level thread, the elements are combined one after the
    other. At level grid the result is a push array of one element, because the
    host would have to wait for scalars.

    Syntax:

    ```
    operation ::= `obs.reduce` level? `(` name (`,` name)* `)` `=` operands region
                | `obs.reduce` level? short-body operands
    operands ::= array `init` value (`,` value)* attr-dict
                 `:` type (`->` types)?
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    types ::= type | `(` type (`,` type)* `)`
    ```

    `level` is `grid` for an operation at level grid. It may be left out if
    `-> types` is there. An operation below level grid names no level.
    `short-body` replaces a region of one operation that takes all arguments of
    the region in order. The operation is elementwise, and its result types
    follow from its operands. The attributes in the braces belong to it. The
    type is that of the array. `-> types` are the types of the results. By
    default, they are the element types of the array, or with a level one push
    array of this level with one element.

    The attribute `commutative` permits another order of the elements. The
    attribute `strategy` names the algorithm by which the workers of the level
    share the work. By default, the compiler selects it (see
    `obs-expand-collectives`).

    Example:

    ```mlir
    func.func @sum_chunks(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %zero = arith.constant 0 : i32
      %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32>
      %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) {
        %s = obs.reduce { arith.addi } %c init %zero {commutative} : !obs.pull<512 x i32>
        %one = obs.splat %s : !obs.pull<1 x i32>
        %p = obs.push block %one : !obs.pull<1 x i32>
        obs.yield %p : !obs.push<block, 1 x i32>
      }
      %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
      %r = obs.force %flat {kernel = "sum_chunks"} : !obs.push<grid, ? x i32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<AnyType>:$init,
    OptionalAttr<Obs_LevelAttr>:$level, UnitAttr:$commutative,
    OptionalAttr<StrAttr>:$strategy);
  let results = (outs Variadic<AnyType>:$values);
}

def Obs_ScanOp : Obs_CollectiveOp<"scan", [Obs_ArrayOpInterface]> {
  let summary = "Combine all elements up to each one";
  let description = [{
    `∘` and `init` are as in `obs.reduce`. The first result is a push array of
    the level of the region around the operation. The total is
    `init ∘ a[0] ∘ ... ∘ a[n-1]`, as scalars of that level. At level grid the
    host waits for the total.

    Syntax:

    ```
    operation ::= `obs.scan` level? kind `(` name (`,` name)* `)` `=` operands
                  region
                | `obs.scan` level? kind short-body operands
    kind ::= `inclusive` | `exclusive`
    operands ::= array `init` value (`,` value)* `total`? attr-dict
                 `:` type (`->` types)?
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    types ::= type | `(` type (`,` type)* `)`
    ```

    `level` is the level of the first result. It may be left out if `-> types`
    is there. With `inclusive`, element i of the first result is
    `init ∘ a[0] ∘ ... ∘ a[i]`. With `exclusive` it is
    `init ∘ a[0] ∘ ... ∘ a[i-1]`, so element 0 is `init`. `total` adds one
    result for each element type, the total. It may be left out if `-> types`
    names the types of the total. `short-body` replaces the region as in
    `obs.reduce`. The type is that of the array. `-> types` are the types of the
    results. By default, the first result has the extents, the bounds and the
    element types of the array, and the total has its element types. The
    attributes `commutative` and `strategy` are as in `obs.reduce`.

    Example:

    ```mlir
    func.func @offsets(%counts: !obs.pull<? x i32>) -> (!obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>) {
      %zero = arith.constant 0 : i32
      %tiles = obs.split %counts by [64] pad %zero : !obs.pull<? x i32>
      %o, %t = obs.distribute block in grid (%c = %tiles : !obs.pull<? x !obs.pull<64 x i32>>) {
        %p, %total = obs.scan block exclusive { arith.addi } %c init %zero total : !obs.pull<64 x i32>
        %one = obs.splat %total : !obs.pull<1 x i32>
        %q = obs.push block %one : !obs.pull<1 x i32>
        obs.yield %p, %q : !obs.push<block, 64 x i32>, !obs.push<block, 1 x i32>
      }
      %r:2 = obs.force %o, %t : !obs.push<grid, ? x 64 x i32>, !obs.push<grid, ? x 1 x i32>
      return %r#0, %r#1 : !obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<AnyType>:$init,
    Obs_LevelAttr:$level, UnitAttr:$exclusive, UnitAttr:$total,
    UnitAttr:$commutative, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result, Variadic<AnyType>:$totals);
}

def Obs_SegmentedReduceOp : Obs_CollectiveOp<"segmented_reduce", [
    AttrSizedOperandSegments, OwnExtents]> {
  let summary = "Combine the elements of each segment of an array";
  let description = [{
    Element s of the result is the `obs.reduce` of segment s. Each segment
    begins with `init`. Segments are consecutive, and are given in one of two
    ways:

    - `offsets %o` is an array of S + 1 integers that ascend from 0 to the
      extent of the array. Segment s is `a[o[s]]` to `a[o[s+1] - 1]`, and may be
      empty. The result has S elements.
    - `flags %f` is an array of `i1` with the extent of the array. A segment
      starts at element 0 and at every element whose flag is set. Elements of
      the result after the last segment are `init`.

    Syntax:

    ```
    operation ::= `obs.segmented_reduce` level? `(` name (`,` name)* `)` `=`
                  operands region
                | `obs.segmented_reduce` level? short-body operands
    operands ::= array `init` value (`,` value)* (`offsets` | `flags`) array
                 extents? attr-dict `:` type `,` type (`->` type)?
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `level` is the level of the result. It may be left out if `-> type` is
    there. `short-body` replaces the region as in `obs.reduce`. `extents` is the
    extent of the result. It is necessary with `flags`, unless `-> type` has a
    static extent, and is absent with `offsets`. The types after the colon are
    those of the array and of the segments. `-> type` is the type of the result.
    By default, its extent is the number of offsets less one, or `?` with
    `flags`. The attributes `commutative` and `strategy` are as in `obs.reduce`.

    Example:

    ```mlir
    func.func @row_sums(%a: !obs.pull<64 x f32>, %rows: !obs.pull<9 x index>) -> !obs.pull<1 x 8 x f32> {
      %zero = arith.constant 0.0 : f32
      %one = obs.iota : !obs.pull<1 x index>
      %sums = obs.distribute block in grid (%b = %one : !obs.pull<1 x index>) {
        %p = obs.segmented_reduce block { arith.addf } %a init %zero offsets %rows : !obs.pull<64 x f32>, !obs.pull<9 x index>
        obs.yield %p : !obs.push<block, 8 x f32>
      }
      %r = obs.force %sums : !obs.push<grid, 1 x 8 x f32>
      return %r : !obs.pull<1 x 8 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<AnyType>:$init,
    Obs_PullType:$segments, Variadic<Index>:$extents, Obs_LevelAttr:$level,
    UnitAttr:$commutative,
    OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result);
  let extraClassDeclaration = [{
    /// True if segments are given by flags, false if by offsets.
    bool isByFlags() {
      return getSegments().getType().getElementTypes().front().isInteger(1);
    }
  }];
}

def Obs_SegmentedScanOp : Obs_CollectiveOp<"segmented_scan", [Obs_ArrayOpInterface]> {
  let summary = "Combine the elements of a segment up to each one";
  let description = [{
    An `obs.scan` that starts again from `init` at the beginning of each
    segment. The segments are given by `flags` or `offsets` as in
    `obs.segmented_reduce`.

    Syntax:

    ```
    operation ::= `obs.segmented_scan` level? kind `(` name (`,` name)* `)` `=`
                  operands region
                | `obs.segmented_scan` level? kind short-body operands
    kind ::= `inclusive` | `exclusive`
    operands ::= array `init` value (`,` value)* (`offsets` | `flags`) array
                 attr-dict `:` type `,` type (`->` type)?
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `level` is the level of the result. It may be left out if `-> type` is
    there. `inclusive` and `exclusive` are as in `obs.scan`. `short-body`
    replaces the region as in `obs.reduce`. The types after the colon are those
    of the array and of the segments. `-> type` is the type of the result. By
    default, the result has the extents, the bounds and the element types of the
    array. The attributes `commutative` and `strategy` are as in `obs.reduce`.

    Example:

    ```mlir
    func.func @number_within_group(%starts: !obs.pull<256 x i1>) -> !obs.pull<1 x 256 x i32> {
      %zero = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %ones = obs.splat %c1 : !obs.pull<256 x i32>
      %one = obs.iota : !obs.pull<1 x index>
      %numbers = obs.distribute block in grid (%b = %one : !obs.pull<1 x index>) {
        %p = obs.segmented_scan block exclusive { arith.addi } %ones init %zero flags %starts : !obs.pull<256 x i32>, !obs.pull<256 x i1>
        obs.yield %p : !obs.push<block, 256 x i32>
      }
      %r = obs.force %numbers : !obs.push<grid, 1 x 256 x i32>
      return %r : !obs.pull<1 x 256 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<AnyType>:$init,
    Obs_PullType:$segments, Obs_LevelAttr:$level, UnitAttr:$exclusive,
    UnitAttr:$commutative,
    OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result);
  let extraClassDeclaration = [{
    /// True if segments are given by flags, false if by offsets.
    bool isByFlags() {
      return getSegments().getType().getElementTypes().front().isInteger(1);
    }
  }];
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD
