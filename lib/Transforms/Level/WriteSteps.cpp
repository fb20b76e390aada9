//===- WriteSteps.cpp - Leaf loops without a loop -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteSteps.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

void obs::markSteps(Operation *access, ArrayRef<int64_t> elements) {
  setAttr<ObsDialect::StepsAttrHelper>(
      access, DenseI64ArrayAttr::get(access->getContext(), elements));
}

bool obs::hasMarkedSteps(scf::ForallOp leaf) {
  return containsOp(leaf, [](Operation *op) {
    return hasAttr<ObsDialect::StepsAttrHelper>(op);
  });
}

namespace {
/// Builds copies of the body of a loop for several steps.
class StepWriter {
public:
  StepWriter(OpBuilder &builder, ArrayRef<int64_t> steps)
      : builder(builder), steps(steps), maps(steps.size()) {}
  /// Maps `value` to one of `copies` in each of the steps.
  void map(Value value, ValueRange copies) {
    for (auto [map, copy] : llvm::zip_equal(maps, copies))
      map.map(value, copy);
  }
  void write(Block &block);

private:
  bool isCommon(ValueRange values);
  bool isSameInAll(Operation &op);
  void writeLoop(scf::ForOp loop);
  void writeBranch(scf::IfOp branch);
  void writeCopies(Operation &op);
  void lookup(ValueRange values, SmallVectorImpl<Value> &copies);

  OpBuilder &builder;
  ArrayRef<int64_t> steps;
  SmallVector<IRMapping> maps;
};
} // namespace

/// True if `values` are the same in all steps.
bool StepWriter::isCommon(ValueRange values) {
  return llvm::all_of(values, [&](Value value) {
    return llvm::all_equal(llvm::map_range(
        maps, [&](IRMapping &map) { return map.lookupOrDefault(value); }));
  });
}

/// Adds the values that represent `values` in the first step, then in the next
/// one.
void StepWriter::lookup(ValueRange values, SmallVectorImpl<Value> &copies) {
  for (IRMapping &map : maps)
    for (Value value : values)
      copies.push_back(map.lookupOrDefault(value));
}

void StepWriter::writeLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  lookup(loop.getInitArgs(), inits);
  auto own = [&](ValueRange values, size_t step) {
    size_t count = loop.getNumRegionIterArgs();
    return values.slice(step * count, count);
  };
  auto common = scf::ForOp::create(
      builder, loop.getLoc(), maps[0].lookupOrDefault(loop.getLowerBound()),
      maps[0].lookupOrDefault(loop.getUpperBound()),
      maps[0].lookupOrDefault(loop.getStep()), inits,
      [&](OpBuilder &, Location loc, Value counter, ValueRange carried) {
        for (auto [s, map] : llvm::enumerate(maps)) {
          map.map(loop.getInductionVar(), counter);
          map.map(loop.getRegionIterArgs(), own(carried, s));
        }
        write(*loop.getBody());
        SmallVector<Value> yielded;
        lookup(loop.getYieldedValues(), yielded);
        scf::YieldOp::create(builder, loc, yielded);
      });
  common->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [s, map] : llvm::enumerate(maps))
    map.map(loop.getResults(), own(common.getResults(), s));
}

void StepWriter::writeBranch(scf::IfOp branch) {
  SmallVector<Type> types;
  for (size_t step = 0; step < maps.size(); ++step)
    llvm::append_range(types, branch.getResultTypes());
  auto common = scf::IfOp::create(
      builder, branch.getLoc(), types,
      maps[0].lookupOrDefault(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/branch.elseBlock() != nullptr);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), common->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&to.front());
    write(from.front());
    SmallVector<Value> yielded;
    lookup(from.front().getTerminator()->getOperands(), yielded);
    scf::YieldOp::create(builder, branch.getLoc(), yielded);
  }
  common->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  size_t count = branch.getNumResults();
  for (auto [s, map] : llvm::enumerate(maps))
    map.map(branch.getResults(), common.getResults().slice(s * count, count));
}

void StepWriter::writeCopies(Operation &op) {
  for (auto [step, map] : llvm::zip_equal(steps, maps)) {
    int64_t number = step;
    Operation *copy = builder.clone(op, map);
    copy->walk([&](Operation *access) {
      auto mark = removeAttr<ObsDialect::StepsAttrHelper>(access);
      if (!mark)
        return;
      OpBuilder inside(access);
      Value element = arith::ConstantIndexOp::create(inside, access->getLoc(),
                                                     mark.asArrayRef()[number]);
      if (auto load = dyn_cast<memref::LoadOp>(access))
        load.getIndicesMutable().assign(element);
      else
        cast<memref::StoreOp>(access).getIndicesMutable().assign(element);
    });
  }
}

/// True if one execution of `op` serves all steps that have equal operands: a
/// computation, an assertion, or a load from an array that exists outside of
/// the step. No step writes an element that another one reads.
bool StepWriter::isSameInAll(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return !hasAttr<ObsDialect::StepsAttrHelper>(load) &&
           !maps.front().contains(load.getMemRef());
  return op.getNumRegions() == 0 &&
         (isMemoryEffectFree(&op) || isa<cf::AssertOp>(op));
}

void StepWriter::write(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 0 && maps.front().contains(op.getResult(0)))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop && isCommon({loop.getLowerBound(), loop.getUpperBound(),
                          loop.getStep()})) {
      writeLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op);
               branch && isCommon(branch.getCondition())) {
      writeBranch(branch);
    } else if (isSameInAll(op) && isCommon(op.getOperands())) {
      Operation *copy = builder.clone(op, maps[0]);
      for (IRMapping &map : MutableArrayRef(maps).drop_front())
        map.map(op.getResults(), copy->getResults());
    } else {
      writeCopies(op);
    }
  }
}

void obs::writeSideBySide(
    OpBuilder &builder, Block &body,
    const llvm::MapVector<Value, SmallVector<Value>> &copies) {
  auto steps =
      llvm::to_vector(llvm::seq<int64_t>(copies.front().second.size()));
  StepWriter writer(builder, steps);
  for (const auto &[value, copy] : copies)
    writer.map(value, copy);
  writer.write(body);
}

void obs::numberOrigins(scf::ForallOp leaf, int64_t &nextOrigin) {
  leaf.walk([&](Operation *op) {
    if (hasAttr<ObsDialect::ContractAttrHelper>(op))
      setNumber<ObsDialect::OriginAttrHelper>(op, nextOrigin++);
  });
}

/// True if iterations of `leaf` have private arrays, for which a thread has
/// memory only once. They run one after the other.
static bool hasOwnArrays(scf::ForallOp leaf) {
  return containsOp(leaf, [](memref::StoreOp store) {
    Operation *memory = store.getMemRef().getDefiningOp();
    bool isOwn = isa_and_nonnull<memref::AllocaOp, memref::AllocOp>(memory);
    if (auto alloc = dyn_cast_or_null<memref::AllocOp>(memory)) {
      HomeAttr home = getHome(alloc);
      isOwn = home && home.getOwner() == Level::Thread;
    }
    return isOwn && !hasAttr<ObsDialect::StepsAttrHelper>(store);
  });
}

void obs::writeSteps(OpBuilder &builder, scf::ForallOp leaf,
                     const LeafSteps &spread, Value thread) {
  Location loc = leaf.getLoc();
  IndexBuilder index{builder, loc};
  Value first = thread;
  if (spread.isBlocked)
    first = arith::MulIOp::create(builder, loc, thread,
                                  index.constant(spread.getCount()));
  auto write = [&](ArrayRef<int64_t> steps, ValueRange iterations) {
    StepWriter writer(builder, steps);
    writer.map(leaf.getInductionVar(0), iterations);
    writer.write(*leaf.getBody());
  };
  SmallVector<int64_t> full;
  SmallVector<Value> iterations;
  SmallVector<std::pair<int64_t, Value>> partial;
  for (int64_t step = 0; step < spread.getCount(); ++step) {
    int64_t distance = spread.isBlocked ? step : step * spread.threads;
    Value iteration = first;
    if (distance)
      iteration =
          arith::AddIOp::create(builder, loc, first, index.constant(distance));
    if (spread.isFull(step)) {
      full.push_back(step);
      iterations.push_back(iteration);
    } else {
      partial.push_back({step, iteration});
    }
  }
  if (hasOwnArrays(leaf))
    for (auto [step, iteration] : llvm::zip_equal(full, iterations))
      write(step, iteration);
  else if (!full.empty())
    write(full, iterations);
  for (auto [step, iteration] : partial) {
    Value exists =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              iteration, index.constant(spread.extent));
    auto branch = scf::IfOp::create(builder, loc, exists,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    write(step, iteration);
  }
}
