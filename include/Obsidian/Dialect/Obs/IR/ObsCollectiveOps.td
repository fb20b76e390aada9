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
    A reduction or scan. It has an array of rank 1, perhaps an initial value, and
    an associative operator. The operator is a region. It takes two elements, the
    left one first, and yields their combination.
  }];
  let methods = [
    InterfaceMethod<"The array of elements.", "::mlir::Value", "getArray">,
    InterfaceMethod<"The left-most operand: one value for each element type, or "
      "none in an inclusive scan without an initial value.",
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
    operands ::= array init? `total`? attr-dict `:` type (`->` types)?
    init ::= `init` value (`,` value)*
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    types ::= type | `(` type (`,` type)* `)`
    ```

    `level` is the level of the first result. It may be left out if `-> types`
    is there. With `inclusive`, element i of the first result is
    `init ∘ a[0] ∘ ... ∘ a[i]`. With `exclusive` it is
    `init ∘ a[0] ∘ ... ∘ a[i-1]`, so element 0 is `init`. An inclusive scan
    without a total needs no initial value: without one, element i is
    `a[0] ∘ ... ∘ a[i]`. `total` adds one result for each element type, the
    total. It may be left out if `-> types` names the types of the total. `short-body` replaces the region as in
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
    An `obs.scan` that starts again at the beginning of each segment, from
    `init` if there is one. The segments are given by `flags` or `offsets` as in
    `obs.segmented_reduce`.

    Syntax:

    ```
    operation ::= `obs.segmented_scan` level? kind `(` name (`,` name)* `)` `=`
                  operands region
                | `obs.segmented_scan` level? kind short-body operands
    kind ::= `inclusive` | `exclusive`
    operands ::= array init? (`offsets` | `flags`) array
                 attr-dict `:` type `,` type (`->` type)?
    init ::= `init` value (`,` value)*
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `level` is the level of the result. It may be left out if `-> type` is
    there. `inclusive`, `exclusive` and `init` are as in `obs.scan`. `short-body`
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

def Obs_MatmulOp : Obs_Op<"matmul", [
    NoMemoryEffect, OwnExtents,
    DeclareOpInterfaceMethods<Obs_ExpandableOpInterface, ["expand"]>,
    TypesMatchWith<"the initial value has the element type of the result",
      "result", "init", "::mlir::obs::getArrayElementTypes($_self).front()">]> {
  let summary = "Products of matrices";
  let description = [{
    Element `[i, j]` of the result is `init` plus the sum of the products
    `left[i, k] * right[k, j]` for all `k`. The elements of both operands have
    one type. It is the type of the result, or a narrower one: floats become
    wider floats and integers wider signed integers before they are multiplied.

    The last two dimensions are those of a matrix. Others are batches, and both
    operands and the result have the same: element `[b, i, j]` is the sum for
    `left[b, i, k] * right[b, k, j]`.

    Syntax:

    ```
    operation ::= `obs.matmul` array `,` array `init` value attr-dict
                  `:` type `,` type `->` type
    ```

    The result is a push array of the level of the region around the operation.
    With `contract`, a product of floats and the sum after it have one rounding.

    The attribute `strategy` names the algorithm:

    - `sequential`: one thread computes an element, in the order of `k`, and
      reads both operands from where they are.
    - `registers`, at level grid: a block loads some columns of `left` and rows
      of `right` to shared memory. Each thread adds the products for up to 64
      elements of a tile in registers, in the order of `k`.
    - `tensor_cores`, for products of f16 or bf16 that are added in f32: the
      block loads both operands in the same way, and each warp adds the products
      of a tile by `obs.mma`, in an order that the GPU chooses. At level block,
      the height of the result is a multiple of 16, and its width a multiple of
      8. At level grid, the result has at least 16 rows and columns, or an
      unknown number.

    By default, products of at least 16 rows and columns at level grid have the
    strategy `tensor_cores` where it is possible, or else `registers`, if blocks
    have at least 128 threads. There, a few long sums are divided into parts, so
    that all of the GPU is busy, and the parts are added. At level block, the
    default is `tensor_cores` where it is possible. All others are `sequential`.

    Example:

    ```mlir
    func.func @multiply(%a: !obs.pull<64 x 48 x f16>, %b: !obs.pull<48 x 32 x f16>) -> !obs.pull<1 x 64 x 32 x f32> {
      %zero = arith.constant 0.0 : f32
      %one = obs.iota : !obs.pull<1 x index>
      %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
        %p = obs.matmul %a, %b init %zero
          : !obs.pull<64 x 48 x f16>, !obs.pull<48 x 32 x f16> -> !obs.push<block, 64 x 32 x f32>
        obs.yield %p : !obs.push<block, 64 x 32 x f32>
      }
      %r = obs.force %c {kernel = "multiply"} : !obs.push<grid, 1 x 64 x 32 x f32>
      return %r : !obs.pull<1 x 64 x 32 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$left, Obs_PullType:$right, AnyType:$init,
    UnitAttr:$contract, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result);
  let assemblyFormat = [{
    $left `,` $right `init` $init attr-dict `:` qualified(type($left)) `,`
    qualified(type($right)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of dimensions before those of a matrix.
    int64_t getBatchRank() {
      return getResult().getType().getExtents().size() - 2;
    }
    /// `sum` plus the product of an element of `left` and one of `right`.
    ::mlir::Value buildSum(::mlir::OpBuilder &builder, ::mlir::Location loc,
                           ::mlir::Value x, ::mlir::Value y,
                           ::mlir::Value sum);
  }];
}

def Obs_MmaOp : Obs_Op<"mma", [NoMemoryEffect, AttrSizedOperandSegments]> {
  let summary = "The lanes of a warp multiply small matrices together";
  let description = [{
    The warp computes `c + a * b` for a matrix `a` of 16 x 16 elements, a matrix
    `b` of 16 x 8 and a matrix `c` of 16 x 8. All 32 lanes of the warp execute
    the operation together. Each lane has 8 elements of `a`, 4 of `b` and 4 of
    `c`, and receives the elements of the result at the places of those of `c`.
    With `g = lane / 4` and `t = 2 * (lane % 4)`, these are

    | operand | elements `[row, column]` of a lane |
    |---|---|
    | `a` | `[g, t]` `[g, t+1]` `[g+8, t]` `[g+8, t+1]` `[g, t+8]` `[g, t+9]` `[g+8, t+8]` `[g+8, t+9]` |
    | `b` | `[t, g]` `[t+1, g]` `[t+8, g]` `[t+9, g]` |
    | `c` | `[g, t]` `[g, t+1]` `[g+8, t]` `[g+8, t+1]` |

    The products are added in f32, in an order that the GPU chooses. From: the
    PTX manual, instruction `mma.sync.m16n8k16`, for sm_80 and later.

    `obs-expand-collectives` makes the operation, in code of threads that all
    lanes of a warp reach together. The interpreter never runs it. A kernel with
    this operation has a multiple of 32 threads.

    Syntax:

    ```
    operation ::= `obs.mma` `(` values `)` `times` `(` values `)`
                  `plus` `(` values `)` attr-dict `:` type
    values ::= value (`,` value)*
    ```

    The values are the elements of `a`, `b` and `c`. The type, `f16` or `bf16`,
    is that of the elements of `a` and `b`. Those of `c` are of type `f32`.

    Example:

    ```mlir
    func.func @mma(%x: bf16, %y: bf16, %s: f32) -> f32
        attributes {obs.level = #obs.level<thread>} {
      %d:4 = obs.mma (%x, %x, %x, %x, %x, %x, %x, %x) times (%y, %y, %y, %y) plus (%s, %s, %s, %s) : bf16
      return %d#0 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F16, BF16]>>:$a,
    Variadic<AnyTypeOf<[F16, BF16]>>:$b, Variadic<F32>:$c);
  let results = (outs Variadic<F32>:$results);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$a,
    "::mlir::ValueRange":$b, "::mlir::ValueRange":$c), [{
      build($_builder, $_state, c.getTypes(), a, b, c);
    }]>];
  let extraClassDeclaration = [{
    /// The type of the elements of `a` and `b`.
    ::mlir::Type getElementType() { return getA().front().getType(); }
  }];
  let assemblyFormat = [{
    `(` $a `)` `times` `(` $b `)` `plus` `(` $c `)` attr-dict `:`
    custom<FragmentTypes>(type($a), ref($a), type($b), ref($b), type($c), ref($c), type($results))
  }];
  let hasVerifier = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD
