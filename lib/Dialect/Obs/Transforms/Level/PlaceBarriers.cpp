//===- PlaceBarriers.cpp - A barrier wherever threads exchange data -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps for block scope, and for warp scope in every loop over warps. First
// a barrier goes in front of each statement that conflicts with an access since
// the last barrier; that is always enough. Since a loop is analysed from
// everything that may come around its back edge, also what a barrier found
// later stops, a barrier can turn out not to be needed: the second step takes
// away each that can go without leaving a conflict.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "llvm/Support/Path.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSPLACEBARRIERSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// "file.mlir:3:5", or "?" for what has no place in a file.
static std::string getPlace(Location location) {
  std::string place = "?";
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
             Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

/// "read after write of the array at k.mlir:3:5, written at k.mlir:7:7, read at
/// k.mlir:9:10".
static std::string describe(const char *hazard, const Access &before,
                            const Access &after) {
  std::string text = hazard;
  Value buffer = before.buffer ? before.buffer : after.buffer;
  if (auto argument = dyn_cast_or_null<BlockArgument>(buffer))
    text += " of argument " + std::to_string(argument.getArgNumber());
  else if (buffer)
    text += " of the array at " + getPlace(buffer.getLoc());
  auto verb = [](const Access &access) {
    return access.isWrite() ? ", written at " : ", read at ";
  };
  text += verb(before) + getPlace(before.op->getLoc());
  text += verb(after) + getPlace(after.op->getLoc());
  return text;
}

namespace {
/// Places the barriers of one scope in one region of code.
class Placer {
public:
  /// `analyze` runs the analysis of the code with the given visitor.
  Placer(Level scope, function_ref<void(AccessFlow::Visitor)> analyze)
      : scope(scope), analyze(analyze) {}

  /// Returns how many barriers were placed.
  unsigned run();

private:
  bool hasConflict();

  Level scope;
  function_ref<void(AccessFlow::Visitor)> analyze;
  /// The statements with a barrier in front.
  llvm::SetVector<Operation *> guarded;
};
} // namespace

static bool conflicts(ArrayRef<Access> accesses, ArrayRef<Access> pending) {
  return llvm::any_of(pending, [&](const Access &before) {
    return llvm::any_of(accesses, [&](const Access &after) {
      return getHazard(before, after) != nullptr;
    });
  });
}

/// True when the barriers in `guarded` are not enough.
bool Placer::hasConflict() {
  bool found = false;
  analyze(
      [&](Operation *op, ArrayRef<Access> accesses, ArrayRef<Access> pending) {
        if (guarded.contains(op))
          return true;
        found |= conflicts(accesses, pending);
        return false;
      });
  return found;
}

unsigned Placer::run() {
  analyze(
      [&](Operation *op, ArrayRef<Access> accesses, ArrayRef<Access> pending) {
        if (!guarded.contains(op) && conflicts(accesses, pending))
          guarded.insert(op);
        return guarded.contains(op);
      });
  for (Operation *op : SmallVector<Operation *>(guarded.getArrayRef())) {
    guarded.remove(op);
    if (hasConflict())
      guarded.insert(op);
  }
  // The reasons of a barrier are the conflicts that there are without it. They
  // may show at another statement: a barrier in a loop also separates accesses
  // before it from accesses of the next iteration.
  llvm::MapVector<Operation *, llvm::SetVector<StringAttr>> reasons;
  for (Operation *op : SmallVector<Operation *>(guarded.getArrayRef())) {
    guarded.remove(op);
    analyze([&](Operation *other, ArrayRef<Access> accesses,
                ArrayRef<Access> pending) {
      if (guarded.contains(other))
        return true;
      for (const Access &before : pending)
        for (const Access &after : accesses)
          if (const char *hazard = getHazard(before, after))
            reasons[op].insert(StringAttr::get(
                op->getContext(), describe(hazard, before, after)));
      return false;
    });
    guarded.insert(op);
  }
  for (auto &[op, why] : reasons) {
    OpBuilder builder(op);
    BarrierOp::create(
        builder, op->getLoc(), scope,
        builder.getArrayAttr(SmallVector<Attribute>(why.begin(), why.end())));
  }
  return reasons.size();
}

namespace {
struct PlaceBarriers : obs::impl::ObsPlaceBarriersPassBase<PlaceBarriers> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    kernel.walk([&](scf::ForOp loop) {
      if (!isWarpLoop(loop))
        return;
      warpBarriers += Placer(Level::Warp, [&](AccessFlow::Visitor visit) {
                        AccessFlow(Level::Warp, /*withWarpArrays=*/true, visit)
                            .runWarpLoop(loop);
                      }).run();
    });
    blockBarriers += Placer(Level::Block, [&](AccessFlow::Visitor visit) {
                       Accesses pending;
                       AccessFlow(Level::Block, /*withWarpArrays=*/false, visit)
                           .run(kernel.getBody().front(), pending);
                     }).run();
  }
};
} // namespace
