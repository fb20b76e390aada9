//===- ExplainBarriers.cpp - The reasons for every barrier ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Levels.h"
#include "Obsidian/Reports/Passes.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSEXPLAINBARRIERSPASS
#include "Obsidian/Reports/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// "2 barriers of a block, 1 barrier of a warp".
static std::string countBarriers(unsigned block, unsigned warp) {
  std::string text;
  auto append = [&](unsigned count, StringRef level) {
    if (count == 0)
      return;
    text += text.empty() ? "" : ", ";
    text += std::to_string(count) + (count == 1 ? " barrier" : " barriers") +
            " of a " + level.str();
  };
  append(block, "block");
  append(warp, "warp");
  return text.empty() ? "no barrier" : text;
}

static void explain(KernelOp kernel) {
  unsigned counts[2] = {0, 0};
  kernel.walk([&](BarrierOp barrier) {
    bool isBlock = barrier.getScope() == Level::Block;
    ++counts[isBlock];
    InFlightDiagnostic remark = mlir::emitRemark(barrier.getLoc())
                                << "barrier of a "
                                << stringifyLevel(barrier.getScope());
    if (std::optional<ArrayAttr> why = barrier.getWhy())
      for (StringAttr reason : why->getAsRange<StringAttr>())
        remark.attachNote() << reason.getValue();
  });
  mlir::emitRemark(kernel.getLoc())
      << "kernel '" << getEntryName(kernel)
      << "': " << countBarriers(counts[1], counts[0]);
}

namespace {
struct ExplainBarriers
    : obs::impl::ObsExplainBarriersPassBase<ExplainBarriers> {
  using ObsExplainBarriersPassBase::ObsExplainBarriersPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    addLevelDialects(registry);
  }

  void runOnOperation() override {
    FailureOr<OwningOpRef<ModuleOp>> levels =
        getLevels(getOperation(), threads);
    if (failed(levels))
      return signalPassFailure();
    for (KernelOp kernel : (*levels)->getOps<KernelOp>())
      explain(kernel);
    markAllAnalysesPreserved();
  }
};
} // namespace
