//===- ObsCollectiveOps.td - Reductions and scans -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These operations have a generated file of their own, so that what knows
// nothing about them is not compiled again when they change. Only files without
// operations may be included here: whatever is included is generated.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVEOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsInterfaces.td"
include "Obsidian/Dialect/Obs/IR/ObsTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Obs_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    A reduction or scan: an array of rank 1, an initial value and an associative
    operator, whose region takes two elements, the left one first, and yields
    their combination.
  }];
  let methods = [
    InterfaceMethod<"The array of elements.", "::mlir::Value", "getArray">,
    InterfaceMethod<"The left-most operand: one value for each element type.",
      "::mlir::OperandRange", "getInit">,
    InterfaceMethod<"The operator.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"True if the order of the elements does not matter.",
      "bool", "getCommutative">,
    InterfaceMethod<"The name of the strategy, if one is asked for.",
      "::std::optional<::llvm::StringRef>", "getStrategy">
  ];
}

class Obs_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Obs_Op<mnemonic, [
        NoMemoryEffect, Obs_InferredTypes, Obs_CollectiveOpInterface,
        DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface, ["isScalarScope"]>
      ] # traits> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_ReduceOp : Obs_CollectiveOp<"reduce"> {
  let summary = "Combine all elements of an array";
  let description = [{
    `init ∘ a[0] ∘ a[1] ∘ ... ∘ a[n-1]`, where `∘` is the region: it takes two
    elements and yields their combination. It must be associative; `init` need
    not be neutral, and is the left-most operand exactly once. The order is kept
    unless the operation is `commutative`. Of no elements the result is `init`.

    Elements may be tuples: with k element types the region has 2k arguments, the
    left element first, and the operation k results. They are scalars of the
    level of the region around the operation, the same in every worker. In
    scalar code and at level thread the elements are combined one after the other.
    At level grid the result is an array of one element instead,
    `!obs.push<grid, 1 x ...>`, since the host would have to wait for scalars.

    `strategy` names how the workers of the level share the work; without it the
    compiler chooses (see `obs-expand-collectives`).

    Example:

    ```mlir
    func.func @sum_chunks(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %zero = arith.constant 0 : i32
      %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
      %sums = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
        %s = obs.reduce (%x, %y) = %c init %zero {commutative} : !obs.pull<512 x i32> -> i32 {
          %r = arith.addi %x, %y : i32
          obs.yield %r : i32
        }
        %one = obs.splat %s : !obs.pull<1 x i32>
        %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
        obs.yield %p : !obs.push<block, 1 x i32>
      }
      %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
      %r = obs.force %flat {kernel = "sum_chunks"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<AnyType>:$init,
    OptionalAttr<Obs_LevelAttr>:$level, UnitAttr:$commutative,
    OptionalAttr<StrAttr>:$strategy);
  let results = (outs Variadic<AnyType>:$values);
}

def Obs_ScanOp : Obs_CollectiveOp<"scan", [DeclareOpInterfaceMethods<Obs_ArrayOpInterface>]> {
  let summary = "Combine all elements up to each one";
  let description = [{
    With `∘` and `init` as in `obs.reduce`, element i of the result is
    `init ∘ a[0] ∘ ... ∘ a[i]` (`inclusive`) or `init ∘ a[0] ∘ ... ∘ a[i-1]`
    (`exclusive`; so element 0 is `init`). The result is a push array of the
    level of the region around. If the operation has more results, they are the
    total, `init ∘ a[0] ∘ ... ∘ a[n-1]`, as scalars of that level. At level grid
    the host waits for them.

    Example:

    ```mlir
    func.func @offsets(%counts: !obs.pull<? x i32>) -> (!obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>) {
      %zero = arith.constant 0 : i32
      %tiles = obs.split %counts by [64] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<64 x i32>>
      %o, %t = obs.distribute block (%c = %tiles : !obs.pull<? x !obs.pull<64 x i32>>) -> (!obs.push<grid, ? x 64 x i32>, !obs.push<grid, ? x 1 x i32>) {
        %p, %total = obs.scan exclusive (%x, %y) = %c init %zero : !obs.pull<64 x i32> -> (!obs.push<block, 64 x i32>, i32) {
          %r = arith.addi %x, %y : i32
          obs.yield %r : i32
        }
        %one = obs.splat %total : !obs.pull<1 x i32>
        %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
        obs.yield %p, %q : !obs.push<block, 64 x i32>, !obs.push<block, 1 x i32>
      }
      %r:2 = obs.force %o, %t : !obs.push<grid, ? x 64 x i32>, !obs.push<grid, ? x 1 x i32> -> (!obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>)
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
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Obs_ArrayOpInterface>]> {
  let summary = "Combine the elements of each segment of an array";
  let description = [{
    Element s of the result is the `obs.reduce` of segment s, each with its own
    `init`. Segments are consecutive, and given in one of two ways:

    - `offsets %o`, an array of S + 1 integers that ascend from 0 to the extent
      of the array: segment s is `a[o[s]]` to `a[o[s+1] - 1]`, and may be empty.
      The result has S elements.
    - `flags %f`, an array of `i1` as long as the array: a segment starts at
      element 0 and wherever the flag is set. The extent of the result is part of
      its type or stands in brackets; elements past the last segment are `init`.

    Example:

    ```mlir
    func.func @row_sums(%a: !obs.pull<64 x f32>, %rows: !obs.pull<9 x index>) -> !obs.pull<1 x 8 x f32> {
      %zero = arith.constant 0.0 : f32
      %one = obs.iota : !obs.pull<1 x index>
      %sums = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 8 x f32> {
        %p = obs.segmented_reduce (%x, %y) = %a init %zero offsets %rows : !obs.pull<64 x f32>, !obs.pull<9 x index> -> !obs.push<block, 8 x f32> {
          %r = arith.addf %x, %y : f32
          obs.yield %r : f32
        }
        obs.yield %p : !obs.push<block, 8 x f32>
      }
      %r = obs.force %sums : !obs.push<grid, 1 x 8 x f32> -> !obs.pull<1 x 8 x f32>
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

def Obs_SegmentedScanOp : Obs_CollectiveOp<"segmented_scan", [DeclareOpInterfaceMethods<Obs_ArrayOpInterface>]> {
  let summary = "Combine the elements of a segment up to each one";
  let description = [{
    An `obs.scan` that starts again from `init` at the beginning of each segment.
    Segments are given by `flags` or `offsets` as in `obs.segmented_reduce`.

    Example:

    ```mlir
    func.func @number_within_group(%starts: !obs.pull<256 x i1>) -> !obs.pull<1 x 256 x i32> {
      %zero = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %ones = obs.splat %c1 : !obs.pull<256 x i32>
      %one = obs.iota : !obs.pull<1 x index>
      %numbers = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 256 x i32> {
        %p = obs.segmented_scan exclusive (%x, %y) = %ones init %zero flags %starts : !obs.pull<256 x i32>, !obs.pull<256 x i1> -> !obs.push<block, 256 x i32> {
          %r = arith.addi %x, %y : i32
          obs.yield %r : i32
        }
        obs.yield %p : !obs.push<block, 256 x i32>
      }
      %r = obs.force %numbers : !obs.push<grid, 1 x 256 x i32> -> !obs.pull<1 x 256 x i32>
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
