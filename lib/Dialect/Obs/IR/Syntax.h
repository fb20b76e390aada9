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

/// (`disjoint` | `any` | `reduce` `(` (name | symbol) `)`)?
/// Contract `disjoint` is the default. `kind` stays null without `reduce`.
ParseResult parseContract(OpAsmParser &parser, ContractAttr &contract,
                          Attribute &kind);
/// Prints that, after a space each.
void printContract(OpAsmPrinter &printer, Contract contract, Attribute kind);

/// The attributes of an operation in braces, if there are any. One that the
/// operation gives a meaning has the type of it.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &state);

/// level ::= `thread` | `warp` | `block` | `grid`
ParseResult parseLevel(OpAsmParser &parser, LevelAttr &level);
/// Leaves `level` as it is if no level comes next.
ParseResult parseOptionalLevel(OpAsmParser &parser, LevelAttr &level);
/// Sets `level` to that of `types`, one of which is a push type, if it is null.
/// An error at `loc` names the way out if none is.
ParseResult findLevel(OpAsmParser &parser, SMLoc loc, TypeRange types,
                      LevelAttr &level);

/// The types of `operands`, which are arrays: one for each, or one for all.
/// Adds the operands to `state`.
ParseResult parseArrayTypes(OpAsmParser &parser,
                            ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                            OperationState &state);
/// Prints one type if all are equal, and all of them if not.
void printArrayTypes(OpAsmPrinter &printer, TypeRange types);

/// (`->` types)?
ParseResult parseOptionalResultTypes(OpAsmParser &parser,
                                     SmallVectorImpl<Type> &types);
/// Sets the types of the results of `state`, which is complete but for them: to
/// `types`, or to the inferred ones if `types` is empty.
ParseResult setResultTypes(OperationState &state, TypeRange types);
/// Prints ` -> types` if these are not the inferred ones.
void printResultTypes(OpAsmPrinter &printer, Operation *op);

/// A body of one operation, which takes the arguments of the block in order:
/// `{` operation attr-dict `}`.
class ShortBody {
public:
  /// Reads one if a brace comes next.
  ParseResult parseOptional(OpAsmParser &parser);
  explicit operator bool() const { return name.has_value(); }
  /// Adds a region with this body, of these arguments, to `state`.
  ParseResult build(OpAsmParser &parser, TypeRange arguments,
                    OperationState &state) const;

private:
  std::optional<OperationName> name;
  NamedAttrList attributes;
  SMLoc loc;
};
/// The operation of `body` if that has the short form; null if not.
Operation *getShortBody(Region &body);
/// Prints ` { operation attr-dict }`.
void printShortBody(OpAsmPrinter &printer, Operation *op);

} // namespace mlir::obs::syntax

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_SYNTAX_H
