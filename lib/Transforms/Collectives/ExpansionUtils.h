//===- ExpansionUtils.h - Code that expansions share ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSIONUTILS_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSIONUTILS_H

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

using Values = CollectiveBuilder::Values;

struct ExpansionOptions;

/// Converts an integer to another integer type. Flags and keys are extended as
/// unsigned numbers.
Value convert(CollectiveBuilder &c, Value value, Type type,
              bool isUnsigned = false);
Value toIndex(CollectiveBuilder &c, Value value, bool isUnsigned = false);

/// A builder for sums at the level of `op`, which inserts before `op`. Below
/// level grid, 32 bits are sufficient for any position.
CollectiveBuilder getAdder(OpBuilder &builder, Operation *op);

/// Builds a branch with `then` if `condition` is true.
void buildIf(CollectiveBuilder &c, Value condition,
             llvm::function_ref<void()> then);

/// Builds a loop from `begin` to `end`, of one thread.
void buildLoop(CollectiveBuilder &c, Value begin, Value end, Value step,
               llvm::function_ref<void(Value)> body);

/// A loop over the numbers below `count`, which LLVM unrolls.
void buildUnrolled(CollectiveBuilder &c, int64_t count,
                   llvm::function_ref<void(Value)> body);

/// The values that `item` builds for `number`, which is below `count`. In an
/// unrolled loop over the items of a thread, there is one write for all items.
/// Contract `disjoint` is a promise for the executions of one write, and
/// several writes would not state that they write different elements.
Values selectItem(CollectiveBuilder &c, Value number, int64_t count,
                  llvm::function_ref<Values(int64_t)> item);

/// Stores the elements of `push` in `memory`, one memref for each component. A
/// force into memory is never dead, even if its result has no uses.
Value forceInto(CollectiveBuilder &c, Value push, ValueRange memory);

/// Element i of the result of `map`, if `values` are the elements of its
/// source.
Values mapElement(CollectiveBuilder &c, MapOp map, ValueRange values, Value i);

/// Writes element `index`, with the contract of the surrounding fill.
void write(CollectiveBuilder &c, ValueRange values, Value index);

/// A loop of `count` instances of `unit`. `body` takes the builder of its level
/// and the number of the instance.
void buildPar(CollectiveBuilder &c, Level unit, Value count,
              llvm::function_ref<void(CollectiveBuilder &, Value)> body);
/// The push array of a block of these extents. `body` is the program of a
/// thread for each index below `counts`.
Value buildFillByThreads(CollectiveBuilder &c, ArrayRef<int64_t> extents,
                         Type element, ArrayRef<int64_t> counts,
                         llvm::function_ref<void(ValueRange)> body);

/// The array of these extents whose elements `element` builds from indices, of
/// the types that it returns. It is not stored.
Value buildGenerate(CollectiveBuilder &c, ArrayRef<int64_t> extents,
                    llvm::function_ref<Values(ValueRange)> element);

/// The push array of `type` that the program `body` writes.
Value buildFill(CollectiveBuilder &c, PushType type, Value extent,
                ValueRange init, bool unchecked,
                llvm::function_ref<void()> body);

/// The push array of `type` with this contract that the program `body` writes.
/// Its initial contents are `init`, or `onto`. With contract `disjoint`, it is
/// `unchecked`.
Value buildContractFill(CollectiveBuilder &c, Contract contract, Attribute kind,
                        PushType type, Value extent, ValueRange init,
                        Value onto, llvm::function_ref<void()> body);

/// For writes of `types` that the operation `kind` combines, and no initial
/// contents: contents that do not change what is combined. None if `kind` is a
/// function.
Values buildNeutral(OpBuilder &builder, Location loc, Attribute kind,
                    TypeRange types);

/// True if an element of `array`, or an execution of `body`, costs so little
/// that a thread can compute several together: at most `maxOperations`, and no
/// loop.
bool isCheap(Value array);
bool isCheap(Region &body, unsigned maxOperations = 64);
/// True if each element of `array` can be computed without an error, even if
/// the program does not read it: the array is stored, or maps of stored arrays
/// compute it without divisions and reads.
bool isTotal(Value array);
/// True if elements of `arrays`, at one index, are cheap together, and some are
/// read from memory. The assignment of elements to threads then matters.
bool profitsFromRows(ArrayRef<Value> arrays);
/// The number of bytes of the narrowest element that an element of `array`
/// reads from memory; the largest number if it reads none.
int64_t getNarrowestRead(Value array);

/// One thread writes the scan of `array`, which has `n` elements, without an
/// initial value.
void scanInOrder(CollectiveBuilder &c, Value array, Value n,
                 llvm::function_ref<void(ValueRange, Value)> write);

/// The values that a loop carries into its first iteration if this iteration
/// does not use them.
Values getUnusedValues(CollectiveBuilder &c);

/// A loop of one thread over [0, n) that carries one number, from `start`.
Value accumulate(CollectiveBuilder &c, Value n, Value start,
                 llvm::function_ref<Value(Value, Value)> step);

/// The index of the first of `n` increasing numbers that is larger than `t`;
/// `n` if there is none. A binary search of one thread.
Value findFirstAbove(CollectiveBuilder &c, Extent n, Value t,
                     llvm::function_ref<Value(Value)> number);

/// A push array of the type of `result` in which element i is the integer
/// `element(i)`.
Value buildPush(CollectiveBuilder &c, Value result, Extent n,
                llvm::function_ref<Value(Value)> element);

/// True if one thread writes the elements one after the other, without storage.
bool isSequential(ExpandableOpInterface op, const CollectiveBuilder &c);

/// The inclusive scan of the numbers that `number` returns. It is not stored.
FailureOr<Value> scanNumbers(CollectiveBuilder &c, ExpandableOpInterface op,
                             Extent n, llvm::function_ref<Value(Value)> number);

/// The sum of the first `count` numbers, from a scan of `n` numbers.
Value getSum(CollectiveBuilder &c, Value scanned, Value count);

/// The force of the push array `array`, if it is in the same block and is the
/// only one that runs the program of the array; else null.
ForceOp findOnlyForce(Value array);

/// True if the region of `map` contains collectives. They are expanded in this
/// region.
bool hasCollectives(MapOp map);

/// Replaces `force` by a force of `arrays`, and `results`, of any force, by its
/// results. If there are none, only erases `force`.
void storeInstead(ForceOp force, ValueRange arrays, ValueRange results);
/// Removes `unused` from the results of `force`.
void removeResults(ForceOp force, ValueRange unused);

/// Removes forces of the push array `array` whose results are not used. True if
/// the array then has no uses.
bool dropUnused(Value array);

// One function for each file of operations.
LogicalResult expandCompact(OpBuilder &builder, CompactOp op);
LogicalResult expandExpand(OpBuilder &builder, ExpandOp op);
LogicalResult expandRank(OpBuilder &builder, RankOp op);
LogicalResult expandPartition(OpBuilder &builder, PartitionOp op,
                              const ExpansionOptions &options);
LogicalResult expandScatter(OpBuilder &builder, ScatterOp op,
                            const ExpansionOptions &options);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSIONUTILS_H
