//===- IrregularOps.cpp - Meaning of compact, rank, expand, ... --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of writes depend on values, so operands are read when the result
// is forced, one after the other.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

/// The integer at an index of an array of integers.
static LogicalResult readInteger(Location loc, const PullPtr &array, int64_t i,
                                 int64_t &value) {
  DataVector element;
  if (failed(array->read(loc, i, element)))
    return failure();
  value = element.front().scalar.getSInt();
  return success();
}

/// The values of `init`, operands from `first` on.
static DataVector getInit(Frame &frame, const Instruction &inst, unsigned first,
                          size_t count) {
  DataVector init;
  for (unsigned i = 0; i < count; ++i)
    init.push_back(frame.get(inst, first + i));
  return init;
}

/// Writes `init`, if there is one, from element `begin` on.
static LogicalResult writeRest(Location loc, DataRef init, int64_t begin,
                               int64_t end, WriteFn writer) {
  if (init.empty())
    return success();
  for (int64_t i = begin; i < end; ++i)
    if (failed(writer(loc, init, i)))
      return failure();
  return success();
}

/// Writes one number.
static LogicalResult writeInteger(Location loc, Type type, int64_t value,
                                  int64_t index, WriteFn writer) {
  return writer(loc, {Scalar::fromInt(type, value)}, index);
}

/// Traps unless the numbers of `result` can be as large as `count`.
static LogicalResult checkRange(Frame &frame, const Instruction &inst,
                                Value result, int64_t count) {
  Type type = getArrayElementTypes(result.getType()).front();
  if (count <= getMostNumber(type))
    return success();
  return frame.trap(inst, "[count-range] there may be " + Twine(count) +
                              " elements, more than " + llvm::to_string(type) +
                              " can count");
}

LogicalResult interpreter::runCompact(Frame &frame, const Instruction &inst) {
  auto op = cast<CompactOp>(inst.op);
  Location loc = op.getLoc();
  PullPtr array = frame.getPull(inst, 0), flags = frame.getPull(inst, 1);
  if (failed(checkSameExtents(frame, inst, array->extents, flags->extents)))
    return failure();
  DataVector init = getInit(frame, inst, 2, op.getInit().size());
  int64_t extent = array->extents.front();
  if (failed(checkRange(frame, inst, op.getCount(), extent)))
    return failure();
  // Calls `keep` with the number of each element whose flag is set.
  auto forEachKept =
      [=](llvm::function_ref<LogicalResult(int64_t)> keep) -> LogicalResult {
    for (int64_t i = 0; i < extent; ++i) {
      int64_t flag;
      if (failed(readInteger(loc, flags, i, flag)) || (flag && failed(keep(i))))
        return failure();
    }
    return success();
  };
  auto write = [=](WriteFn writer) -> LogicalResult {
    int64_t count = 0;
    auto keep = [&](int64_t i) -> LogicalResult {
      DataVector element;
      if (failed(array->read(loc, i, element)))
        return failure();
      return writer(loc, element, count++);
    };
    if (failed(forEachKept(keep)))
      return failure();
    return writeRest(loc, init, count, extent, writer);
  };
  Type countType = op.getCount().getType().getElementTypes().front();
  auto writeCount = [=](WriteFn writer) -> LogicalResult {
    int64_t count = 0;
    if (failed(forEachKept([&](int64_t) {
          ++count;
          return success();
        })))
      return failure();
    return writeInteger(loc, countType, count, 0, writer);
  };
  if (failed(frame.setPush(inst, 0, array->extents, write)))
    return failure();
  return frame.setPush(inst, 1, IndexVector{1}, writeCount);
}

LogicalResult interpreter::runRank(Frame &frame, const Instruction &inst) {
  auto op = cast<RankOp>(inst.op);
  Location loc = op.getLoc();
  PullPtr array = frame.getPull(inst, 0);
  int64_t extent = array->extents.front();
  int64_t numKeys = op.getCounts().getType().getExtents().front();
  if (failed(checkRange(frame, inst, op.getRanks(), extent)) ||
      failed(checkRange(frame, inst, op.getCounts(), extent)))
    return failure();
  Machine &machine = frame.machine;
  // Passes the keys, and the number of occurrences of each, to `write`.
  using Numbers = std::vector<int64_t>;
  auto count = [=, &machine](auto write) -> LogicalResult {
    Numbers keys, counts(numKeys);
    for (int64_t i = 0; i < extent; ++i) {
      DataVector element;
      if (failed(array->read(loc, i, element)))
        return failure();
      int64_t key = element.front().scalar.bits;
      if (key < 0 || key >= numKeys)
        return machine.trap(loc, "[rank-range] key " + Twine(i) + " is " +
                                     Twine(key) + ", but keys are 0 to " +
                                     Twine(numKeys - 1));
      keys.push_back(key);
      ++counts[key];
    }
    return write(keys, counts);
  };
  Type rankType = op.getRanks().getType().getElementTypes().front();
  auto writeRanks = [=](WriteFn writer) {
    return count([&](const Numbers &keys, Numbers &counts) -> LogicalResult {
      int64_t before = 0;
      for (int64_t &next : counts)
        before += std::exchange(next, before);
      for (auto [i, key] : llvm::enumerate(keys))
        if (failed(writeInteger(loc, rankType, counts[key]++, i, writer)))
          return failure();
      return success();
    });
  };
  Type countType = op.getCounts().getType().getElementTypes().front();
  auto writeCounts = [=](WriteFn writer) {
    return count([&](const Numbers &, const Numbers &counts) -> LogicalResult {
      for (auto [key, number] : llvm::enumerate(counts))
        if (failed(writeInteger(loc, countType, number, key, writer)))
          return failure();
      return success();
    });
  };
  if (failed(frame.setPush(inst, 0, array->extents, writeRanks)))
    return failure();
  return frame.setPush(inst, 1, IndexVector{numKeys}, writeCounts);
}

LogicalResult interpreter::runPartition(Frame &frame, const Instruction &inst) {
  auto op = cast<PartitionOp>(inst.op);
  Location loc = op.getLoc();
  PullPtr array = frame.getPull(inst, 0), starts = frame.getPull(inst, 1);
  int64_t extent = array->extents.front();
  int64_t numKeys = starts->extents.front();
  if (failed(checkRange(frame, inst, op.getStarts(), extent)))
    return failure();
  auto getKey = makeClosure(frame, inst);
  Machine &machine = frame.machine;
  return frame.setPush(
      inst, 0, array->extents, [=, &machine](WriteFn writer) -> LogicalResult {
        std::vector<int64_t> next(numKeys);
        for (int64_t key = 0; key < numKeys; ++key)
          if (failed(readInteger(loc, starts, key, next[key])))
            return failure();
        std::vector<bool> isWritten(extent);
        for (int64_t i = 0; i < extent; ++i) {
          DataVector element, found;
          if (failed(array->read(loc, i, element)) ||
              failed((*getKey)(element, found)))
            return failure();
          int64_t key = found.front().scalar.bits;
          if (key < 0 || key >= numKeys)
            return machine.trap(
                loc, "[partition-range] key " + Twine(i) + " is " + Twine(key) +
                         ", but keys are 0 to " + Twine(numKeys - 1));
          int64_t place = next[key]++;
          if (place < 0 || place >= extent || isWritten[place])
            return machine.trap(loc, "[partition-index] element " + Twine(i) +
                                         " has index " + Twine(place) +
                                         ", which is out of range or that of "
                                         "another element");
          isWritten[place] = true;
          if (failed(writer(loc, element, place)))
            return failure();
        }
        return success();
      });
}

LogicalResult interpreter::runExpand(Frame &frame, const Instruction &inst) {
  auto op = cast<ExpandOp>(inst.op);
  Location loc = op.getLoc();
  PullPtr lengths = frame.getPull(inst, 0);
  IndexVector extents =
      frame.getMixed(inst, 1, op.getResult().getType().getExtents());
  unsigned numExtents = op.getExtents().size();
  if (failed(checkRange(frame, inst, op.getCount(), extents.front())))
    return failure();
  DataVector init = getInit(frame, inst, 1 + numExtents, op.getInit().size());
  auto element = makeClosure(frame, inst);
  Machine &machine = frame.machine;
  // Calls `give` with the index of each length and the length, and returns the
  // sum of the lengths.
  auto forEachLength =
      [=, &machine](llvm::function_ref<LogicalResult(int64_t, int64_t)> give)
      -> FailureOr<int64_t> {
    int64_t sum = 0;
    for (int64_t i = 0; i < lengths->extents.front(); ++i) {
      int64_t length;
      if (failed(readInteger(loc, lengths, i, length)))
        return failure();
      if (length < 0)
        return machine.trap(loc, "[expand-length] length " + Twine(i) + " is " +
                                     Twine(length));
      if (length > extents.front() - sum)
        return machine.trap(loc, "[expand-capacity] the lengths up to " +
                                     Twine(i) + " sum up to " +
                                     Twine(sum + length) +
                                     ", but the result has " +
                                     Twine(extents.front()) + " elements");
      sum += length;
      if (failed(give(i, length)))
        return failure();
    }
    return sum;
  };
  auto write = [=, &machine](WriteFn writer) -> LogicalResult {
    int64_t next = 0;
    FailureOr<int64_t> count =
        forEachLength([&](int64_t i, int64_t length) -> LogicalResult {
          for (int64_t j = 0; j < length; ++j) {
            DataVector values;
            if (failed((*element)(machine.fromIndex({i, j}), values)) ||
                failed(writer(loc, values, next++)))
              return failure();
          }
          return success();
        });
    if (failed(count))
      return failure();
    return writeRest(loc, init, *count, extents.front(), writer);
  };
  Type countType = op.getCount().getType().getElementTypes().front();
  auto writeCount = [=](WriteFn writer) -> LogicalResult {
    FailureOr<int64_t> count =
        forEachLength([](int64_t, int64_t) { return success(); });
    if (failed(count))
      return failure();
    return writeInteger(loc, countType, *count, 0, writer);
  };
  if (failed(frame.setPush(inst, 0, extents, write)))
    return failure();
  return frame.setPush(inst, 1, IndexVector{1}, writeCount);
}

/// Writes the elements in order, to a separate store.
LogicalResult interpreter::runScatter(Frame &frame, const Instruction &inst) {
  auto op = cast<ScatterOp>(inst.op);
  Location loc = op.getLoc();
  PushType type = op.getResult().getType();
  PullPtr array = frame.getPull(inst, 0), indices = frame.getPull(inst, 1);
  if (failed(checkSameExtents(frame, inst, array->extents, indices->extents)))
    return failure();
  DataVector init = getInit(frame, inst, 2, op.getInit().size());
  IndexVector extents =
      frame.getMixed(inst, 2 + init.size(), type.getExtents());
  Store::WriteRule rule =
      Store::getRule(op, op.getContract(), op.getKindAttr());
  Machine &machine = frame.machine;
  // Passes to `found` the value that element i finds.
  auto scatter =
      [=, &machine](llvm::function_ref<LogicalResult(int64_t, DataRef)> found)
      -> std::shared_ptr<Store> {
    std::shared_ptr<Store> store =
        Store::create(machine, loc, extents, type.getElementTypes());
    if (!store)
      return nullptr;
    if (!init.empty())
      for (int64_t i = 0; i < extents.front(); ++i)
        store->define(i, init);
    for (int64_t i = 0; i < array->extents.front(); ++i) {
      int64_t index;
      DataVector element, old(init);
      if (failed(readInteger(loc, indices, i, index)))
        return nullptr;
      if (index >= 0 && index < extents.front()) {
        if (store->isDefined(index)) {
          old.clear();
          store->read(index, old);
        }
        if (failed(array->read(loc, i, element)) ||
            failed(store->write(machine, loc, element, index, rule)))
          return nullptr;
      }
      if (failed(found(i, old)))
        return nullptr;
    }
    return store;
  };
  auto write = [=](WriteFn writer) -> LogicalResult {
    std::shared_ptr<Store> store =
        scatter([](int64_t, DataRef) { return success(); });
    if (!store)
      return failure();
    for (int64_t i = 0; i < extents.front(); ++i) {
      DataVector element;
      if (!store->isDefined(i))
        continue;
      store->read(i, element);
      if (failed(writer(loc, element, i)))
        return failure();
    }
    return success();
  };
  if (failed(frame.setPush(inst, 0, extents, write)))
    return failure();
  if (!op.getFound())
    return success();
  return frame.setPush(inst, 1, array->extents, [=](WriteFn writer) {
    return success(scatter([&](int64_t i, DataRef old) {
                     return writer(loc, old, i);
                   }) != nullptr);
  });
}
