//===- ObsPartOps.td - Operations that divide and join arrays -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSPARTOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSPARTOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsIndexOps.td"

/// Methods of operations that work on pull and on push arrays.
defvar BothArrayMethods = PullArrayMethods # [
  DeclareOpInterfaceMethods<Obs_PushOpInterface>];

def Obs_SplitOp : Obs_Op<"split", [
    Pure, AttrSizedOperandSegments, Obs_InferredTypes,
    OwnExtents] # PullArrayMethods> {
  let summary = "Cut an array into an array of chunks";
  let description = [{
    An extent `n` that is split by `k` has `ceil(n / k)` chunks. Element `i` of
    chunk `c` is element `c * k + i` of the source. If `n` is not a multiple of
    `k`, reads past the end return the `pad` values. Without `pad`, `k` divides
    `n` (R4). The verifier checks static extents, and the host checks dynamic
    ones. With the option `runtime-checks` of `obs-to-gpu`, kernels check the
    extents that only kernels know.

    Syntax:

    ```
    operation ::= `obs.split` array `strided`? `by` sizes pad? attr-dict
                  `:` type (`->` type)?
    sizes ::= `[` (number (`,` number)*)? `]`
    number ::= integer | index-value
    pad ::= `pad` value (`,` value)*
    ```

    With `strided`, element `i` of chunk `c` is element `c + i * chunks`, so
    that neighbouring chunks read neighbouring addresses. `sizes` has one chunk
    size for each dimension. `pad` has one value for each element type.
    `-> type` is the type of the result. By default, the chunk sizes that are
    constants are static extents of the chunks. The number of chunks is static
    if the extent and the chunk size are static, and bounded if the extent is
    bounded.

    Example:

    ```mlir
    func.func @split(%a: !obs.pull<? x i32>) -> !obs.pull<? x !obs.pull<512 x i32>> {
      %zero = arith.constant 0 : i32
      %r = obs.split %a by [512] pad %zero : !obs.pull<? x i32>
      return %r : !obs.pull<? x !obs.pull<512 x i32>>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Variadic<Index>:$sizes,
    Variadic<AnyType>:$pads, DenseI64ArrayAttr:$static_sizes, UnitAttr:$strided);
  let results = (outs Obs_PullType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if chunks may have pads after the end of dimension `dim`: there are
    /// pads, and the chunk size is not known to divide the extent.
    bool mayPad(unsigned dim);
  }];
}

def Obs_JoinOp : Obs_Op<"join", [Pure, Obs_InferredTypes] # PullArrayMethods # [
    OwnExtents, DeclareOpInterfaceMethods<Obs_PushOpInterface, ["getSource"]>]> {
  let summary = "Join chunks to one array: the inverse of split";
  let description = [{
    The operand is an array of arrays, or an array of even rank `2r`. The first
    `r` dimensions of the latter count chunks, and the last `r` are the extents
    of one chunk.

    Syntax:

    ```
    operation ::= `obs.join` array `strided`? (`to` extents)? attr-dict
                  `:` type (`->` type)?
    extents ::= `[` (number (`,` number)*)? `]`
    number ::= integer | index-value
    ```

    `strided` inverts a strided split. `to` defines the extents of the result;
    elements outside of them are dropped. By default, all elements of the chunks
    belong to the result. `-> type` is the type of the result. By default, an
    extent is the constant after `to`, or the product of the number of chunks
    and the extent of a chunk. Bounds are multiplied in the same way.

    Example:

    ```mlir
    func.func @join(%a: !obs.push<grid, ? x 64 x i32>, %n: index) -> !obs.push<grid, ? x i32> {
      %r = obs.join %a to [%n] : !obs.push<grid, ? x 64 x i32>
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

def Obs_NestOp : Obs_Op<"nest", [Pure, Obs_ExactTypes] # PullArrayMethods> {
  let summary = "An array of arrays of the last dimensions";
  let description = [{
    The first `dims` dimensions stay outside, and the others become those of the
    elements: `r[i][j] = a[i, j]`. Any extents are allowed, including 0. With
    `dims 1`, the elements of the result are the rows of a matrix.

    Syntax:

    ```
    operation ::= `obs.nest` array `dims` integer attr-dict `:` type
    ```

    `dims` is at least 1 and less than the rank of the array. The result type
    follows from the operand type and `dims`.

    Example:

    ```mlir
    func.func @row_sums(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x i32> {
      %zero = arith.constant 0 : i32
      %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
      %sums = obs.map (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
        %s = obs.reduce { arith.addi } %row init %zero : !obs.pull<? x i32>
        obs.yield %s : i32
      }
      return %sums : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, I64Attr:$dims);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$array `dims` $dims attr-dict `:` qualified(type($array))";
}

def Obs_UnnestOp : Obs_Op<"unnest", [Pure, Obs_ExactTypes, OwnExtents] # PullArrayMethods> {
  let summary = "One array of the dimensions of an array of arrays";
  let description = [{
    The inverse of `obs.nest`: `r[i, j] = a[i][j]`. The elements are arrays of
    equal extents (R4). If the array is empty, the extents are those that its
    first element would have.

    Syntax:

    ```
    operation ::= `obs.unnest` array attr-dict `:` type
    ```

    The result type follows from the operand type: its dimensions, then those of
    an element.

    Example:

    ```mlir
    func.func @tiles(%a: !obs.pull<? x i32>) -> !obs.pull<? x 16 x i32> {
      %zero = arith.constant 0 : i32
      %tiles = obs.split %a by [16] pad %zero : !obs.pull<? x i32>
      %r = obs.unnest %tiles : !obs.pull<? x !obs.pull<16 x i32>>
      return %r : !obs.pull<? x 16 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array))";
}

def Obs_ConcatOp : Obs_Op<"concat", [Pure, Obs_InferredTypes, OwnExtents] # BothArrayMethods> {
  let summary = "One array after the other";
  let description = [{
    All extents agree, except in the dimension along which the arrays are
    joined. The operands are all pull arrays or all push arrays of one level. A
    read of a concatenation of pull arrays selects one of them. The programs of
    push arrays run one after the other, without a select.

    Syntax:

    ```
    operation ::= `obs.concat` array (`,` array)* (`dim` integer)? attr-dict
                  `:` type (`,` type)* (`->` type)?
    ```

    `dim` is the dimension along which the arrays are joined. The default is 0.
    A single type is that of all arrays. `-> type` is the type of the result. By
    default, its extent in this dimension is the sum of the extents, and its
    other extents are those of the first array.

    Example:

    ```mlir
    func.func @concat(%a: !obs.pull<16 x f32>, %b: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %r = obs.concat %a, %b : !obs.pull<16 x f32>, !obs.pull<? x f32>
      return %r : !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_AnyArray>:$arrays, DefaultValuedAttr<I64Attr, "0">:$dimension);
  let results = (outs Obs_AnyArray:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_InterleaveOp : Obs_Op<"interleave", [Pure, Obs_InferredTypes, OwnExtents] # BothArrayMethods> {
  let summary = "Interleave the elements of several arrays";
  let description = [{
    The `k` arrays have equal extents. Along dimension 0, element `k * i + j` of
    the result is element `i` of array `j`.

    Syntax:

    ```
    operation ::= `obs.interleave` array (`,` array)* attr-dict
                  `:` type (`,` type)* (`->` type)?
    ```

    A single type is that of all arrays. `-> type` is the type of the result. By
    default, the result has the extents of the first array whose extents are all
    static, or else of the first array. Its extent in dimension 0 is multiplied
    by `k`.

    Example:

    ```mlir
    func.func @riffle(%a: !obs.pull<8 x f32>, %b: !obs.pull<8 x f32>) -> !obs.pull<16 x f32> {
      %r = obs.interleave %a, %b : !obs.pull<8 x f32>
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
    The arrays have equal extents (R4). The element types of the result are
    those of the operands in order.

    Syntax:

    ```
    operation ::= `obs.zip` array (`,` array)* attr-dict
                  `:` type (`,` type)* (`->` type)?
    ```

    A single type is that of all arrays. `-> type` is the type of the result. By
    default, the result has the extents of the first array whose extents are all
    static, or else of the first array.

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
  let extraClassDeclaration = "bool isElementwise() { return true; }";
}

def Obs_UnzipOp : Obs_Op<"unzip", [
    Pure, Obs_ExactTypes] # PullArrayMethods> {
  let summary = "One array for each element type";
  let description = [{
    Result `i` consists of component `i` of each element.

    Syntax:

    ```
    operation ::= `obs.unzip` array attr-dict `:` type
    ```

    The type is that of the array. Each result has its extents and bounds, and
    one of its element types.

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
  let extraClassDeclaration = "bool isElementwise() { return true; }";
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSPARTOPS_TD
