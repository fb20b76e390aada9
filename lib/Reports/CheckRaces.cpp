//===- CheckRaces.cpp - Prove that kernels have no races ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Reports/Passes.h"
#include "Races/AccessIntervals.h"
#include "Races/OverlapSolver.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSCHECKRACESPASS
#include "Obsidian/Reports/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

static StringRef nameEffect(Effect effect) {
  switch (effect) {
  case Effect::Read:
    return "read";
  case Effect::Write:
    return "write";
  case Effect::Atomic:
    return "atomic update";
  }
  llvm_unreachable("all effects are listed");
}

namespace {
/// The check of one kernel.
class KernelCheck {
public:
  explicit KernelCheck(gpu::GPUFuncOp kernel)
      : kernel(kernel),
        threads(kernel.getKnownBlockSizeAttr()
                    ? kernel.getKnownBlockSizeAttr().asArrayRef().front()
                    : 0),
        ranges(kernel), model(kernel, threads, uniformity, ranges) {}

  LogicalResult run();

private:
  void check(const PendingAccess &first, const MemoryAccess &second,
             Between between);
  void report(const MemoryAccess &first, const MemoryAccess &second,
              Between between, const Answer &answer);

  gpu::GPUFuncOp kernel;
  int64_t threads;
  Uniformity uniformity;
  Ranges ranges;
  PairModel model;
  /// Contracts that the proof rests on, with the stores that have them.
  llvm::MapVector<Operation *, StringRef> contracts;
  /// Pairs that are reported.
  llvm::DenseSet<std::pair<Operation *, Operation *>> reported;
  bool hasRaces = false;
};
} // namespace

LogicalResult KernelCheck::run() {
  if (threads <= 0)
    return mlir::emitError(kernel.getLoc(),
                           "[race-stage] has no known block size; run "
                           "obs-to-gpu first");
  if (!kernel.getBody().hasOneBlock())
    return mlir::emitError(kernel.getLoc(),
                           "[race-stage] has branches between blocks; check "
                           "the kernel as obs-to-gpu leaves it");
  llvm::DenseMap<Operation *, MemoryAccess> accesses;
  kernel.walk([&](Operation *op) {
    if (std::optional<MemoryAccess> access = getMemoryAccess(op))
      accesses.try_emplace(op, std::move(*access));
  });
  for (Between between : {Between::Lanes, Between::Warps, Between::Blocks}) {
    if (between == Between::Lanes && threads == 1)
      continue;
    if (between == Between::Warps && threads <= warpSize)
      continue;
    auto visit = [&](const PendingAccess &first, const MemoryAccess &second) {
      // Each block has shared memory of its own.
      if (between != Between::Blocks || !second.isShared)
        check(first, second, between);
    };
    AccessIntervals intervals(kernel, between, accesses, uniformity, ranges,
                              visit);
    if (failed(intervals.run()))
      return failure();
  }
  if (hasRaces)
    return failure();
  InFlightDiagnostic remark = mlir::emitRemark(kernel.getLoc())
                              << "kernel '" << kernel.getName()
                              << "' is proved free of races, with blocks of "
                              << threads << " threads";
  if (contracts.empty())
    return success();
  remark << ", under contract";
  for (auto [op, contract] : contracts)
    remark.attachNote(op->getLoc())
        << "written as '" << contract << "', which the program promises";
  return success();
}

/// True if a contract of the source covers the pair.
static bool hasContract(const MemoryAccess &first, const MemoryAccess &second) {
  // Of "published" memory each side waits for a flag of the other.
  if (first.contract == "published" && second.contract == "published")
    return true;
  // Copies of one store promise together.
  Attribute origin = second.op->getAttr("obs.origin");
  bool isSame = first.op == second.op ||
                (origin && first.op->getAttr("obs.origin") == origin);
  return isSame && (second.contract == "any" || second.contract == "disjoint");
}

void KernelCheck::check(const PendingAccess &first, const MemoryAccess &second,
                        Between between) {
  if (reported.contains({first.access->op, second.op}))
    return;
  Question question = model.ask(first, second, between);
  if (hasContract(*first.access, second)) {
    // The contract is only named where it is needed.
    std::optional<Answer> tried =
        solveByEnumeration(question, uint64_t(1) << 15);
    if (tried && tried->kind == Answer::Apart)
      return;
    contracts.insert({second.op, second.contract});
    return;
  }
  Answer answer = solve(question);
  if (answer.kind == Answer::Apart)
    return;
  reported.insert({first.access->op, second.op});
  hasRaces = true;
  report(*first.access, second, between, answer);
}

void KernelCheck::report(const MemoryAccess &first, const MemoryAccess &second,
                         Between between, const Answer &answer) {
  InFlightDiagnostic error = mlir::emitError(second.op->getLoc());
  error << (answer.kind == Answer::Meet ? "[race] " : "[race-unproved] ")
        << nameEffect(second.effect) << " of "
        << (second.isShared ? "shared" : "global") << " memory ";
  switch (between) {
  case Between::Lanes:
    error << "by another thread of the warp";
    break;
  case Between::Warps:
    error << "by another warp of the block";
    break;
  case Between::Blocks:
    error << "by another block";
    break;
  }
  if (answer.kind == Answer::Meet)
    error << " reaches what this "
          << (first.op == second.op ? "same statement" : "access")
          << " also reaches";
  else
    error << " could not be proved to stay away from what "
          << (first.op == second.op ? "the same statement" : "this access")
          << " reaches";
  if (between != Between::Blocks)
    error << ", without a barrier between them";
  if (answer.hasThreads) {
    error << (answer.kind == Answer::Meet ? ": threads "
                                          : ": it may for threads ")
          << answer.firstThread << " and " << answer.secondThread;
    if (!answer.address.empty()) {
      error << (answer.address.size() == 1 ? ", byte " : ", element ");
      llvm::interleaveComma(answer.address, error);
    }
  }
  error.attachNote(first.op->getLoc())
      << "the first access is the " << nameEffect(first.effect) << " here";
}

namespace {
struct CheckRaces : obs::impl::ObsCheckRacesPassBase<CheckRaces> {
  using ObsCheckRacesPassBase::ObsCheckRacesPassBase;

  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.isKernel())
        failed |= mlir::failed(KernelCheck(kernel).run());
    });
    if (failed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
