//===- InterpreterInterfaces.td - Meaning of foreign operations -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_INTERPRETERINTERFACES_TD
#define OBSIDIAN_INTERPRETER_INTERPRETERINTERFACES_TD

include "mlir/IR/OpBase.td"

def Obs_InterpretableOpInterface : OpInterface<"InterpretableOpInterface"> {
  let cppNamespace = "::mlir::obs::interpreter";
  let description = [{
    An operation of another dialect that the reference interpreter executes. Its
    code shares nothing with the lowering of the operation, because it is the
    oracle of the lowering.
  }];
  let methods = [
    InterfaceMethod<[{
      Reads the operands, and sets every result once. If it fails, `trap` has
      recorded the error.
    }], "::llvm::LogicalResult", "interpret",
      (ins "::mlir::obs::interpreter::Execution &":$execution)>
  ];
}

#endif // OBSIDIAN_INTERPRETER_INTERPRETERINTERFACES_TD
