//===- ObsBitOps.td - Index arithmetic on bits -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSBITOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSBITOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Obs_IntegerOrIndex : AnyTypeOf<[AnySignlessInteger, Index], "signless integer or index">;

def Obs_BitOpInterface : OpInterface<"BitOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    A bit operation on an index. For any values of its parameters, it is an
    injective map of its first operand. So the compiler can prove that networks
    write no element twice.
  }];
  let methods = [
    InterfaceMethod<"Builds the same value from `arith` operations.",
      "::mlir::Value", "expand", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

class Obs_BitOp<string mnemonic>
    : Obs_Op<"bit." # mnemonic, [Pure, SameOperandsAndResultType,
        DeclareOpInterfaceMethods<Obs_BitOpInterface>]> {
  let results = (outs Obs_IntegerOrIndex:$result);
  let hasFolder = 1;
}

def Obs_InsertZeroOp : Obs_BitOp<"insert_zero"> {
  let summary = "Insert a zero at bit `bit`, moving the higher bits up";
  let description = [{
    The result is `value + (value & ~(2^bit - 1))`: bits below `bit` stay, and
    the others move up by one. In a stage of a sorting network that compares
    elements at a distance of `2^bit`, the result for `t` is the first element
    of pair `t`.

    Syntax:

    ```
    operation ::= `obs.bit.insert_zero` value `,` bit attr-dict `:` type
    bit ::= value
    ```

    The type is that of both operands and of the result.

    Example:

    ```mlir
    func.func @insert_zero(%t: index, %i: index) -> index {
      %r = obs.bit.insert_zero %t, %i : index
      return %r : index
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$bit);
  let assemblyFormat = "$value `,` $bit attr-dict `:` type($value)";
}

def Obs_FlipOp : Obs_BitOp<"flip"> {
  let summary = "Invert bit `bit`";
  let description = [{
    The result is `value ^ 2^bit`.

    Syntax:

    ```
    operation ::= `obs.bit.flip` value `,` bit attr-dict `:` type
    bit ::= value
    ```

    The type is that of both operands and of the result.

    Example:

    ```mlir
    func.func @flip(%t: i32, %i: i32) -> i32 {
      %r = obs.bit.flip %t, %i : i32
      return %r : i32
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$bit);
  let assemblyFormat = "$value `,` $bit attr-dict `:` type($value)";
}

def Obs_FlipLowOp : Obs_BitOp<"flip_low"> {
  let summary = "Invert bits 0 to `bit`";
  let description = [{
    The result is `value ^ (2^(bit+1) - 1)`. In a stage of a sorting network
    that merges two runs of `2^bit` elements, it is the partner of the element
    `value`.

    Syntax:

    ```
    operation ::= `obs.bit.flip_low` value `,` bit attr-dict `:` type
    bit ::= value
    ```

    The type is that of both operands and of the result.

    Example:

    ```mlir
    func.func @flip_low(%t: index, %i: index) -> index {
      %r = obs.bit.flip_low %t, %i : index
      return %r : index
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$bit);
  let assemblyFormat = "$value `,` $bit attr-dict `:` type($value)";
}

def Obs_RotateOp : Obs_BitOp<"rotate"> {
  let summary = "Rotate the low `width` bits left by `amount`";
  let description = [{
    Bit `i` of the low `width` bits moves to bit `(i + amount) mod width`. The
    higher bits stay. `amount` is less than `width`. With `width = log2 n` and
    amount 1 this is a riffle of `n` elements.

    Syntax:

    ```
    operation ::= `obs.bit.rotate` value `,` amount `,` width attr-dict `:` type
    amount, width ::= value
    ```

    The type is that of all operands and of the result.

    Example:

    ```mlir
    func.func @rotate_bits(%t: index, %k: index, %w: index) -> index {
      %r = obs.bit.rotate %t, %k, %w : index
      return %r : index
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$amount,
                       Obs_IntegerOrIndex:$width);
  let assemblyFormat = "$value `,` $amount `,` $width attr-dict `:` type($value)";
}

def Obs_BitReverseOp : Obs_BitOp<"reverse"> {
  let summary = "Reverse the low `width` bits";
  let description = [{
    Bit `i` of the low `width` bits moves to bit `width - 1 - i`. The higher
    bits stay.

    Syntax:

    ```
    operation ::= `obs.bit.reverse` value `,` width attr-dict `:` type
    width ::= value
    ```

    The type is that of both operands and of the result.

    Example:

    ```mlir
    func.func @reverse_bits(%t: index, %w: index) -> index {
      %r = obs.bit.reverse %t, %w : index
      return %r : index
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$width);
  let assemblyFormat = "$value `,` $width attr-dict `:` type($value)";
}

def Obs_BitSwapOp : Obs_BitOp<"swap"> {
  let summary = "Exchange bits `first` and `second`";
  let description = [{
    The operation exchanges two bits of `value`. All other bits stay.

    Syntax:

    ```
    operation ::= `obs.bit.swap` value `,` first `,` second attr-dict `:` type
    first, second ::= value
    ```

    The type is that of all operands and of the result.

    Example:

    ```mlir
    func.func @swap_bits(%t: index, %i: index, %j: index) -> index {
      %r = obs.bit.swap %t, %i, %j : index
      return %r : index
    }
    ```
  }];
  let arguments = (ins Obs_IntegerOrIndex:$value, Obs_IntegerOrIndex:$first,
                       Obs_IntegerOrIndex:$second);
  let assemblyFormat = "$value `,` $first `,` $second attr-dict `:` type($value)";
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSBITOPS_TD
