//===- UniformReads.cpp - Reads of one address by a warp ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UniformReads.h"
#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/SymbolicEvaluator.h"
#include "OwnedArrays.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// True if the indices `exprs`, of iteration `iteration` of `leaf`, are the
/// same for all iterations that a warp runs in one step.
static bool isSameInSteps(ArrayRef<IndexExpr> exprs, unsigned iteration,
                          scf::ForallOp leaf, int64_t threads) {
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  std::optional<int64_t> extent = getIterations(leaf);
  if (!extent || uint64_t(*extent) > indexEnumerationBudget ||
      (distribution && distribution.getValue() == Distribution::Owners))
    return false;
  bool isWarp = getLeafMap(leaf).getScope() == Level::Warp;
  LeafSteps steps = LeafSteps::get(leaf, isWarp ? warpSize : threads);
  TermTable terms;
  SymbolicEvaluator evaluator(exprs, terms);
  SmallVector<std::optional<int64_t>> variables(iteration + 1);
  llvm::DenseMap<std::pair<int64_t, int64_t>, SmallVector<TermSum>> read;
  for (int64_t t = 0; t < *extent; ++t) {
    variables[iteration] = t;
    evaluator.evaluate(variables);
    SmallVector<TermSum> element;
    for (unsigned i = 0; i < exprs.size(); ++i) {
      ArrayRef<TermSum> values = evaluator.getValues(i);
      if (values.size() != 1)
        return false;
      element.push_back(values.front());
    }
    std::pair warp(steps.getStep(t), steps.getThread(t) / warpSize);
    auto [first, isNew] = read.try_emplace(warp, element);
    if (!isNew && first->second != element)
      return false;
  }
  return true;
}

bool obs::isUniformOverWarps(memref::LoadOp load, int64_t threads) {
  auto leaf = load->getParentOfType<scf::ForallOp>();
  if (!leaf || load.getIndices().empty())
    return true;
  IndexRecognizer recognizer;
  recognizer.addLeaf(leaf.getRegion());
  unsigned iteration =
      recognizer.addVariable(leaf.getInductionVar(0), getIterations(leaf));
  // Lanes that are in a loop are in the same iteration of it.
  SmallVector<scf::ForOp> loops;
  for (Operation *op = load->getParentOp(); op != leaf; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
  for (scf::ForOp loop : llvm::reverse(loops))
    recognizer.addRounds(loop);
  constexpr unsigned firstTurn = 1 << 20;
  SmallVector<IndexExpr> exprs;
  for (Value index : load.getIndices()) {
    IndexExpr expr = recognizer.get(index);
    if (expr.hasOpaque())
      return false;
    exprs.push_back(
        expr.substitute([&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
          if (leaf.getKind() != IndexExpr::Kind::Variable ||
              leaf.getId() == iteration)
            return std::nullopt;
          return IndexExpr::symbol(firstTurn + leaf.getId());
        }));
  }
  return llvm::none_of(exprs,
                       [](const IndexExpr &e) { return e.hasVariable(); }) ||
         isSameInSteps(exprs, iteration, leaf, threads);
}
