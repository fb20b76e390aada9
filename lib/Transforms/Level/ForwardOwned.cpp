//===- ForwardOwned.cpp - Elements that only their writers read -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardOwned.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// An array is split if other threads read at most 1 / `maxPart` of it.
static constexpr int64_t maxPart = 8;

namespace {
/// The accesses of one array, grouped by the threads that use the elements.
struct Split {
  SmallVector<memref::StoreOp> stores;
  SmallVector<memref::LoadOp> ownLoads, otherLoads;
  /// The elements that other threads read are a subset of these.
  int64_t first = 0, last = -1;

  int64_t getSize() const { return last - first + 1; }
};
} // namespace

/// The elements that `op` reaches at index `index` in each iteration of its
/// leaf, which has at most one for each thread.
static std::optional<SmallVector<int64_t>>
getElements(Operation *op, Value index, int64_t size, int64_t threads) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  MapAttr map = leaf ? getLeafMap(leaf) : MapAttr();
  std::optional<int64_t> extent = leaf ? getIterations(leaf) : std::nullopt;
  if (!map || map.getScope() != Level::Block || !extent || *extent > threads)
    return std::nullopt;
  return evaluateIndices(leaf, index, size);
}

/// The split of the array of `alloc`; empty if it is not worth it.
static std::optional<Split> findSplit(memref::AllocOp alloc, int64_t threads) {
  MemRefType type = alloc.getType();
  HomeAttr home = getHome(alloc);
  if (!home || home.getOwner() != Level::Block ||
      home.getStorage() != Storage::Auto || type.getRank() != 1)
    return std::nullopt;
  int64_t size = type.getDimSize(0);
  Split split;
  SmallVector<memref::LoadOp> loads;
  for (Operation *user : alloc->getUsers()) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if (auto load = dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
    else if (store && store.getMemRef() == alloc.getResult() &&
             !hasAttr<ObsDialect::ContractAttrHelper>(store))
      split.stores.push_back(store);
    else
      return std::nullopt;
  }
  llvm::DenseMap<int64_t, size_t> writers;
  for (memref::StoreOp store : split.stores) {
    auto elements = getElements(store, store.getIndices()[0], size, threads);
    if (!elements)
      return std::nullopt;
    for (auto [thread, element] : llvm::enumerate(*elements))
      if (element >= 0 &&
          writers.try_emplace(element, thread).first->second != thread)
        return std::nullopt;
  }
  auto addOther = [&](int64_t element) {
    if (split.last < split.first)
      split.first = split.last = element;
    split.first = std::min(split.first, element);
    split.last = std::max(split.last, element);
  };
  for (memref::LoadOp load : loads) {
    Value index = load.getIndices()[0];
    bool isOwn = false;
    if (load->getParentOfType<scf::ForallOp>()) {
      auto elements = getElements(load, index, size, threads);
      if (!elements)
        return std::nullopt;
      isOwn = llvm::all_of(llvm::enumerate(*elements), [&](auto item) {
        auto writer = writers.find(item.value());
        return item.value() < 0 ||
               (writer != writers.end() && writer->second == item.index());
      });
      for (int64_t element : *elements)
        if (!isOwn && element >= 0)
          addOther(element);
    } else if (std::optional<int64_t> element = getConstantIntValue(index);
               element && *element >= 0 && *element < size) {
      addOther(*element);
    } else {
      return std::nullopt;
    }
    (isOwn ? split.ownLoads : split.otherLoads).push_back(load);
    if (split.getSize() * maxPart > size)
      return std::nullopt;
  }
  if (split.ownLoads.empty() || split.otherLoads.empty())
    return std::nullopt;
  return split;
}

static void apply(memref::AllocOp alloc, Split &split) {
  OpBuilder builder(alloc);
  MemRefType type = alloc.getType();
  Value others = memref::AllocOp::create(
      builder, alloc.getLoc(),
      MemRefType::get(split.getSize(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()));
  auto getIndex = [&](Location loc, Value index) -> Value {
    if (split.getSize() == 1)
      return arith::ConstantIndexOp::create(builder, loc, 0);
    Value first = arith::ConstantIndexOp::create(builder, loc, split.first);
    return builder.createOrFold<arith::SubIOp>(loc, index, first);
  };
  for (memref::StoreOp store : split.stores) {
    Location loc = store.getLoc();
    Value index = store.getIndices()[0];
    builder.setInsertionPointAfter(store);
    Value isRead;
    if (split.getSize() == 1)
      isRead = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, index,
          arith::ConstantIndexOp::create(builder, loc, split.first));
    Value place = getIndex(loc, index);
    if (!isRead)
      isRead = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, place,
          arith::ConstantIndexOp::create(builder, loc, split.getSize()));
    auto branch = scf::IfOp::create(builder, loc, isRead,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(builder, loc, store.getValue(), others, place);
  }
  for (memref::LoadOp load : split.otherLoads) {
    builder.setInsertionPoint(load);
    Value place = getIndex(load.getLoc(), load.getIndices()[0]);
    load.getMemrefMutable().assign(others);
    load.getIndicesMutable().assign(place);
  }
}

void obs::forwardOwnedElements(KernelOp kernel, int64_t threads) {
  SmallVector<memref::AllocOp> arrays;
  kernel.walk([&](memref::AllocOp alloc) { arrays.push_back(alloc); });
  for (memref::AllocOp alloc : arrays)
    if (std::optional<Split> split = findSplit(alloc, threads))
      apply(alloc, *split);
}
