//===- Syntax.h - Pieces of syntax that operations share --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_IR_SYNTAX_H
#define OBSIDIAN_LIB_DIALECT_OBS_IR_SYNTAX_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs::syntax {

/// (`disjoint` | `any` | `reduce` `(` (name | symbol) `)`)? `unchecked`?
/// What does not stand there stays null, but for the contract.
ParseResult parseContract(OpAsmParser &parser, ContractAttr &contract,
                          Attribute &kind, UnitAttr &unchecked);
/// Prints that, after a space each.
void printContract(OpAsmPrinter &printer, Contract contract, Attribute kind,
                   bool unchecked);

/// The attributes of an operation in braces, if there are any. One that the
/// operation gives a meaning has the type of it.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &state);

} // namespace mlir::obs::syntax

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_SYNTAX_H
