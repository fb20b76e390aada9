//===- InlineFolds.cpp - Short reductions where they are read -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distances between all pairs of points are reductions of a few
// coordinates. There are more distances than coordinates, so it takes longer to
// store them than to compute them where they are read.
//
//   %d = force (distribute over i, j: reduce add of f(x[i, _], x[j, _]))
//   ... reads %d[i, j] ...
//
// becomes
//
//   %d = generate (i, j): f(x[i, 0], x[j, 0]) + f(x[i, 1], x[j, 1])
//   ... reads %d[i, j] ...
//
// In: a function in which reductions of rows are stored. Out: a reduction of a
// short row is code without a loop if its results take more memory than all
// that it reads, and other reductions and stored arrays read each result a few
// times.
//
//===----------------------------------------------------------------------===//

#include "RowFolds.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of elements that are combined for each result, in all of
/// its readers together.
static constexpr int64_t maxCombined = 16;

/// The bytes of an array; std::nullopt if they are not known.
static std::optional<int64_t> getBytes(Value array) {
  ArrayRef<int64_t> extents = getArrayExtents(array.getType());
  if (ShapedType::isDynamicShape(extents))
    return {};
  int64_t bytes = 0;
  for (Type element : getArrayElementTypes(array.getType()))
    bytes += getElementBytes(element);
  return bytes * countElements(extents);
}

/// True if the results of a fold take more memory than the arrays that it
/// reads.
static bool isExpansion(const RowFold &fold) {
  RowReads reads(fold.getExtents().size());
  reads.readFold(fold);
  int64_t sources = 0;
  for (Value array : llvm::make_first_range(reads.places)) {
    std::optional<int64_t> bytes = getBytes(array);
    if (!bytes)
      return false;
    sources += *bytes;
  }
  return sources < *getBytes(fold.getResult());
}

/// The number of elements of `array` that a force reads; std::nullopt if that
/// is not known.
static std::optional<int64_t> countReads(ForceOp force, Value array) {
  if (!force.getInto().empty())
    return {};
  int64_t count = 0;
  auto add = [&](const RowReads &reads, int64_t times) {
    auto found = reads.places.find(array);
    if (found == reads.places.end())
      return true;
    count += times * found->second.size();
    return llvm::none_of(found->second, [](const Place &place) {
      return llvm::is_contained(place, unknown);
    });
  };
  if (std::optional<RowFold> fold = getRowFold(force)) {
    RowReads reads(fold->getExtents().size());
    reads.readFold(*fold);
    if (!add(reads, countElements(fold->getExtents()) * fold->length))
      return {};
    return count;
  }
  for (Value source : force.getArrays()) {
    if (auto reduce = source.getDefiningOp<ReduceOp>())
      source = reduce.getArray();
    // A program reads all elements of its source, in whatever shape.
    while (auto reshape = source.getDefiningOp<ReshapeOp>())
      source = reshape.getArray();
    auto type = dyn_cast<PullType>(source.getType());
    if (!type || type.isNested() || !type.hasStaticExtents())
      return {};
    RowReads reads(type.getExtents().size());
    reads.readElement(source);
    if (!add(reads, countElements(type.getExtents())))
      return {};
  }
  return count;
}

/// The results of a fold as an array that is not stored.
static Value buildInline(ArrayBuilder &b, RowFold fold) {
  OpBuilder::InsertionGuard guard(b);
  DistributeOp rows = fold.rows;
  b.setInsertionPoint(rows);
  b.setLoc(rows.getLoc());
  Block &body = rows.getBody().front();
  auto extents = llvm::map_to_vector(fold.getExtents(), [&](int64_t n) {
    return OpFoldResult(b.getIndexAttr(n));
  });
  return b.generate(extents, [&](ValueRange place) {
    IRMapping map;
    map.map(body.getArguments(), place);
    for (Operation &op : body.without_terminator()) {
      if (isa<SplatOp, PushOp>(op))
        continue;
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce) {
        b.clone(op, map);
        continue;
      }
      Value row = map.lookupOrDefault(reduce.getArray());
      auto combined = llvm::map_to_vector(
          reduce.getInit(), [&](Value v) { return map.lookupOrDefault(v); });
      for (int64_t k = 0; k < fold.length; ++k) {
        SmallVector<Value> both(combined);
        llvm::append_range(both, b.get(row, b.getIndex(k)));
        Block &combine = reduce.getBody().front();
        map.map(combine.getArguments(), both);
        for (Operation &inner : combine.without_terminator())
          b.clone(inner, map);
        combined = llvm::map_to_vector(
            combine.getTerminator()->getOperands(),
            [&](Value v) { return map.lookupOrDefault(v); });
      }
      map.map(reduce.getValues(), combined);
    }
    return llvm::map_to_vector(fold.element,
                               [&](Value v) { return map.lookupOrDefault(v); });
  });
}

void ArrayBuilder::inlineFolds(FunctionOpInterface function) {
  SmallVector<RowFold> folds;
  function.walk([&](ForceOp force) {
    if (getEnclosingScope(force).level == Level::Grid)
      if (std::optional<RowFold> fold = getRowFold(force))
        folds.push_back(*fold);
  });
  for (RowFold fold : folds) {
    Value result = fold.getResult();
    ReduceOp reduce = *fold.rows.getBody().front().getOps<ReduceOp>().begin();
    auto stores = findStores(result);
    if (fold.length > maxCombined || !stores || !isExpansion(fold) ||
        !canRepeat(reduce.getArray(), fold.length))
      continue;
    int64_t elements = countElements(fold.getExtents()), reads = 0;
    llvm::SetVector<Operation *> readers;
    for (OpOperand *use : *stores)
      readers.insert(use->getOwner());
    bool isKnown = llvm::all_of(readers, [&](Operation *reader) {
      std::optional<int64_t> count = countReads(cast<ForceOp>(reader), result);
      reads += count.value_or(0);
      return count.has_value();
    });
    if (isKnown && reads * fold.length <= maxCombined * elements)
      result.replaceAllUsesWith(buildInline(*this, fold));
  }
  function.walk([](Block *block) { eraseUnused(*block); });
}
