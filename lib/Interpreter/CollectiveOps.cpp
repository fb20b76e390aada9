//===- CollectiveOps.cpp - Meaning of reductions and scans ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are combined from left to right, starting from the initial value, or
// from the first element if there is no initial value.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "ScalarTable.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

namespace {
/// The operands of a collective at run time.
struct Collective {
  Collective(Frame &frame, const Instruction &inst)
      : loc(inst.op->getLoc()), array(frame.getPull(inst, 0)),
        combine(makeClosure(frame, inst)) {
    auto op = cast<CollectiveOpInterface>(inst.op);
    for (unsigned i = 0; i < op.getInit().size(); ++i)
      init.push_back(frame.get(inst, i + 1));
  }

  int64_t getExtent() const { return array->extents.front(); }

  /// Replaces `value` by `value ∘ a[i]`, or by a[i] if it is empty.
  LogicalResult append(DataVector &value, int64_t i) const {
    bool isFirst = value.empty();
    if (failed(array->read(loc, i, value)))
      return failure();
    if (isFirst)
      return success();
    DataVector result;
    if (failed((*combine)(value, result)))
      return failure();
    value = std::move(result);
    return success();
  }

  Location loc;
  PullPtr array;
  DataVector init;
  std::shared_ptr<Closure> combine;
};
} // namespace

/// The elements of [begin, end), combined.
static LogicalResult reduce(const Collective &collective, int64_t begin,
                            int64_t end, DataVector &value) {
  value = collective.init;
  for (int64_t i = begin; i < end; ++i)
    if (failed(collective.append(value, i)))
      return failure();
  return success();
}

/// Writes one element for each of [begin, end).
static LogicalResult scan(const Collective &collective, int64_t begin,
                          int64_t end, bool exclusive, WriteFn writer) {
  DataVector value = collective.init;
  for (int64_t i = begin; i < end; ++i) {
    if (exclusive && failed(writer(collective.loc, value, i)))
      return failure();
    if (failed(collective.append(value, i)))
      return failure();
    if (!exclusive && failed(writer(collective.loc, value, i)))
      return failure();
  }
  return success();
}

LogicalResult interpreter::runReduce(Frame &frame, const Instruction &inst) {
  Collective collective(frame, inst);
  if (isa<PushType>(inst.op->getResult(0).getType())) // At level grid.
    return frame.setPush(inst, 0, IndexVector{1}, [=](WriteFn writer) {
      DataVector value;
      if (failed(reduce(collective, 0, collective.getExtent(), value)))
        return failure();
      return writer(collective.loc, value, 0);
    });
  DataVector value;
  if (failed(reduce(collective, 0, collective.getExtent(), value)))
    return failure();
  for (auto [i, component] : llvm::enumerate(value))
    frame.set(inst, i, component);
  return success();
}

LogicalResult interpreter::runScan(Frame &frame, const Instruction &inst) {
  auto op = cast<ScanOp>(inst.op);
  Collective collective(frame, inst);
  if (!op.getTotals().empty()) {
    DataVector total;
    if (failed(reduce(collective, 0, collective.getExtent(), total)))
      return failure();
    for (auto [i, component] : llvm::enumerate(total))
      frame.set(inst, i + 1, component);
  }
  bool exclusive = op.getExclusive();
  return frame.setPush(inst, 0, collective.array->extents, [=](WriteFn writer) {
    return scan(collective, 0, collective.getExtent(), exclusive, writer);
  });
}

/// The limits of the segments: element s is the beginning of segment s, and the
/// last element is the end of the last segment.
static LogicalResult findSegments(Frame &frame, const Instruction &inst,
                                  int64_t extent, const PullPtr &segments,
                                  bool byFlags, std::vector<int64_t> &bounds) {
  Location loc = inst.op->getLoc();
  if (byFlags &&
      failed(checkSameExtents(frame, inst, {extent}, segments->extents)))
    return failure();
  // Only extents are needed: the array may have no elements.
  if (frame.machine.isProbing()) {
    bounds.assign(byFlags ? 1 : std::max<int64_t>(segments->extents.front(), 1),
                  0);
    return success();
  }
  for (int64_t i = 0; i < segments->extents.front(); ++i) {
    DataVector element;
    if (failed(segments->read(loc, i, element)))
      return failure();
    int64_t value = element.front().scalar.getSInt();
    if (!byFlags)
      bounds.push_back(value);
    else if (i == 0 || value)
      bounds.push_back(i);
  }
  if (byFlags) {
    bounds.push_back(extent);
    return success();
  }
  if (bounds.empty() || bounds.front() != 0 || bounds.back() != extent ||
      !llvm::is_sorted(bounds))
    return frame.trap(
        inst, "[segment-offsets] the offsets are " + formatIndex(bounds) +
                  "; they must ascend from 0 to " + Twine(extent));
  return success();
}

LogicalResult interpreter::runSegmentedReduce(Frame &frame,
                                              const Instruction &inst) {
  auto op = cast<SegmentedReduceOp>(inst.op);
  Collective collective(frame, inst);
  unsigned next = 1 + op.getInit().size();
  std::vector<int64_t> bounds;
  if (failed(findSegments(frame, inst, collective.getExtent(),
                          frame.getPull(inst, next), op.isByFlags(), bounds)))
    return failure();
  int64_t found = bounds.size() - 1;
  IndexVector extents{found};
  if (op.isByFlags())
    extents = frame.getMixed(inst, next + 1, op.getType().getExtents());
  if (found > extents.front())
    return frame.trap(inst, "[segment-count] there are " + Twine(found) +
                                " segments, but the result has " +
                                Twine(extents.front()) + " elements");
  return frame.setPush(inst, 0, extents, [=](WriteFn writer) {
    for (int64_t s = 0; s < extents.front(); ++s) {
      DataVector value;
      bool exists = s < found;
      if (failed(reduce(collective, exists ? bounds[s] : 0,
                        exists ? bounds[s + 1] : 0, value)) ||
          failed(writer(collective.loc, value, s)))
        return failure();
    }
    return success();
  });
}

LogicalResult interpreter::runSegmentedScan(Frame &frame,
                                            const Instruction &inst) {
  auto op = cast<SegmentedScanOp>(inst.op);
  Collective collective(frame, inst);
  std::vector<int64_t> bounds;
  if (failed(findSegments(frame, inst, collective.getExtent(),
                          frame.getPull(inst, 1 + op.getInit().size()),
                          op.isByFlags(), bounds)))
    return failure();
  bool exclusive = op.getExclusive();
  return frame.setPush(inst, 0, collective.array->extents, [=](WriteFn writer) {
    for (size_t s = 0; s + 1 < bounds.size(); ++s)
      if (failed(scan(collective, bounds[s], bounds[s + 1], exclusive, writer)))
        return failure();
    return success();
  });
}

/// `sum + x * y` in the type of `sum`, with one rounding if `contract`. The
/// host computes in f64: products of narrower floats are exact there, and a sum
/// is rounded as if it were exact.
static Scalar addProduct(const Scalar &sum, const Scalar &x, const Scalar &y,
                         bool contract) {
  Type type = sum.type;
  if (!isa<FloatType>(type))
    return Scalar::fromInt(
        type, static_cast<int64_t>(sum.bits +
                                   static_cast<uint64_t>(x.getSInt()) *
                                       static_cast<uint64_t>(y.getSInt())));
  if (contract)
    return multiplyAdd(Scalar::fromDouble(type, x.getDouble()),
                       Scalar::fromDouble(type, y.getDouble()), sum);
  Scalar product = Scalar::fromDouble(type, x.getDouble() * y.getDouble());
  return Scalar::fromDouble(type, sum.getDouble() + product.getDouble());
}

LogicalResult interpreter::runMatmul(Frame &frame, const Instruction &inst) {
  Location loc = inst.op->getLoc();
  PullPtr left = frame.getPull(inst, 0), right = frame.getPull(inst, 1);
  Scalar init = frame.get(inst, 2).scalar;
  auto op = cast<MatmulOp>(inst.op);
  size_t batches = op.getBatchRank();
  bool contract = op.getContract();
  IndexVector extents(left->extents);
  for (size_t dim = 0; dim < batches; ++dim)
    if (extents[dim] != right->extents[dim])
      return frame.trap(inst, "[R4-extents] the left operand has " +
                                  Twine(extents[dim]) +
                                  " batches, and the right operand has " +
                                  Twine(right->extents[dim]));
  int64_t count = extents[batches + 1];
  if (count != right->extents[batches])
    return frame.trap(inst, "[R4-extents] the left operand has " +
                                Twine(count) +
                                " columns, and the right operand has " +
                                Twine(right->extents[batches]) + " rows");
  extents[batches + 1] = right->extents[batches + 1];
  return frame.setPush(inst, 0, extents, [=](WriteFn writer) {
    return forEachIndex(extents, [&](Index place) -> LogicalResult {
      Scalar sum = init;
      IndexVector row(place), column(place);
      for (int64_t k = 0; k < count; ++k) {
        row[batches + 1] = column[batches] = k;
        DataVector x, y;
        if (failed(left->read(loc, row, x)) ||
            failed(right->read(loc, column, y)))
          return failure();
        sum = addProduct(sum, x.front().scalar, y.front().scalar, contract);
      }
      return writer(loc, {sum}, place);
    });
  });
}
