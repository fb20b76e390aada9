//===- ObsIndexOps.td - Operations that change how arrays are indexed -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSINDEXOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSINDEXOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsSourceOps.td"

/// Methods of index maps of pull arrays.
defvar PullIndexMapMethods = [
  Obs_PullOpInterface,
  DeclareOpInterfaceMethods<Obs_IndexMapOpInterface,
    ["isContiguous", "buildBegin"]>];
/// The same for those that move push arrays, too.
defvar IndexMapMethods = [
  Obs_PullOpInterface, Obs_PushOpInterface,
  DeclareOpInterfaceMethods<Obs_IndexMapOpInterface, ["isInjective"]>];
/// The same for those that keep consecutive elements.
defvar ContiguousMapMethods = [
  Obs_PullOpInterface, Obs_PushOpInterface,
  DeclareOpInterfaceMethods<Obs_IndexMapOpInterface,
    ["isInjective", "isContiguous"]>];
defvar IndexMapDeclaration =
  "IndexChange buildTarget(::mlir::OpBuilder &builder, ::mlir::Location loc);";

/// The same for those that change its values.
defvar MappingArrayMethods = PullArrayMethods # [
  DeclareOpInterfaceMethods<Obs_PushOpInterface, ["getSource", "buildInitial"]>,
  DeclareOpInterfaceMethods<Obs_ProgramOpInterface, ["getWeakestContract"]>];

def Obs_MapOp : Obs_Op<"map", [
    Pure, Obs_InferredTypes, Obs_ScalarScope,
    OwnExtents] # MappingArrayMethods> {
  let summary = "Apply a function to every element of one or more arrays";
  let description = [{
    The arrays have equal extents (R4). The region has one argument for every
    element type of every array, in order, and yields the components of the
    result. At most one operand is a push array. The result is then a push array
    of its level, and the pull arrays are read at the index that the writer
    receives.

    The region is applied to a push operand where its program writes, and to its
    initial contents. Elements without a write stay unwritten. There is one
    exception: if writes of contract `reduce` combine values, the region is
    applied after all of these writes (R7).

    Syntax:

    ```
    operation ::= `obs.map` bindings (`->` type)? region attr-dict
                | `obs.map` short-body array (`,` array)* attr-dict
                  `:` type (`,` type)* (`->` type)?
    bindings ::= `(` binding (`,` binding)* `)`
    binding ::= name (`,` name)* `=` array (`:` type)?
    short-body ::= `{` operation-name attr-dict (`loc` `(` location `)`)? `}`
    ```

    A binding names the components of an element of an array:
    `(%x, %y = %pairs : ...)`. The type of a binding is also the type of the
    bindings before it that have none, so the last binding has a type.

    `short-body` replaces a region of one operation that takes all arguments of
    the region in order. The operation is elementwise, and its result types
    follow from its operands. The attributes in the braces belong to it. A
    single type after the colon is that of all arrays.

    `-> type` is the type of the result. By default, the result has the extents
    of the first operand whose extents are all static, or else of the first
    operand. Its element types are those that the region yields. It is a push
    array if an operand is a push array.

    Example:

    ```mlir
    func.func @saxpy(%k: f32, %x: !obs.pull<? x f32>, %y: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %p = obs.map (%a = %x : !obs.pull<? x f32>) {
        %m = arith.mulf %k, %a : f32
        obs.yield %m : f32
      }
      %r = obs.map { arith.addf } %p, %y : !obs.pull<? x f32>
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
  let extraClassDeclaration = "bool isElementwise() { return true; }";
}

def Obs_ReindexOp : Obs_Op<"reindex", [
    Pure, Obs_ScalarScope, Obs_ExtentOperands] # IndexMapMethods> {
  let summary = "Gather from a pull array, or permute a push array";
  let description = [{
    On a pull array, the region takes an index of the result and yields the
    index of the source element that is read: a gather. On a push array, the
    region takes the index at which the source writes, and yields the index of
    the result that is written. This map is a bijection (R5).

    Syntax:

    ```
    operation ::= `obs.reindex` names `=` array extents? `unchecked`? region
                  attr-dict `:` type `->` type
    names ::= `(` (name (`,` name)*)? `)`
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `names` are the arguments of the region. `extents` has one value for each
    `?` of the result type. `unchecked` marks a bijection that the verifier
    cannot prove. By default, the verifier proves it. The types are those of the
    array and of the result.

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
  let extraClassDeclaration = IndexMapDeclaration;
}

def Obs_ReverseOp : Obs_Op<"reverse", [
    Pure, AllTypesMatch<["array", "result"]>] # IndexMapMethods> {
  let summary = "Last element first, along one dimension";
  let description = [{
    The elements of the source in reverse order along one dimension.

    Syntax:

    ```
    operation ::= `obs.reverse` array (`dim` integer)? attr-dict `:` type
    ```

    `dim` is the dimension. The default is 0. The type is that of the array and
    of the result.

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
  let extraClassDeclaration = IndexMapDeclaration;
}

def Obs_SliceOp : Obs_Op<"slice", [
    Pure, AttrSizedOperandSegments, Obs_InferredTypes,
    OwnExtents] # PullIndexMapMethods> {
  let summary = "Regularly spaced part of a pull array";
  let description = [{
    In each dimension, element `i` of the result is element
    `offset + i * stride` of the source. The part lies within the source.

    Syntax:

    ```
    operation ::= `obs.slice` array offsets sizes strides attr-dict
                  `:` type (`->` type)?
    offsets, sizes, strides ::= `[` (number (`,` number)*)? `]`
    number ::= integer | index-value
    ```

    Each list has one number for each dimension. `-> type` is the type of the
    result. By default, a constant size is a static extent of the result. A size
    that is a value becomes `?`, with a bound if the source has one and the
    stride is constant.

    Example:

    ```mlir
    func.func @evens(%a: !obs.pull<? x f32>, %n: index) -> !obs.pull<? x f32> {
      %r = obs.slice %a [0] [%n] [2] : !obs.pull<? x f32>
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

def Obs_TakeOp : Obs_Op<"take", [
    Pure, Obs_InferredTypes, OwnExtents] # ContiguousMapMethods> {
  let summary = "The first elements of an array";
  let description = [{
    The counts do not exceed the extents of the source. On a push array, writes
    past the counts are dropped.

    Syntax:

    ```
    operation ::= `obs.take` array counts attr-dict `:` type (`->` type)?
    counts ::= `[` (number (`,` number)*)? `]`
    number ::= integer | index-value
    ```

    `counts` has one number for each dimension. `-> type` is the type of the
    result. By default, a constant count is a static extent of the result. A
    count that is a value becomes `?`, bounded by the extent or bound of the
    source.

    Example:

    ```mlir
    func.func @take(%a: !obs.pull<? x f32>) -> !obs.pull<4 x f32> {
      %r = obs.take %a [4] : !obs.pull<? x f32>
      return %r : !obs.pull<4 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_AnyArray:$array, Variadic<Index>:$counts,
                       DenseI64ArrayAttr:$static_counts);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = IndexMapDeclaration;
}

def Obs_TransposeOp : Obs_Op<"transpose", [
    Pure, Obs_ExactTypes, OwnExtents] # IndexMapMethods> {
  let summary = "Permute the dimensions";
  let description = [{
    Dimension `d` of the result is dimension `permutation[d]` of the source.

    Syntax:

    ```
    operation ::= `obs.transpose` array permutation attr-dict `:` type
    permutation ::= `[` (integer (`,` integer)*)? `]`
    ```

    The type is that of the array. The extents and bounds of the result are
    those of the array in the order of `permutation`.

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
  let extraClassDeclaration = IndexMapDeclaration;
}

def Obs_ReshapeOp : Obs_Op<"reshape", [
    Pure, Obs_ExtentOperands] # ContiguousMapMethods> {
  let summary = "The same elements in row-major order under other extents";
  let description = [{
    The source and the result have the same number of elements (R4). The
    verifier checks static numbers, and the host checks dynamic ones. With the
    option `runtime-checks` of `obs-to-gpu`, kernels check the numbers that only
    kernels know.

    Syntax:

    ```
    operation ::= `obs.reshape` array extents? attr-dict `:` type `->` type
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `extents` has one value for each `?` of the result type. The types are those
    of the array and of the result.

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
  let extraClassDeclaration = IndexMapDeclaration;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

def Obs_GetOp : Obs_Op<"get", [
    NoMemoryEffect, Obs_ExactTypes]> {
  let summary = "Element of a pull array at an index";
  let description = [{
    The operation has one result for each element type. The index is in range.
    In a region above thread level, all threads of the instance read the element
    (R3). In a host function, the operation copies one element from the device,
    and the host waits for it.

    Syntax:

    ```
    operation ::= `obs.get` array `[` (index-value (`,` index-value)*)? `]`
                  attr-dict `:` type
    ```

    There is one index for each dimension. The type is that of the array. The
    results have its element types.

    Passes set the attribute `extent_read` if only extents depend on the
    element. All elements have the same extents, so element 0 is read. In an
    empty array, numbers of this element count as 0.

    Example:

    ```mlir
    func.func @get(%a: !obs.pull<? x f32, i32>, %i: index) -> i32 {
      %x, %y = obs.get %a[%i] : !obs.pull<? x f32, i32>
      return %y : i32
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<Index>:$indices, UnitAttr:$extent_read);
  let results = (outs Variadic<AnyType>:$elements);
  let assemblyFormat = "$array `[` $indices `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

def Obs_DimOp : Obs_Op<"dim", [Pure]> {
  let summary = "Extent of an array";
  let description = [{
    The extent of one dimension, as an `index`.

    Syntax:

    ```
    operation ::= `obs.dim` array `,` integer attr-dict `:` type
    ```

    The integer is the number of the dimension. The type is that of the array.

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
