//===- ReuseArrays.cpp - Shared arrays that are overwritten in place ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No iteration may read an element that another one overwrites. Only one
// iteration writes an element, so it is sufficient that the iteration that
// reads an element also writes it, afterwards.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSREUSEARRAYSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "Workers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// The threads that a multiprocessor executes at once.
static constexpr int64_t residentThreads = 2048;

/// The loops around `access` in `leaf`, from the outside in, if nothing but
/// loops with a constant number of iterations stands there.
static std::optional<SmallVector<scf::ForOp>> getLoops(Operation *access,
                                                       scf::ForallOp leaf) {
  SmallVector<scf::ForOp> loops;
  for (Operation *op = access->getParentOp(); op != leaf;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop.getStaticTripCount())
      return std::nullopt;
    loops.insert(loops.begin(), loop);
  }
  return loops;
}

/// True if the iteration of `leaf` that executes `load` also executes `store`,
/// for the same element.
static bool overwrites(memref::StoreOp store, memref::LoadOp load,
                       scf::ForallOp leaf) {
  auto reads = getLoops(load, leaf), writes = getLoops(store, leaf);
  if (!reads || !writes || reads->size() != writes->size())
    return false;
  IndexRecognizer recognizer;
  recognizer.addLeaf(leaf.getRegion());
  recognizer.addVariable(leaf.getInductionVar(0), getIterations(leaf));
  for (auto [read, write] : llvm::zip(*reads, *writes)) {
    int64_t count = read.getStaticTripCount()->getSExtValue();
    if (write.getStaticTripCount()->getSExtValue() != count ||
        getConstantIntValue(read.getLowerBound()) !=
            getConstantIntValue(write.getLowerBound()) ||
        getConstantIntValue(read.getStep()) !=
            getConstantIntValue(write.getStep()))
      return false;
    recognizer.addRounds(read, count);
    recognizer.define(write.getInductionVar(),
                      recognizer.get(read.getInductionVar()));
  }
  return llvm::all_of(
      llvm::zip_equal(load.getIndices(), store.getIndices()), [&](auto pair) {
        auto [from, to] = pair;
        return areEqual(recognizer.get(from), recognizer.get(to));
      });
}

/// True if `leaf` stores no element twice: by the contract of the store, or
/// because its indices are the counters of the leaf and of the loops in it.
static bool storesOnce(memref::StoreOp store, scf::ForallOp leaf) {
  if (getWriteMark(store) == WriteMark::Disjoint)
    return true;
  std::optional<SmallVector<scf::ForOp>> loops = getLoops(store, leaf);
  if (!loops)
    return false;
  llvm::DenseSet<Value> indices(store.getIndices().begin(),
                                store.getIndices().end());
  return llvm::all_of(leaf.getInductionVars(),
                      [&](Value v) { return indices.contains(v); }) &&
         llvm::all_of(*loops, [&](scf::ForOp loop) {
           return indices.contains(loop.getInductionVar());
         });
}

/// The statement of the block of `alloc` that `user` is in.
static Operation *getStatement(memref::AllocOp alloc, Operation *user) {
  return alloc->getBlock()->findAncestorOpInBlock(*user);
}

/// True if `written`, which `leaf` fills, may take the place of `read`, whose
/// elements `leaf` reads last.
static bool canReuse(memref::AllocOp read, memref::AllocOp written,
                     scf::ForallOp leaf) {
  if (read.getType() != written.getType() ||
      read->getBlock() != written->getBlock())
    return false;
  SmallVector<memref::LoadOp> loads;
  for (Operation *user : read->getUsers()) {
    Operation *statement = getStatement(read, user);
    if (statement != leaf && !statement->isBeforeInBlock(leaf))
      return false;
    auto load = dyn_cast<memref::LoadOp>(user);
    bool isView =
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    if (isView || (statement == leaf && !load))
      return false;
    if (statement == leaf)
      loads.push_back(load);
  }
  SmallVector<memref::StoreOp> stores;
  for (Operation *user : written->getUsers()) {
    if (getStatement(written, user) != leaf)
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || store.getMemRef() != written.getResult() ||
        !storesOnce(store, leaf))
      return false;
    stores.push_back(store);
  }
  auto getPart = [&](Operation *access) {
    return leaf.getBody()->findAncestorOpInBlock(*access);
  };
  // In one iteration of a loop, the store overwrites what was read just before.
  auto isBefore = [&](memref::LoadOp load, memref::StoreOp store) {
    Operation *read = getPart(load), *written = getPart(store);
    if (read != written)
      return read->isBeforeInBlock(written);
    return load->getBlock() == store->getBlock() &&
           load->isBeforeInBlock(store) && overwrites(store, load, leaf);
  };
  return !loads.empty() && llvm::all_of(loads, [&](memref::LoadOp load) {
    return llvm::all_of(
               stores,
               [&](memref::StoreOp store) { return isBefore(load, store); }) &&
           llvm::any_of(stores, [&](memref::StoreOp store) {
             return overwrites(store, load, leaf);
           });
  });
}

/// The leaf, in the block of `alloc`, with the first accesses to it; else null.
static scf::ForallOp getFirstLeaf(memref::AllocOp alloc) {
  Operation *first = nullptr;
  for (Operation *user : alloc->getUsers()) {
    Operation *statement = getStatement(alloc, user);
    if (!first || statement->isBeforeInBlock(first))
      first = statement;
  }
  return dyn_cast_or_null<scf::ForallOp>(first);
}

namespace {
struct ReuseArrays : obs::impl::ObsReuseArraysPassBase<ReuseArrays> {
  using ObsReuseArraysPassBase::ObsReuseArraysPassBase;

  void runOnOperation() override {
    SmallVector<memref::AllocOp> arrays;
    int64_t bytes = 0;
    getOperation().walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      HomeAttr home = getHome(alloc);
      if (!home || home.getOwner() != Level::Block ||
          home.getStorage() != Storage::Shared)
        return;
      arrays.push_back(alloc);
      bytes += type.getNumElements() * getElementBytes(type.getElementType());
    });
    int64_t blocks = residentThreads / getWorkers(getOperation()).launched;
    if (bytes * blocks <= limit)
      return;
    for (auto &written : arrays) {
      scf::ForallOp leaf = written ? getFirstLeaf(written) : scf::ForallOp();
      if (!leaf)
        continue;
      for (memref::AllocOp &read : arrays) {
        if (!read || read == written || !canReuse(read, written, leaf))
          continue;
        written.replaceAllUsesWith(read.getResult());
        written.erase();
        ++reused;
        // The array now has the accesses of both.
        written = std::exchange(read, {});
        break;
      }
    }
  }
};
} // namespace
