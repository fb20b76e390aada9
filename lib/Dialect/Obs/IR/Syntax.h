//===- Syntax.h - Syntax that operations share ------------------*- C++ -*-===//
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
/// Contract `disjoint` is the default. Without `reduce`, `kind` stays null.
ParseResult parseContract(OpAsmParser &parser, ContractAttr &contract,
                          Attribute &kind);
/// Prints the contract, each part after a space.
void printContract(OpAsmPrinter &printer, Contract contract, Attribute kind);

/// The attributes of an operation in braces, if there are any. An attribute
/// that the operation defines has its type.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &state);

/// index-list ::= `[` (value | integer) (`,` (value | integer))* `]`
/// A value is `kDynamic` in `numbers`.
ParseResult
parseIndexList(OpAsmParser &parser,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
               DenseI64ArrayAttr &numbers);

/// Resolves `operands` to `index`.
ParseResult resolveIndices(OpAsmParser &parser,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                           OperationState &state);
/// (`[` operands `]`)?
ParseResult
parseExtents(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extents);
void printExtents(OpAsmPrinter &printer, ValueRange extents);
/// (`(` %i, %j `)`) : arguments of type index.
ParseResult
parseIndexArguments(OpAsmParser &parser,
                    SmallVectorImpl<OpAsmParser::Argument> &arguments);
void printArguments(OpAsmPrinter &printer, Block &block);
/// `(` (%x, %y = %array (`:` type)?),* `)`: names for the elements of arrays. A
/// type is that of all arrays before it that have none.
ParseResult
parseElementBindings(OpAsmParser &parser,
                     SmallVectorImpl<OpAsmParser::Argument> &arguments,
                     OperationState &state);
void printElementBindings(OpAsmPrinter &printer, Block &block,
                          ValueRange arrays);
/// (`init` values)?: the elements of an array at the indices that are not
/// written, one for each component.
class InitValues {
public:
  ParseResult parseOptional(OpAsmParser &parser);
  /// Adds the values to the operands of `state`.
  ParseResult resolve(OpAsmParser &parser, TypeRange types,
                      OperationState &state) const;
  int32_t size() const { return values.size(); }

private:
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SMLoc loc;
};
void printInit(OpAsmPrinter &printer, ValueRange init);
/// A region with statements and without a terminator. It always has a block.
ParseResult parseStatements(OpAsmParser &parser, OperationState &state,
                            ArrayRef<OpAsmParser::Argument> arguments = {});
/// Prints the attributes of `op`, less those in `elided`, and the types of its
/// operands that are arrays, and of its results.
void printTypesOf(OpAsmPrinter &printer, Operation *op,
                  ArrayRef<StringRef> elided = {});
/// Prints a region without the arguments of its block.
void printYieldRegion(OpAsmPrinter &printer, Region &region);

/// level ::= `thread` | `warp` | `block` | `grid`
ParseResult parseLevel(OpAsmParser &parser, LevelAttr &level);
/// Leaves `level` as it is if no level comes next.
ParseResult parseOptionalLevel(OpAsmParser &parser, LevelAttr &level);
/// If `level` is null, sets it to the level of a push type among `types`. If
/// there is none, emits an error at `loc` that names a correction.
ParseResult findLevel(OpAsmParser &parser, SMLoc loc, TypeRange types,
                      LevelAttr &level);

/// The types of `operands`, which are arrays: one for each, or one for all.
/// Adds the operands to `state`.
ParseResult parseArrayTypes(OpAsmParser &parser,
                            ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                            OperationState &state);
/// Prints one type if all are equal, and otherwise all of them.
void printArrayTypes(OpAsmPrinter &printer, TypeRange types);

/// (`->` types)?
ParseResult parseOptionalResultTypes(OpAsmParser &parser,
                                     SmallVectorImpl<Type> &types);
/// Sets the types of the results of `state` to `types`, or to the inferred
/// types if `types` is empty. All other parts of `state` are complete.
ParseResult setResultTypes(OperationState &state, TypeRange types);
/// Prints ` -> types` if they differ from the inferred types.
void printResultTypes(OpAsmPrinter &printer, Operation *op);

/// A body of one operation that takes the arguments of the block in order:
/// `{` operation attr-dict (`loc` `(` location `)`)? `}`.
class ShortBody {
public:
  /// Reads a body if a brace comes next.
  ParseResult parseOptional(OpAsmParser &parser);
  explicit operator bool() const { return name.has_value(); }
  /// Adds a region with this body, whose arguments have the given types, to
  /// `state`.
  ParseResult build(OpAsmParser &parser, TypeRange arguments,
                    OperationState &state) const;

private:
  std::optional<OperationName> name;
  NamedAttrList attributes;
  /// The place in the text, and the location of the operation if it has one.
  SMLoc loc;
  std::optional<Location> location;
};
/// The operation of `body` if it has the short form; null otherwise.
Operation *getShortBody(Region &body);
/// Prints ` { operation attr-dict }`, with the location of the operation where
/// locations are printed.
void printShortBody(OpAsmPrinter &printer, Operation *op);

} // namespace mlir::obs::syntax

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_SYNTAX_H
