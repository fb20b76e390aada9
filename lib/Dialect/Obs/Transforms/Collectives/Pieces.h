//===- Pieces.h - Parts of irregular collectives ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PIECES_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PIECES_H

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

struct ExpansionOptions;

/// The integer as one of another type. Integers are extended as unsigned
/// numbers if they are flags or keys.
Value convert(CollectiveBuilder &c, Value value, Type type,
              bool isUnsigned = false);
Value toIndex(CollectiveBuilder &c, Value value, bool isUnsigned = false);

/// A builder for sums at the level of `op`, standing where it does. Below level
/// grid 32 bits hold any position.
CollectiveBuilder getAdder(OpBuilder &builder, Operation *op);

/// Builds `then` where `condition` holds.
void buildIf(CollectiveBuilder &c, Value condition,
             llvm::function_ref<void()> then);

/// Builds a loop from `begin` to `end`, of one thread.
void buildLoop(CollectiveBuilder &c, Value begin, Value end, Value step,
               llvm::function_ref<void(Value)> body);

/// Stores what `push` pushes in `memory`, one for each component. A force into
/// memory is never dead, even where nobody asks for its result.
Value forceInto(CollectiveBuilder &c, Value push, ValueRange memory);

/// Element i of the result of `map`, where that of its source is `values`.
CollectiveBuilder::Values mapElement(CollectiveBuilder &c, MapOp map,
                                     ValueRange values, Value i);

/// Writes element `index`, under the contract of the fill around.
void write(CollectiveBuilder &c, ValueRange values, Value index);

/// The push array of `type` that the program `body` writes.
Value buildFill(CollectiveBuilder &c, PushType type, Value extent,
                ValueRange init, bool unchecked,
                llvm::function_ref<void()> body);

/// The push array of `type` and of this contract that the program `body`
/// writes. Before it holds `init`, or `onto`. Of contract `disjoint` it is
/// `unchecked`.
Value buildContractFill(CollectiveBuilder &c, Contract contract, Attribute kind,
                        PushType type, Value extent, ValueRange init,
                        Value onto, llvm::function_ref<void()> body);

/// True if an element of `array`, or `body`, costs so little that a thread may
/// well compute several at once: few operations, and no loop.
bool isCheap(Value array);
bool isCheap(Region &body);
/// True if each element of `array` can be computed without an error, even
/// where the program does not ask for it: it is stored, or maps of stored
/// arrays compute it without divisions and reads.
bool isTotal(Value array);
/// True if elements of `array` are cheap, and some are read from memory, so
/// that it matters which thread reads which.
bool profitsFromRows(Value array);

/// A loop of one thread over [0, n) that carries one number, from `start`.
Value accumulate(CollectiveBuilder &c, Value n, Value start,
                 llvm::function_ref<Value(Value, Value)> step);

/// The number of the first of `n` increasing numbers that is more than `t`; the
/// extent if there is none. A binary search of one thread.
Value findFirstAbove(CollectiveBuilder &c, Extent n, Value t,
                     llvm::function_ref<Value(Value)> number);

/// A push array of the type of `result` in which element i is the integer
/// `element(i)`.
Value buildPush(CollectiveBuilder &c, Value result, Extent n,
                llvm::function_ref<Value(Value)> element);

/// True if one thread writes elements one after the other, without storage.
bool isSequential(ExpandableOpInterface op, const CollectiveBuilder &c);

/// The scan of the numbers that `number` gives, each with those before it. Not
/// stored.
FailureOr<Value> scanNumbers(CollectiveBuilder &c, ExpandableOpInterface op,
                             Extent n, llvm::function_ref<Value(Value)> number);

/// Of a scan of `n` numbers: the sum of the first `count` of them.
Value getSum(CollectiveBuilder &c, Value scanned, Value count);

// One function for each file of operations.
LogicalResult expandRank(OpBuilder &builder, RankOp op);
LogicalResult expandScatter(OpBuilder &builder, ScatterOp op,
                            const ExpansionOptions &options);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PIECES_H
