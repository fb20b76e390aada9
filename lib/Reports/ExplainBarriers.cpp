//===- ExplainBarriers.cpp - The reasons for every barrier ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSEXPLAINBARRIERSPASS
#include "Obsidian/Reports/Passes.h"

#include "Levels.h"

using namespace mlir;
using namespace mlir::obs;
namespace json = llvm::json;

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

/// A place as `getPlace` writes it, as an object.
static json::Value parsePlace(StringRef text) {
  auto [begin, column] = text.rsplit(':');
  auto [file, line] = begin.rsplit(':');
  unsigned lineNumber, columnNumber;
  if (line.getAsInteger(10, lineNumber) ||
      column.getAsInteger(10, columnNumber))
    return nullptr;
  return json::Object{{"file", json::fixUTF8(file)},
                      {"line", lineNumber},
                      {"column", columnNumber}};
}

/// A reason of `obs.barrier` as data: "read after write of the array at P,
/// written at P, read at P".
static json::Value parseReason(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ", ");
  auto [hazard, array] = parts.front().split(" of ");
  json::Array accesses;
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [verb, place] = part.split(" at ");
    accesses.push_back(
        json::Object{{"kind", verb}, {"location", parsePlace(place)}});
  }
  bool isArray = array.consume_front("the array at ");
  return json::Object{{"hazard", hazard},
                      {"array", isArray ? parsePlace(array) : nullptr},
                      {"accesses", std::move(accesses)},
                      {"text", json::fixUTF8(text)}};
}

static json::Value explain(KernelOp kernel) {
  unsigned counts[2] = {0, 0};
  json::Array barriers;
  kernel.walk([&](BarrierOp barrier) {
    bool isBlock = barrier.getScope() == Level::Block;
    ++counts[isBlock];
    InFlightDiagnostic remark = mlir::emitRemark(barrier.getLoc())
                                << "barrier of a "
                                << stringifyLevel(barrier.getScope());
    json::Array reasons;
    if (std::optional<ArrayAttr> why = barrier.getWhy())
      for (StringAttr reason : why->getAsRange<StringAttr>()) {
        remark.attachNote() << reason.getValue();
        reasons.push_back(parseReason(reason.getValue()));
      }
    barriers.push_back(
        json::Object{{"level", stringifyLevel(barrier.getScope())},
                     {"location", toJSON(barrier.getLoc())},
                     {"reasons", std::move(reasons)}});
  });
  mlir::emitRemark(kernel.getLoc())
      << "kernel '" << kernel.getSourceName()
      << "': " << countBarriers(counts[1], counts[0]);
  return json::Object{{"name", kernel.getSourceName()},
                      {"location", toJSON(kernel.getLoc())},
                      {"barriers", std::move(barriers)}};
}

FailureOr<json::Value> obs::explainBarriers(ModuleOp module,
                                            const ObsToGPUOptions &options) {
  FailureOr<OwningOpRef<ModuleOp>> levels = getLevels(module, options);
  if (failed(levels))
    return failure();
  json::Array kernels;
  for (KernelOp kernel : (*levels)->getOps<KernelOp>())
    kernels.push_back(explain(kernel));
  return makeReport(std::move(kernels));
}

namespace {
struct ExplainBarriers
    : obs::impl::ObsExplainBarriersPassBase<ExplainBarriers> {
  using ObsExplainBarriersPassBase::ObsExplainBarriersPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    addReportDialects(registry);
  }

  void runOnOperation() override {
    ObsToGPUOptions options;
    options.threads = threads;
    if (failed(explainBarriers(getOperation(), options)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
