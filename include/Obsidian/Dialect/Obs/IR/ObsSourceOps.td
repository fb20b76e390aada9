//===- ObsSourceOps.td - Operations that make arrays -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSSOURCEOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSSOURCEOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsInterfaces.td"
include "Obsidian/Dialect/Obs/IR/ObsTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

defvar PullArrayMethods = [DeclareOpInterfaceMethods<Obs_PullOpInterface>];

def Obs_ViewOp : Obs_Op<"view", [
    NoMemoryEffect, OwnExtents, Obs_ExactTypes]> {
  let summary = "Pull array over the contents of memory";
  let description = [{
    The contents of `memory` at this point. After a force into memory that the
    view may alias, the program must not use the view (rule R8). The result of
    the force is the new array. With several memrefs of one shape, the array has
    one element type for each memref. A view is storage: a read of it loads from
    memory.

    Syntax:

    ```
    operation ::= `obs.view` memref (`,` memref)* bound? attr-dict
                  `:` type (`,` type)*
    bound ::= `bound` `[` (integer (`,` integer)*)? `]`
    ```

    `bound` promises an upper limit of each extent. By default, dynamic extents
    have no bound. The types are those of the memrefs. The result type follows
    from them and from `bound`.

    Example:

    ```mlir
    func.func @view(%m: memref<?xf32>, %i: index) -> f32 {
      %a = obs.view %m : memref<?xf32>
      %x = obs.get %a[%i] : !obs.pull<? x f32>
      return %x : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$memory, OptionalAttr<DenseI64ArrayAttr>:$bounds);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$memory (`bound` $bounds^)? attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Obs_ConstantOp : Obs_Op<"constant", [
    Pure, Obs_ExactTypes]> {
  let summary = "Table of constants";
  let description = [{
    A static array of literal elements. The compiler selects the memory of the
    table. `obs.force ... in constant` requests constant memory.

    Syntax:

    ```
    operation ::= `obs.constant` elements attr-dict
    elements ::= `dense` `<` literal `>` `:` type
    ```

    The result has the extents and the element type of the tensor type that
    follows the colon.

    Example:

    ```mlir
    func.func @constant(%i: index) -> i32 {
      %table = obs.constant dense<[2, 3, 5, 7]> : tensor<4xi32>
      %x = obs.get %table[%i] : !obs.pull<4 x i32>
      return %x : i32
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Obs_IotaOp : Obs_Op<"iota", [Pure, Obs_ExtentOperands] # PullArrayMethods> {
  let summary = "The array whose element i is i";
  let description = [{
    The array has one dimension. Its elements are of `index` or of an integer
    type. The index is truncated to this type.

    Syntax:

    ```
    operation ::= `obs.iota` extents? attr-dict `:` type
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `extents` has one value for each `?` of the type. The type is that of the
    result.

    Example:

    ```mlir
    func.func @iota(%n: index) -> index {
      %a = obs.iota [%n] : !obs.pull<? x i32>
      %b = obs.iota : !obs.pull<16 x index>
      %d = obs.dim %a, 0 : !obs.pull<? x i32>
      return %d : index
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "(`[` $extents^ `]`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Obs_SplatOp : Obs_Op<"splat", [
    Pure, AttrSizedOperandSegments, Obs_ExtentOperands] # PullArrayMethods> {
  let summary = "The array whose elements are all equal";
  let description = [{
    Every element of the result consists of the operands, one for each element
    type.

    Syntax:

    ```
    operation ::= `obs.splat` value (`,` value)* extents? attr-dict `:` type
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `extents` has one value for each `?` of the type. The type is that of the
    result.

    Example:

    ```mlir
    func.func @splat(%x: f32, %y: i32, %n: index) -> f32 {
      %c0 = arith.constant 0 : index
      %one = obs.splat %x : !obs.pull<1 x f32>
      %many = obs.splat %x, %y [%n] : !obs.pull<? x f32, i32>
      %r = obs.get %one[%c0] : !obs.pull<1 x f32>
      return %r : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, Variadic<Index>:$extents);
  let results = (outs Obs_PullType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_GenerateOp : Obs_Op<"generate", [
    Pure, Obs_ScalarScope, Obs_ExtentOperands] # PullArrayMethods> {
  let summary = "The array of the values of a function of the index";
  let description = [{
    The arguments of the region are an index, with one argument for each
    dimension. The region computes the element at this index. It is scalar code
    and may read other arrays. The yielded elements may be pull arrays.

    Syntax:

    ```
    operation ::= `obs.generate` names extents? region attr-dict `:` type
    names ::= `(` (name (`,` name)*)? `)`
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `names` are the arguments of the region. `extents` has one value for each
    `?` of the type. The type is that of the result.

    Example:

    ```mlir
    func.func @generate(%n: index, %i: index) -> index {
      %a = obs.generate (%r, %c) [%n] {
        %s = arith.muli %r, %c : index
        obs.yield %s : index
      } : !obs.pull<? x 4 x index>
      %x = obs.get %a[%i, %i] : !obs.pull<? x 4 x index>
      return %x : index
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let results = (outs Obs_PullType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSSOURCEOPS_TD
