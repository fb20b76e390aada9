//===- VerifyCalls.cpp - Functions that array code calls ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels contain no calls. The inliner does not report the calls that it does
// not inline. It also breaks regions of one block if it inlines several blocks.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSVERIFYCALLSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// True if `call` must be inlined: it stands in a program of a level, or passes
/// arrays.
static bool isInArrayCode(Operation *call) {
  auto isArray = llvm::IsaPred<PullType, PushType>;
  if (llvm::any_of(call->getOperandTypes(), isArray) ||
      llvm::any_of(call->getResultTypes(), isArray) ||
      call->getParentOfType<LevelScopeOpInterface>())
    return true;
  auto function = call->getParentOfType<func::FuncOp>();
  return function && !isHostFunction(function);
}

namespace {
class Verifier {
public:
  explicit Verifier(ModuleOp module) : module(module) {}

  /// Checks `call` and the calls in its function.
  LogicalResult verify(CallOpInterface call);

private:
  LogicalResult refuse(CallOpInterface call, const Twine &why) const;

  ModuleOp module;
  SymbolTableCollection symbols;
  /// The calls that lead to the one that is verified, outermost first.
  SmallVector<CallOpInterface> path;
  SmallVector<func::FuncOp> active;
  llvm::SmallPtrSet<Operation *, 8> verified;
};
} // namespace

LogicalResult Verifier::refuse(CallOpInterface call, const Twine &why) const {
  InFlightDiagnostic error =
      call->emitOpError("[call-inline] ")
      << why << "; array code calls functions that can be inlined";
  for (CallOpInterface outer : llvm::reverse(path))
    if (outer != call)
      error.attachNote(outer.getLoc()) << "called from here";
  return error;
}

LogicalResult Verifier::verify(CallOpInterface call) {
  auto callee =
      dyn_cast_or_null<func::FuncOp>(call.resolveCallableInTable(&symbols));
  if (!callee)
    return refuse(call, "calls a function that is not known by its name");
  if (llvm::is_contained(active, callee))
    return refuse(call, "calls '" + callee.getName() + "', which is recursive");
  if (callee.isExternal())
    return refuse(call, "calls '" + callee.getName() + "', which has no body");
  if (!callee.getBody().hasOneBlock())
    return refuse(call, "calls '" + callee.getName() +
                            "', which has branches between blocks; use "
                            "scf.if, scf.for and scf.while there");
  auto level = getAttr<ObsDialect::LevelAttrHelper>(callee);
  Level here = getEnclosingScope(call).level;
  if (level && level.getValue() != here)
    return refuse(call, "calls '" + callee.getName() +
                            "', a function of level " +
                            stringifyLevel(level.getValue()) +
                            ", in code of level " + stringifyLevel(here) +
                            "; distribute over units of its level");
  if (!verified.insert(callee).second)
    return success();
  active.push_back(callee);
  path.push_back(call);
  WalkResult walked = callee.walk(
      [&](CallOpInterface inner) { return WalkResult(verify(inner)); });
  path.pop_back();
  active.pop_back();
  return failure(walked.wasInterrupted());
}

/// Emits `[R2-memory]` if `function`, which others can call, takes arrays that
/// are not in memory.
static LogicalResult verifyArguments(func::FuncOp function) {
  if (!function.isPublic() || !isHostFunction(function))
    return success();
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto pull = dyn_cast<PullType>(type);
    if (isa<PushType>(type) || (pull && pull.isNested()))
      return function.emitOpError("[R2-memory] is a host function, but its "
                                  "argument ")
             << number << " is " << type
             << ", which is no array in memory; take the elements as one pull "
                "array, or make the function private, so that it is inlined";
  }
  return success();
}

/// True if an operation that stores elements uses `memory` or a view of it.
static bool isWritten(Value memory) {
  return llvm::any_of(memory.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return view.getViewSource() == memory && isWritten(view.getViewDest());
    return isa<memref::StoreOp, memref::AtomicRMWOp,
               memref::GenericAtomicRMWOp>(user);
  });
}

/// Emits `[load-memory]` if the elements of a virtual array are loads from
/// memory that the program changes. Passes take equal reads of arrays for one.
static LogicalResult verifyLoad(memref::LoadOp load) {
  Value memory = load.getMemRef();
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  for (Operation *op = load->getParentOp(); op; op = op->getParentOp()) {
    if (!isa<PullOpInterface>(op) ||
        op->isAncestor(memory.getParentBlock()->getParentOp()))
      continue;
    if (!isWritten(memory))
      return success();
    InFlightDiagnostic error = load.emitOpError(
        "[load-memory] is in the function of an array, and the program "
        "changes the memory with stores; load before the array is made, "
        "or read an obs.view");
    error.attachNote(op->getLoc()) << "the array is made here";
    return error;
  }
  return success();
}

namespace {
struct VerifyCalls : obs::impl::ObsVerifyCallsPassBase<VerifyCalls> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(verifyArguments(function)))
        return signalPassFailure();
    WalkResult dims = getOperation().walk(
        [](memref::DimOp dim) { return WalkResult(verifyDimension(dim)); });
    if (dims.wasInterrupted())
      return signalPassFailure();
    WalkResult loads = getOperation().walk(
        [](memref::LoadOp load) { return WalkResult(verifyLoad(load)); });
    if (loads.wasInterrupted())
      return signalPassFailure();
    Verifier verifier(getOperation());
    WalkResult walked = getOperation().walk([&](CallOpInterface call) {
      bool isChecked =
          call->getParentOfType<func::FuncOp>() && isInArrayCode(call);
      return WalkResult(isChecked ? verifier.verify(call) : success());
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
