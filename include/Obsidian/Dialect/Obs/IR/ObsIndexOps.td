//===- ObsIndexOps.td - Operations that change how arrays are indexed -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSINDEXOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSINDEXOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsSourceOps.td"

/// Methods of operations that work on pull and on push arrays.
defvar BothArrayMethods = PullArrayMethods # [
  DeclareOpInterfaceMethods<Obs_PushOpInterface>];
/// The same for those that only move the elements of one array.
defvar MovingArrayMethods = PullArrayMethods # [
  DeclareOpInterfaceMethods<Obs_PushOpInterface, ["getSource"]>];

/// The same for those that change its values.
defvar MappingArrayMethods = PullArrayMethods # [
  DeclareOpInterfaceMethods<Obs_PushOpInterface, ["getSource", "buildInitial"]>];

def Obs_MapOp : Obs_Op<"map", [
    Pure, Obs_InferredTypes,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface, ["isScalarScope"]>] # MappingArrayMethods> {
  let summary = "Apply a function to every element of one or more arrays";
  let description = [{
    The arrays have equal extents (R4). The region has one argument for every
    element type of every array, in order, and yields the element types of the
    result. At most one operand is a push array; the result is then a push array
    of its level, and the pull arrays are read at the index that the writer gets.
    What a push operand writes is changed where it is written, and its initial
    contents are; elements that it never writes stay unwritten. What writes of
    contract `reduce` combine is changed when all are done (R7). An array with
    several element types has several names: `(%x, %y = %pairs : ...)`.

    Example:

    ```mlir
    func.func @saxpy(%k: f32, %x: !obs.pull<? x f32>, %y: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %r = obs.map (%a = %x : !obs.pull<? x f32>, %b = %y : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
        %p = arith.mulf %k, %a : f32
        %s = arith.addf %p, %b : f32
        obs.yield %s : f32
      }
      return %r : !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_AnyArray>:$arrays);
  let results = (outs Obs_AnyArray:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Obs_ReindexOp : Obs_Op<"reindex", [
    Pure, DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface, ["isScalarScope"]>] # MovingArrayMethods> {
  let summary = "Gather from a pull array, or permute a push array";
  let description = [{
    On a pull array the region takes an index of the result and yields the index
    of the source to read: a gather. On a push array it takes the index at which
    the source writes and yields the index of the result to write: it must be a
    bijection (R5), proved or marked `unchecked`.

    Example:

    ```mlir
    func.func @rotate(%a: !obs.pull<16 x f32>) -> !obs.pull<16 x f32> {
      %c1 = arith.constant 1 : index
      %c15 = arith.constant 15 : index
      %r = obs.reindex (%i) = %a {
        %j = arith.addi %i, %c1 : index
        %k = arith.andi %j, %c15 : index
        obs.yield %k : index
      } : !obs.pull<16 x f32> -> !obs.pull<16 x f32>
      return %r : !obs.pull<16 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, Variadic<Index>:$extents, UnitAttr:$unchecked);
  let results = (outs Obs_AnyArray:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Obs_ReverseOp : Obs_Op<"reverse", [
    Pure, AllTypesMatch<["array", "result"]>] # MovingArrayMethods> {
  let summary = "Last element first, along one dimension";
  let description = [{
    Dimension 0 unless `dim` names another.

    Example:

    ```mlir
    func.func @reverse(%a: !obs.pull<4 x ? x f32>) -> !obs.pull<4 x ? x f32> {
      %r = obs.reverse %a dim 1 : !obs.pull<4 x ? x f32>
      return %r : !obs.pull<4 x ? x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, DefaultValuedAttr<I64Attr, "0">:$dimension);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array (`dim` $dimension^)? attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Obs_SliceOp : Obs_Op<"slice", [
    Pure, AttrSizedOperandSegments, Obs_InferredTypes] # PullArrayMethods> {
  let summary = "Regularly spaced part of a pull array";
  let description = [{
    `obs.slice %a [offsets] [sizes] [strides]`, one entry for each dimension,
    constants or `index` values. Element `i` is element `offset + i * stride` of
    the source; the part must lie within the source.

    Example:

    ```mlir
    func.func @evens(%a: !obs.pull<? x f32>, %n: index) -> !obs.pull<? x f32> {
      %r = obs.slice %a [0] [%n] [2] : !obs.pull<? x f32> -> !obs.pull<? x f32>
      return %r : !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides);
  let results = (outs Obs_PullType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_TakeOp : Obs_Op<"take", [Pure, Obs_InferredTypes] # MovingArrayMethods> {
  let summary = "The first elements of an array";
  let description = [{
    One count for each dimension, none larger than the extent. On a push array
    writes past the counts are dropped.

    Example:

    ```mlir
    func.func @take(%a: !obs.pull<? x f32>) -> !obs.pull<4 x f32> {
      %r = obs.take %a [4] : !obs.pull<? x f32> -> !obs.pull<4 x f32>
      return %r : !obs.pull<4 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, Variadic<Index>:$counts,
                       DenseI64ArrayAttr:$static_counts);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_SplitOp : Obs_Op<"split", [
    Pure, AttrSizedOperandSegments, Obs_InferredTypes] # PullArrayMethods> {
  let summary = "Cut an array into an array of chunks";
  let description = [{
    One chunk size for each dimension. An extent `n` split by `k` gives
    `ceil(n / k)` chunks. Contiguous: element `i` of chunk `c` is element
    `c * k + i`; `strided`: it is element `c + i * chunks`, so that neighbouring
    chunks read neighbouring addresses. Where `n` is no multiple of `k`, reads
    past the end give the `pad` values; without `pad` the static extents must
    divide (R4); dynamic ones are checked by the host, and in kernels under
    `runtime-checks` of `obs-to-gpu`.

    Example:

    ```mlir
    func.func @split(%a: !obs.pull<? x i32>) -> !obs.pull<? x !obs.pull<512 x i32>> {
      %zero = arith.constant 0 : i32
      %r = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
      return %r : !obs.pull<? x !obs.pull<512 x i32>>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<Index>:$sizes,
    Variadic<AnyType>:$pads, DenseI64ArrayAttr:$static_sizes, UnitAttr:$strided);
  let results = (outs Obs_PullType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_JoinOp : Obs_Op<"join", [Pure, Obs_InferredTypes] # MovingArrayMethods> {
  let summary = "Glue chunks together: the inverse of split";
  let description = [{
    Takes a nested pull array, or an array of even rank `2r` whose first `r`
    dimensions count chunks and whose last `r` are the extents of one chunk.
    `strided` inverts a strided split. `to` gives the extents of the result;
    what lies past them is dropped.

    Example:

    ```mlir
    func.func @join(%a: !obs.push<grid, ? x 1 x i32>) -> !obs.push<grid, ? x i32> {
      %r = obs.join %a : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
      return %r : !obs.push<grid, ? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, Variadic<Index>:$extents,
    OptionalAttr<DenseI64ArrayAttr>:$static_extents, UnitAttr:$strided);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_TransposeOp : Obs_Op<"transpose", [
    Pure, InferTypeOpAdaptor] # MovingArrayMethods> {
  let summary = "Permute the dimensions";
  let description = [{
    Dimension `d` of the result is dimension `permutation[d]` of the source.

    Example:

    ```mlir
    func.func @transpose(%a: !obs.pull<4 x ? x f32>) -> !obs.pull<? x 4 x f32> {
      %r = obs.transpose %a [1, 0] : !obs.pull<4 x ? x f32>
      return %r : !obs.pull<? x 4 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, DenseI64ArrayAttr:$permutation);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array $permutation attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Obs_ReshapeOp : Obs_Op<"reshape", [Pure] # MovingArrayMethods> {
  let summary = "The same elements in row-major order under other extents";
  let description = [{
    The numbers of elements agree: static ones are checked here (R4), dynamic
    ones by the host, and in kernels under `runtime-checks` of `obs-to-gpu`.
    Dynamic extents of the result stand in brackets.

    Example:

    ```mlir
    func.func @reshape(%a: !obs.pull<12 x f32>) -> !obs.pull<3 x 4 x f32> {
      %r = obs.reshape %a : !obs.pull<12 x f32> -> !obs.pull<3 x 4 x f32>
      return %r : !obs.pull<3 x 4 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, Variadic<Index>:$extents);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = [{
    $array (`[` $extents^ `]`)? attr-dict `:` qualified(type($array)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Obs_ConcatOp : Obs_Op<"concat", [Pure, Obs_InferredTypes] # BothArrayMethods> {
  let summary = "One array after the other";
  let description = [{
    Along dimension 0 unless `dim` names another; all other extents agree. The
    operands are all pull arrays (reading an element selects among them) or all
    push arrays of one level (their programs run one after the other, without a
    select).

    Example:

    ```mlir
    func.func @concat(%a: !obs.pull<16 x f32>, %b: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %r = obs.concat %a, %b : !obs.pull<16 x f32>, !obs.pull<? x f32> -> !obs.pull<? x f32>
      return %r : !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_AnyArray>:$arrays, DefaultValuedAttr<I64Attr, "0">:$dimension);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_InterleaveOp : Obs_Op<"interleave", [Pure, Obs_InferredTypes] # BothArrayMethods> {
  let summary = "Elements of several arrays in turn";
  let description = [{
    `k` arrays of equal extents; along dimension 0, element `k * i + j` of the
    result is element `i` of array `j`.

    Example:

    ```mlir
    func.func @riffle(%a: !obs.pull<8 x f32>, %b: !obs.pull<8 x f32>) -> !obs.pull<16 x f32> {
      %r = obs.interleave %a, %b : !obs.pull<8 x f32>, !obs.pull<8 x f32> -> !obs.pull<16 x f32>
      return %r : !obs.pull<16 x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_AnyArray>:$arrays);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_ZipOp : Obs_Op<"zip", [Pure, Obs_InferredTypes] # PullArrayMethods> {
  let summary = "One array of tuples from several arrays";
  let description = [{
    The arrays have equal extents (R4); the element types of the result are
    those of the operands in order.

    Example:

    ```mlir
    func.func @zip(%a: !obs.pull<8 x f32>, %b: !obs.pull<8 x i32>) -> !obs.pull<8 x f32, i32> {
      %r = obs.zip %a, %b : !obs.pull<8 x f32>, !obs.pull<8 x i32>
      return %r : !obs.pull<8 x f32, i32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_PullType>:$arrays);
  let results = (outs Obs_PullType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_UnzipOp : Obs_Op<"unzip", [
    Pure, InferTypeOpAdaptor] # PullArrayMethods> {
  let summary = "One array for each element type";
  let description = [{
    Example:

    ```mlir
    func.func @unzip(%a: !obs.pull<8 x f32, i32>) -> !obs.pull<8 x i32> {
      %x, %y = obs.unzip %a : !obs.pull<8 x f32, i32>
      return %y : !obs.pull<8 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array);
  let results = (outs Variadic<Obs_PullType>:$parts);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array))";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

def Obs_GetOp : Obs_Op<"get", [
    NoMemoryEffect, InferTypeOpAdaptor]> {
  let summary = "Element of a pull array at an index";
  let description = [{
    One result for each element type. The index must be in range. In a region
    above thread level the read is one of all threads of that level (R3). In a
    host function it copies one element from the device and waits: the only
    operation that does.

    Example:

    ```mlir
    func.func @get(%a: !obs.pull<? x f32, i32>, %i: index) -> i32 {
      %x, %y = obs.get %a[%i] : !obs.pull<? x f32, i32>
      return %y : i32
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<Index>:$indices);
  let results = (outs Variadic<AnyType>:$elements);
  let assemblyFormat = "$array `[` $indices `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

def Obs_DimOp : Obs_Op<"dim", [Pure]> {
  let summary = "Extent of an array";
  let description = [{
    Example:

    ```mlir
    func.func @dim(%a: !obs.pull<? x 4 x f32>) -> index {
      %n = obs.dim %a, 0 : !obs.pull<? x 4 x f32>
      return %n : index
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, I64Attr:$dimension);
  let results = (outs Index:$extent);
  let assemblyFormat = "$array `,` $dimension attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSINDEXOPS_TD
