//===- AssignHomes.cpp - Memory of every forced array ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSASSIGNHOMESPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "ForwardOwned.h"
#include "LaneArrays.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "OwnedArrays.h"
#include "UniformReads.h"
#include "Workers.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
using namespace mlir;
using namespace mlir::obs;

/// The maximum number of copies of the body of a loop, and of operations of all
/// copies, if the program does not request registers.
static constexpr int64_t maxSteps = 16, maxOperations = 4096;
/// The maximum number of copies if a body is a loop itself, as in a matrix
/// product: the copies share what each of its iterations reads.
static constexpr int64_t maxLoops = 64;
/// Registers of 32 bits that a multiprocessor has.
static constexpr int64_t registerFile = 1 << 16;
/// The maximum number of registers of a thread for arrays, if the program does
/// not request registers.
static constexpr int64_t maxRegisters = 128;

/// True if the loops that use `array` can be unrolled and do not become too
/// long.
static bool isShort(const OwnedArray &array) {
  int64_t steps = 0;
  bool hasLoop = false;
  for (auto &[access, registers] : array.accesses) {
    if (llvm::all_equal(registers))
      continue;
    int64_t count = 0;
    access->getParentOfType<scf::ForallOp>().walk([&](Operation *op) {
      ++count;
      hasLoop |= isa<scf::ForOp>(op);
    });
    int64_t size = registers.size();
    steps = std::max(steps, size);
    if (size * count > maxOperations)
      return false;
  }
  return steps <= (hasLoop ? maxLoops : maxSteps);
}

namespace {
struct AssignHomes : obs::impl::ObsAssignHomesPassBase<AssignHomes> {
  void runOnOperation() override;

private:
  bool fitsRegisters(memref::AllocOp alloc, std::optional<NotOwned> &why);

  Workers workers{};
  /// The number of registers that arrays of the block use.
  int64_t taken = 0;
};
} // namespace

/// True for an array of a block that is in the registers of its threads.
bool AssignHomes::fitsRegisters(memref::AllocOp alloc,
                                std::optional<NotOwned> &why) {
  auto array = findOwnedArray(alloc, workers.threads, &why);
  if (!array)
    return false;
  Type type = alloc.getType().getElementType();
  int64_t registers = countRegisters(type, array->elements);
  bool isAsked = getHome(alloc).getStorage() == Storage::Registers;
  if (registers > maxOwnedRegisters) {
    why = NotOwned{alloc, "takes " + std::to_string(registers) +
                              " registers of each thread, more than " +
                              std::to_string(maxOwnedRegisters)};
    return false;
  }
  // Half of the registers that each thread of the block can have.
  int64_t most = std::min(maxRegisters, registerFile / workers.launched / 2);
  if (!isAsked && array->elements > 1 &&
      (taken + registers > most || !isShort(*array)))
    return false;
  taken += registers;
  if (array->elements > 1)
    setNumber<ObsDialect::RegistersAttrHelper>(alloc, array->elements);
  return true;
}

/// Marks the tables for which the constant cache is fast: if the lanes of a
/// warp read different words, it serves one word after the other.
static void markConstants(KernelOp kernel, int64_t threads) {
  kernel.walk([&](memref::GetGlobalOp table) {
    bool isUniform = llvm::all_of(table->getUsers(), [&](Operation *user) {
      auto load = dyn_cast<memref::LoadOp>(user);
      return load && isUniformOverWarps(load, threads);
    });
    if (isUniform)
      setAttr<ObsDialect::ConstantAttrHelper>(table);
  });
}

/// Reduces a ring to its first slot, if no other slot is used because its loop
/// changes the array in place.
static void dropUnusedSlots(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  auto usesFirst = [](Operation *user) {
    if (auto load = dyn_cast<memref::LoadOp>(user))
      return isConstantIntValue(load.getIndices().front(), 0);
    auto store = dyn_cast<memref::StoreOp>(user);
    return store && isConstantIntValue(store.getIndices().front(), 0);
  };
  if (!getHome(alloc) || type.getRank() < 2 || type.isDynamicDim(0) ||
      !llvm::all_of(alloc->getUsers(), usesFirst))
    return;
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  alloc.getMemref().setType(MemRefType::Builder(type).setShape(shape));
}

void AssignHomes::runOnOperation() {
  workers = getWorkers(getOperation());
  taken = 0;
  getOperation().walk(dropUnusedSlots);
  markConstants(getOperation(), workers.threads);
  forwardOwnedElements(getOperation(), workers.threads);
  llvm::DenseMap<Operation *, NotOwned> notInLanes;
  auto inLanes = findLaneArrays(getOperation(), notInLanes);
  WalkResult result = getOperation().walk([&](memref::AllocOp alloc) {
    HomeAttr home = getHome(alloc);
    if (!home)
      return WalkResult::advance();
    Storage possible = Storage::Shared;
    std::optional<NotOwned> why;
    if (home.getOwner() == Level::Thread ||
        (home.getOwner() == Level::Warp && inLanes.contains(alloc)) ||
        (home.getOwner() == Level::Block && fitsRegisters(alloc, why)))
      possible = Storage::Registers;
    if (auto found = notInLanes.find(alloc);
        found != notInLanes.end() && possible == Storage::Shared)
      why = found->second;
    if (home.getStorage() == Storage::Auto && home.getOwner() == Level::Warp &&
        why && isa<memref::LoadOp>(why->op))
      alloc.emitRemark("an array of a warp lives in shared memory")
              .attachNote(why->op->getLoc())
          << "it " << why->reason;
    if (home.getStorage() != Storage::Auto && home.getStorage() != possible) {
      InFlightDiagnostic error =
          alloc.emitError("[force-storage] an array of a ")
          << stringifyLevel(home.getOwner()) << " cannot live in "
          << stringifyStorage(home.getStorage())
          << " as it is used; it can live in " << stringifyStorage(possible);
      if (why)
        error.attachNote(why->op->getLoc()) << "it " << why->reason;
      return WalkResult::interrupt();
    }
    auto type = MemRefType::get(
        alloc.getType().getShape(), alloc.getType().getElementType(),
        MemRefLayoutAttrInterface(),
        HomeAttr::get(alloc.getContext(), home.getOwner(), possible));
    alloc.getResult().setType(type);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
