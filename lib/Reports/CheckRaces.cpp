//===- CheckRaces.cpp - Prove that kernels have no races ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSCHECKRACESPASS
#include "Obsidian/Reports/Passes.h"

#include "Levels.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Races/AccessIntervals.h"
#include "Races/Contracts.h"
#include "Races/OverlapSolver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
namespace json = llvm::json;

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

/// An access in an answer as data, with the words of the report on costs.
static json::Value describe(const MemoryAccess &access) {
  StringRef kind =
      access.effect == Effect::Atomic ? "atomic" : nameEffect(access.effect);
  return json::Object{{"kind", kind},
                      {"location", toJSON(access.op->getLoc())}};
}

namespace {
/// The check of one kernel.
class KernelCheck {
public:
  KernelCheck(gpu::GPUFuncOp kernel, SmallVectorImpl<json::Object> &answers)
      : kernel(kernel), answers(answers),
        threads(kernel.getKnownBlockSizeAttr()
                    ? kernel.getKnownBlockSizeAttr().asArrayRef().front()
                    : 0),
        uniformity(kernel), ranges(kernel),
        model(kernel, threads, uniformity, ranges) {}

  LogicalResult run();

private:
  void check(const PendingAccess &first, const MemoryAccess &second,
             Between between);
  void report(const MemoryAccess &first, const MemoryAccess &second,
              const OverlapQuery &query, const Answer &answer);
  bool isOrdered(const PendingAccess &first, const MemoryAccess &second,
                 Between between);
  void checkBounds();
  void checkTickets(const OverlapQuery &query);
  void remark();

  gpu::GPUFuncOp kernel;
  SmallVectorImpl<json::Object> &answers;
  int64_t threads;
  Uniformity uniformity;
  Ranges ranges;
  PairModel model;
  /// The contracts that the proof assumes, with the stores that have them.
  llvm::MapVector<Operation *, WriteMark> contracts;
  /// Tickets from counters that may be changed elsewhere, too.
  llvm::SetVector<Operation *> tickets;
  /// Arrivals that are assumed to be at the counter of what was written.
  llvm::SetVector<Operation *> arrivals;
  AccessMap accesses;
  size_t numAccesses = 0;
  /// Accesses that are assumed to be within their arrays.
  SmallVector<Operation *> unbounded;
  /// Pairs that are reported.
  llvm::DenseSet<std::pair<Operation *, Operation *>> reported;
  bool hasRaces = false;
};
} // namespace

LogicalResult KernelCheck::run() {
  if (failed(requireLowered(kernel)) ||
      failed(requireConvergence(kernel, uniformity)))
    return failure();
  llvm::DenseSet<Value> written;
  kernel.walk([&](Operation *op) {
    SmallVector<MemoryAccess> own = getMemoryAccesses(op);
    if (own.empty())
      return;
    for (const MemoryAccess &access : own)
      if (access.effect != Effect::Read)
        written.insert(getUnderlyingMemory(access.array));
    numAccesses += own.size();
    accesses.try_emplace(op, std::move(own));
  });
  if (failed(requireAliasMarks(kernel, written)))
    return failure();
  for (Between between : {Between::Lanes, Between::Warps, Between::Blocks}) {
    if (between == Between::Lanes && threads == 1)
      continue;
    if (between == Between::Warps && threads <= warpSize)
      continue;
    auto visit = [&](const PendingAccess &first, const MemoryAccess &second) {
      // Each block has its own shared memory.
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
  checkBounds();
  remark();
  return success();
}

/// Reports the answer, with all its assumptions.
void KernelCheck::remark() {
  InFlightDiagnostic remark = mlir::emitRemark(kernel.getLoc())
                              << "kernel '" << kernel.getName()
                              << "' is proved free of races, with blocks of "
                              << threads << " threads";
  if (!contracts.empty() || !tickets.empty() || !arrivals.empty())
    remark << ", under contract";
  if (!unbounded.empty())
    remark << ", given that the indices of " << unbounded.size() << " of "
           << numAccesses << " accesses are in bounds";
  answers.push_back(json::Object{{"kernel", kernel.getName()},
                                 {"blockThreads", threads},
                                 {"accesses", int64_t(numAccesses)},
                                 {"unbounded", int64_t(unbounded.size())}});
  for (auto [op, contract] : contracts)
    remark.attachNote(op->getLoc())
        << "written as '" << stringifyWriteMark(contract)
        << "', which the program promises";
  for (Operation *op : tickets)
    remark.attachNote(op->getLoc())
        << "drawn from a counter that is taken not to be set back, though its "
           "array is written elsewhere, too";
  for (Operation *op : arrivals)
    remark.attachNote(op->getLoc())
        << "taken to arrive at the counter of what its thread has written";
  SmallVector<Location> seen;
  for (Operation *op : unbounded)
    if (!llvm::is_contained(seen, op->getLoc())) {
      seen.push_back(op->getLoc());
      remark.attachNote(op->getLoc()) << "taken to be in bounds";
    }
}

/// Finds the accesses that are not proved to be within their arrays. All
/// queries about races have assumed this.
void KernelCheck::checkBounds() {
  for (auto &[op, own] : accesses)
    for (const MemoryAccess &access : own) {
      bool isProved = solve(model.askBounds(access)).kind == Answer::Apart;
      if (!isProved)
        unbounded.push_back(op);
    }
}

/// Finds the tickets of the query from counters whose array is changed by other
/// operations, too.
void KernelCheck::checkTickets(const OverlapQuery &query) {
  for (const Unknown &unknown : query.unknowns) {
    if (!unknown.ticket)
      continue;
    const MemoryAccess &counter = accesses.find(unknown.ticket)->second.front();
    for (auto &[op, own] : accesses)
      if (!isa<TicketOp>(op) &&
          llvm::any_of(own, [&](const MemoryAccess &access) {
            return access.root == counter.root && access.effect != Effect::Read;
          }))
        tickets.insert(unknown.ticket);
  }
}

/// The first byte and the end of the view that an access is in, if they are
/// constants.
static std::optional<std::pair<int64_t, int64_t>>
getBytesOfView(const MemoryAccess &access) {
  auto view = access.array.getDefiningOp<memref::ViewOp>();
  if (!view || view.getSource() != access.root ||
      !view.getType().hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> begin = getConstantIntValue(view.getByteShift());
  if (!begin)
    return std::nullopt;
  return std::pair(*begin,
                   *begin + view.getType().getNumElements() *
                                getBytes(view.getType().getElementType()));
}

/// True for arrays that do not overlap. No query is needed then, because all
/// queries assume that accesses are in bounds.
static bool areInDifferentViews(const MemoryAccess &a, const MemoryAccess &b) {
  auto first = getBytesOfView(a), second = getBytesOfView(b);
  return a.root == b.root && first && second &&
         (first->second <= second->first || second->second <= first->first);
}

/// True if a thread reads what another one has written before, by the meaning
/// of operations between blocks.
bool KernelCheck::isOrdered(const PendingAccess &first,
                            const MemoryAccess &second, Between between) {
  bool isFirstRead = first.access->effect == Effect::Read;
  const MemoryAccess &read = isFirstRead ? *first.access : second;
  const MemoryAccess &write = isFirstRead ? second : *first.access;
  if (read.effect != Effect::Read)
    return false;
  auto publish = dyn_cast<PublishOp>(write.op);
  auto await = dyn_cast<AwaitOp>(read.op);
  if (publish && await)
    return publish.getFlags() == await.getFlags() && write.array == read.array;
  ArriveOp arrival = findArrival(write.op, read.op);
  // The first thread arrives for its block.
  if (!arrival || (arrival.getCell() &&
                   solve(model.askOtherThread(write)).kind != Answer::Apart))
    return false;
  ValueRange counter = arrival.getIndices();
  if (!counter.empty() &&
      solve(model.ask(first, second, between, counter)).kind != Answer::Apart)
    arrivals.insert(arrival);
  return true;
}

void KernelCheck::check(const PendingAccess &first, const MemoryAccess &second,
                        Between between) {
  if (reported.contains({first.access->op, second.op}) ||
      areInDifferentViews(*first.access, second) ||
      isOrdered(first, second, between))
    return;
  OverlapQuery query = model.ask(first, second, between);
  if (hasContract(first, second)) {
    // A contract is named only if the proof needs it.
    std::optional<Answer> tried = solveByEnumeration(query, uint64_t(1) << 15);
    if (tried && tried->kind == Answer::Apart)
      return;
    contracts.insert({second.op, *second.contract});
    return;
  }
  Answer answer = solve(query);
  if (answer.kind == Answer::Apart)
    return checkTickets(query);
  // The pass does not know whether these threads reach this point.
  if (!query.isComplete)
    answer.kind = Answer::Open;
  reported.insert({first.access->op, second.op});
  hasRaces = true;
  report(*first.access, second, query, answer);
}

void KernelCheck::report(const MemoryAccess &first, const MemoryAccess &second,
                         const OverlapQuery &query, const Answer &answer) {
  StringRef scope = query.between == Between::Lanes   ? "warp"
                    : query.between == Between::Warps ? "block"
                                                      : "grid";
  json::Object data{
      {"kernel", kernel.getName()},
      {"memory", second.isShared ? "shared" : "global"},
      {"scope", scope},
      {"accesses", json::Array{describe(first), describe(second)}}};
  if (answer.hasThreads) {
    data["threads"] = json::Array{answer.firstThread, answer.secondThread};
    if (!answer.address.empty())
      data[query.isByElement ? "element" : "byte"] =
          json::Array(ArrayRef(answer.address));
  }
  answers.push_back(std::move(data));
  InFlightDiagnostic error = mlir::emitError(second.op->getLoc());
  error << (answer.kind == Answer::Meet ? "[race] " : "[race-unproved] ")
        << nameEffect(second.effect) << " of "
        << (second.isShared ? "shared" : "global") << " memory ";
  switch (query.between) {
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
  if (query.between != Between::Blocks)
    error << ", without a barrier between them";
  if (answer.hasThreads) {
    error << (answer.kind == Answer::Meet ? ": threads "
                                          : ": it may for threads ")
          << answer.firstThread << " and " << answer.secondThread;
    if (!answer.address.empty()) {
      error << (query.isByElement ? ", element " : ", byte ");
      llvm::interleaveComma(answer.address, error);
    }
  }
  error.attachNote(first.op->getLoc())
      << "the first access is the " << nameEffect(first.effect) << " here";
}

LogicalResult obs::checkRaces(ModuleOp module,
                              SmallVectorImpl<json::Object> &answers) {
  bool failed = false;
  module.walk([&](gpu::GPUFuncOp kernel) {
    if (kernel.isKernel())
      failed |= mlir::failed(KernelCheck(kernel, answers).run());
  });
  return failure(failed);
}

namespace {
struct CheckRaces : obs::impl::ObsCheckRacesPassBase<CheckRaces> {
  using ObsCheckRacesPassBase::ObsCheckRacesPassBase;

  void runOnOperation() override {
    SmallVector<json::Object> answers;
    if (failed(checkRaces(getOperation(), answers)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
