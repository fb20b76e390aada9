//===- LeafIndices.cpp - Accesses of loops over threads -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

scf::ForOp obs::getOneTurn(scf::ForallOp leaf, int64_t threads) {
  auto isOfBlock = [](Operation *op) {
    auto map = op ? getAttr<ObsDialect::MapAttrHelper>(op) : MapAttr();
    return map && map.getScope() == Level::Block &&
           map.getUnit() == Level::Warp;
  };
  if (getLeafMap(leaf).getScope() != Level::Warp ||
      getIterations(leaf) != warpSize)
    return {};
  Operation *around = leaf->getParentOp();
  while (around && !isOfBlock(around))
    around = around->getParentOp();
  auto warps = dyn_cast_or_null<scf::ForOp>(around);
  std::optional<int64_t> count =
      warps ? getConstantIntValue(warps.getUpperBound()) : std::nullopt;
  return count && *count * warpSize <= threads &&
                 warps.getLowerBound().getDefiningOp<WorkerIdOp>()
             ? warps
             : scf::ForOp();
}

std::optional<SmallVector<int64_t>>
obs::evaluateIndices(scf::ForallOp leaf, ValueRange indices,
                     ArrayRef<int64_t> shape, scf::ForOp warps) {
  std::optional<int64_t> extent = getIterations(leaf);
  IndexRecognizer recognizer;
  int64_t numWarps = 1;
  if (warps) {
    numWarps = *getConstantIntValue(warps.getUpperBound());
    recognizer.addLeaf(warps.getRegion());
  }
  recognizer.addLeaf(leaf.getRegion());
  recognizer.addVariable(leaf.getInductionVar(0), *extent);
  if (warps)
    recognizer.addVariable(warps.getInductionVar(), numWarps);
  if (*extent > maxBlockElements / std::max<int64_t>(numWarps, 1))
    return std::nullopt;
  IndexExpr element = IndexExpr::constant(0);
  for (auto [index, size] : llvm::zip(indices, shape))
    element = element * IndexExpr::constant(size) + recognizer.get(index);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  IndexEvaluator evaluator(element);
  SmallVector<int64_t> elements;
  for (int64_t t = 0; t < numWarps * *extent; ++t) {
    // An index that depends on another variable has no value.
    int64_t numbers[] = {t % *extent, t / *extent};
    auto values = evaluator.evaluate(ArrayRef(numbers, warps ? 2 : 1));
    if (!values)
      return std::nullopt;
    int64_t value = values->front();
    elements.push_back(value >= 0 && value < count ? value : -1);
  }
  return elements;
}

bool obs::reachesOutside(Operation *access, scf::ForallOp leaf,
                         ArrayRef<int64_t> elements) {
  return access->getBlock() == leaf.getBody() &&
         !isa<scf::IfOp>(leaf->getParentOp()) &&
         llvm::is_contained(elements, -1);
}
