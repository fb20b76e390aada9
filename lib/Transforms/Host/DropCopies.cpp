//===- DropCopies.cpp - Copies of stored arrays ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies of collectives store their result if several forces use it, or if
// the host needs another value of it at once. Each force then copies every
// element to its own memory. Arrays do not change, so the stored array can
// replace the copy.
//
// In: fused programs over arrays. Out: the same, without the forces that only
// copy an array in memory that nothing writes afterwards.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSDROPCOPIESPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"
#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"

using namespace mlir;
using namespace mlir::obs;

/// The allocation of `memory`, which may have a type with fewer static extents;
/// null for other memory.
static memref::AllocOp getAlloc(Value memory) {
  while (auto less = memory.getDefiningOp<memref::CastOp>())
    memory = less.getSource();
  return memory.getDefiningOp<memref::AllocOp>();
}

/// True if `number` is extent `dim` of `array`, the result of a force or a
/// view.
static bool isExtentOf(Value number, Value array, unsigned dim) {
  auto type = cast<PullType>(array.getType());
  if (!type.isDynamicExtent(dim))
    return getConstantIntValue(number) == type.getExtents()[dim];
  if (auto of = number.getDefiningOp<DimOp>())
    if (of.getArray() == array && of.getDimension() == dim)
      return true;
  unsigned place =
      llvm::count(type.getExtents().take_front(dim), ShapedType::kDynamic);
  if (auto force = array.getDefiningOp<ForceOp>()) {
    Value program = force.getArrays()[cast<OpResult>(array).getResultNumber()];
    auto fill = program.getDefiningOp<FillOp>();
    return fill && areEqualNumbers(number, fill.getExtents()[place]);
  }
  auto view = array.getDefiningOp<ViewOp>();
  memref::AllocOp alloc =
      view ? getAlloc(view.getMemory().front()) : memref::AllocOp();
  if (!alloc)
    return false;
  MemRefType memory = alloc.getType();
  return memory.isDynamicDim(dim)
             ? areEqualNumbers(number, alloc.getDynamicSizes()[llvm::count(
                                           memory.getShape().take_front(dim),
                                           ShapedType::kDynamic)])
             : getConstantIntValue(number) == memory.getDimSize(dim);
}

/// The array that `fill` copies completely, element by element, if it is the
/// result of a force or a view; else null.
static Value getCopied(FillOp fill) {
  ParOp loop = getOnlyLoop(fill);
  if (!loop || loop.getUnit() != Level::Thread || !fill.getInit().empty() ||
      fill.getOnto())
    return {};
  GetOp read;
  WriteOp write;
  for (Operation &op : loop.getBody().front()) {
    if (isa<GetOp>(op) && !read)
      read = cast<GetOp>(op);
    else if (isa<WriteOp>(op) && !write)
      write = cast<WriteOp>(op);
    else if (!op.hasTrait<OpTrait::IsTerminator>())
      return {};
  }
  ValueRange counters = loop.getBody().getArguments();
  if (!read || !write || write.getValues() != read.getResults() ||
      read.getIndices() != counters || write.getIndices() != counters ||
      write.getEffectiveContract().contract != Contract::Disjoint)
    return {};
  Value array = read.getArray();
  if (!isa_and_nonnull<ForceOp, ViewOp>(array.getDefiningOp()))
    return {};
  for (auto [dim, number] : llvm::enumerate(loop.getExtents()))
    if (!isExtentOf(number, array, dim))
      return {};
  // The result has the extents of the array, also in its type.
  auto type = cast<PullType>(array.getType());
  if (fill.getResult().getType().getExtents() != type.getExtents())
    return {};
  unsigned next = 0;
  for (unsigned dim : llvm::seq(type.getRank()))
    if (type.isDynamicExtent(dim) &&
        !isExtentOf(fill.getExtents()[next++], array, dim))
      return {};
  return array;
}

/// True if no operation after `point`, in its block, writes or frees `memory`.
static bool isFinalName(Value memory, Operation *point) {
  Block *block = point->getBlock();
  auto isBefore = [&](Operation *user) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    return ancestor && ancestor->isBeforeInBlock(point);
  };
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (isa<ViewOp, memref::DimOp>(user))
      return true;
    if (isa<memref::CastOp>(user))
      return isFinalName(user->getResult(0), point);
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    // A program runs where it is forced.
    if (isa_and_nonnull<FillOp>(ancestor))
      return llvm::all_of(ancestor->getUsers(), [&](Operation *force) {
        return isa<ForceOp>(force) && isBefore(force);
      });
    return isa<ForceOp, gpu::MemsetOp>(user) && isBefore(user);
  });
}

/// The same for all of `memory`, if the program allocates it, as often as
/// `point` is executed.
static bool isFinal(Value memory, Operation *point) {
  memref::AllocOp alloc = getAlloc(memory);
  return alloc && alloc->getBlock() == point->getBlock() &&
         isFinalName(alloc.getMemref(), point);
}

/// The array that the result of `force` for `array` copies. Null if it is not a
/// copy, or if the memory of the array is freed earlier.
static Value getStored(ForceOp force, Value array) {
  auto fill = array.getDefiningOp<FillOp>();
  Value stored = fill ? getCopied(fill) : Value();
  if (!stored || fill->isAncestor(stored.getDefiningOp()))
    return {};
  if (auto view = stored.getDefiningOp<ViewOp>())
    return llvm::all_of(view.getMemory(),
                        [&](Value memory) { return isFinal(memory, force); })
               ? stored
               : Value();
  auto maker = stored.getDefiningOp<ForceOp>();
  return llvm::all_of(maker.getInto(),
                      [&](Value memory) { return isFinal(memory, force); })
             ? stored
             : Value();
}

/// Removes the arrays that are stored already, and repeated ones, from `force`.
static void dropCopiesOf(ForceOp force) {
  SmallVector<Value> arrays, results;
  SmallVector<Type> types;
  StringAttr name = force.getKernelAttr();
  for (auto [array, result] :
       llvm::zip_equal(force.getArrays(), force.getResults())) {
    // The result of one program is stored once.
    if (auto *known = llvm::find(arrays, array); known != arrays.end()) {
      result.replaceAllUsesWith(results[known - arrays.begin()]);
      continue;
    }
    Value stored = getStored(force, array);
    if (!stored || stored.getType() != result.getType()) {
      arrays.push_back(array);
      results.push_back(result);
      types.push_back(result.getType());
      continue;
    }
    result.replaceAllUsesWith(stored);
    // The kernel that stores the array has the name in the program.
    auto maker = stored.getDefiningOp<ForceOp>();
    if (maker && name && !maker.getKernelAttr()) {
      maker.setKernelAttr(name);
      name = {};
    }
  }
  if (arrays.size() == force.getArrays().size())
    return;
  if (!arrays.empty()) {
    OpBuilder builder(force);
    auto rest =
        ForceOp::create(builder, force.getLoc(), types, arrays, ValueRange(),
                        force.getStorageAttr(), force.getKernelAttr(),
                        force.getThreadsAttr(), force.getUncheckedAttr());
    for (auto [before, after] : llvm::zip_equal(results, rest.getResults()))
      before.replaceAllUsesWith(after);
  }
  force.erase();
}

namespace {
struct DropCopies : obs::impl::ObsDropCopiesPassBase<DropCopies> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isHostFunction(function))
        for (ForceOp force : getHostForces(function))
          // Given memories are written.
          if (force.getInto().empty())
            dropCopiesOf(force);
  }
};
} // namespace
