//===- StageTables.cpp - Tables in shared memory --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSTAGETABLESPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Workers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of bytes of a table that each block copies.
static constexpr int64_t mostBytes = 4096;

/// The minimum number of reads of a block for each element that it copies.
static constexpr int64_t leastReads = 8;

/// True if `index`, in `leaf`, depends on data: lanes read elements that are
/// not side by side.
static bool dependsOnData(Value index, scf::ForallOp leaf) {
  llvm::SetVector<Value> reached;
  reached.insert(index);
  // The set grows.
  for (unsigned i = 0; i < reached.size(); ++i) {
    Value value = reached[i];
    if (leaf.isDefinedOutsideOfLoop(value) || value == leaf.getInductionVar(0))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
      if (!loop || value != loop.getInductionVar())
        return true;
      continue;
    }
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return true;
    reached.insert_range(op->getOperands());
  }
  return false;
}

/// The least number of executions of `load` for each iteration of `leaf`.
static int64_t countTurns(memref::LoadOp load, scf::ForallOp leaf) {
  int64_t turns = 1;
  for (Operation *op = load->getParentOp(); op != leaf; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<APInt> trips = loop.getStaticTripCount())
        turns =
            llvm::SaturatingMultiply<uint64_t>(turns, trips->getZExtValue());
  return turns;
}

/// The number of elements that a block reads of `table` at indices that depend
/// on data; 0 if the table has other uses.
static int64_t countReads(memref::GetGlobalOp table, int64_t threads) {
  int64_t reads = 0;
  for (Operation *user : table->getUsers()) {
    auto load = dyn_cast<memref::LoadOp>(user);
    auto leaf = load ? load->getParentOfType<scf::ForallOp>() : nullptr;
    if (!leaf || getLeafMap(leaf).getScope() != Level::Grid ||
        !dependsOnData(load.getIndices().front(), leaf))
      return 0;
    auto items = getAttr<ObsDialect::ItemsAttrHelper>(leaf);
    reads += threads * (items ? items.getInt() : 1) * countTurns(load, leaf);
  }
  return reads;
}

namespace {
struct StageTables : obs::impl::ObsStageTablesPassBase<StageTables> {
  using ObsStageTablesPassBase::ObsStageTablesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t threads = getWorkers(kernel).threads;
    int64_t before = kernel.getSharedBytes().value_or(0), end = before;
    kernel.walk([&](memref::GetGlobalOp table) {
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          table, table.getNameAttr());
      MemRefType type = table.getType();
      int64_t count = type.getNumElements();
      int64_t bytes = count * getElementBytes(type.getElementType());
      int64_t offset = llvm::alignTo(end, widestAccess);
      if (hasAttr<ObsDialect::ConstantAttrHelper>(table) ||
          hasAttr<ObsDialect::ConstantAttrHelper>(global) ||
          type.getRank() != 1 || bytes > mostBytes || offset + bytes > limit ||
          countReads(table, threads) < leastReads * count)
        return;
      setNumber<ObsDialect::OffsetAttrHelper>(table, offset);
      end = offset + bytes;
    });
    if (end == before)
      return;
    kernel.setSharedBytes(end);
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    BarrierOp::create(
        builder, kernel.getLoc(), Level::Block,
        builder.getStrArrayAttr({"read after write of tables, which all "
                                 "threads copy and read"}));
  }
};
} // namespace
