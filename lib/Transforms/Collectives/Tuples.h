//===- Tuples.h - Several values as one word --------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory has atomic operations on one word, not on elements of several arrays.
// If a fill or a scatter combines elements of several types as a whole, it
// works on words that contain all components, if these fit. The resulting words
// are stored and then unpacked.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TUPLES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TUPLES_H

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

/// Elements of several types as the bits of an integer. The first component has
/// the lowest bits.
class Packing {
public:
  Packing(OpBuilder &builder, ArrayRef<Type> types);

  Value pack(OpBuilder &builder, Location loc, ValueRange values) const;
  CollectiveBuilder::Values unpack(OpBuilder &builder, Location loc,
                                   Value word) const;
  /// The array of words for an array of elements, and the other way round.
  Value packArray(CollectiveBuilder &c, Value array) const;
  Value unpackArray(CollectiveBuilder &c, Value array) const;
  /// A function of words that has the effect of `kind` on two elements.
  FlatSymbolRefAttr packOperator(Operation *from, Attribute kind) const;
  /// The word type for an array of `type`.
  PushType packType(PushType type) const;

private:
  SmallVector<Type> types;
  IntegerType word;
};

/// True if `op`, of contract `reduce`, combines elements of several types as a
/// whole: by a function, or because all found values must be of one element.
bool combinesTuples(ArrayRef<Type> types, Attribute kind, bool fetches);

/// The push array of the elements whose words `push` writes: a map after writes
/// of contract `reduce`, for which the words are stored. Emits `[R2-bounded]`
/// if their number must be bounded and is not.
FailureOr<Value> unpackPush(CollectiveBuilder &c, const Packing &packing,
                            Value push, Operation *op);

/// The same fill of words, before `op`. It takes the region of `op`.
FillOp buildPackedFill(CollectiveBuilder &c, const Packing &packing, FillOp op);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TUPLES_H
