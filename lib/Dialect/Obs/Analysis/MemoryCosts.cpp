//===- MemoryCosts.cpp - Costs of the addresses of a warp -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/MemoryCosts.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <set>

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;

/// The value of `expr` where variable 0 is `iteration`.
static IndexExpr fixIteration(const IndexExpr &expr, int64_t iteration) {
  return expr.substitute(
      [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
        if (leaf.getKind() == Kind::Variable && leaf.getId() == 0)
          return IndexExpr::constant(iteration);
        return std::nullopt;
      });
}

namespace {
/// The iterations that one request is about, and how to evaluate them.
class Requests {
public:
  Requests(const IndexExpr &address, int64_t count, unsigned threads,
           IterationLayout layout, ArrayRef<IndexExpr> conditions)
      : address(getOwnPart(address)), count(count), threads(threads),
        layout(layout), conditions(conditions), evaluator(this->address) {}

  /// Calls `request` with the addresses, in elements, of the active lanes of
  /// each warp request; false if they are not known.
  bool forEach(llvm::function_ref<void(ArrayRef<int64_t>)> request);
  /// The addresses of the lanes that run `iterations`.
  std::optional<SmallVector<int64_t, 32>>
  getLanes(ArrayRef<int64_t> iterations);

private:
  /// `address` without the offset that moves all lanes alike.
  static IndexExpr getOwnPart(const IndexExpr &address);
  bool isActive(int64_t iteration) const;

  IndexExpr address;
  int64_t count;
  unsigned threads;
  IterationLayout layout;
  ArrayRef<IndexExpr> conditions;
  IndexEvaluator evaluator;
};
} // namespace

IndexExpr Requests::getOwnPart(const IndexExpr &address) {
  LinearForm form;
  LinearForm all = LinearForm::get(address);
  form.constant = all.constant;
  for (auto &[term, factor] : all.terms)
    if (!term.isUniform())
      form.add(term, factor);
  return form.toExpr();
}

bool Requests::isActive(int64_t iteration) const {
  return llvm::none_of(conditions, [&](const IndexExpr &condition) {
    std::optional<IndexRange> range =
        fixIteration(condition, iteration).getRange();
    return range && range->min == 0 && range->max == 0;
  });
}

std::optional<SmallVector<int64_t, 32>>
Requests::getLanes(ArrayRef<int64_t> iterations) {
  SmallVector<int64_t, 32> lanes;
  for (int64_t iteration : iterations) {
    std::optional<ArrayRef<int64_t>> value = evaluator.evaluate({iteration});
    if (!value)
      break;
    lanes.push_back(value->front());
  }
  if (lanes.size() == iterations.size())
    return lanes;
  // Unknown terms may be the same in all lanes of this request.
  lanes.clear();
  std::optional<LinearForm> first;
  for (int64_t iteration : iterations) {
    LinearForm form = LinearForm::get(fixIteration(address, iteration));
    if (!first)
      first = form;
    lanes.push_back(form.constant);
    form.add(*first, -1);
    if (!form.terms.empty())
      return std::nullopt;
  }
  return lanes;
}

bool Requests::forEach(llvm::function_ref<void(ArrayRef<int64_t>)> request) {
  if (uint64_t(count) > indexEnumerationBudget)
    return false;
  bool isStriped = layout == IterationLayout::Striped;
  int64_t steps = llvm::divideCeil(count, threads);
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t warp = 0; warp < threads; warp += warpSize) {
      SmallVector<int64_t, 32> iterations;
      for (int64_t worker = warp;
           worker < std::min<int64_t>(warp + warpSize, threads); ++worker) {
        int64_t iteration =
            isStriped ? step * threads + worker : worker * steps + step;
        if (iteration < count && isActive(iteration))
          iterations.push_back(iteration);
      }
      if (iterations.empty())
        continue;
      std::optional<SmallVector<int64_t, 32>> lanes = getLanes(iterations);
      if (!lanes)
        return false;
      request(*lanes);
    }
  return true;
}

/// The wavefronts of `words`: lanes that want one word share a wavefront.
static unsigned countWavefronts(SmallVector<int64_t, 64> words) {
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  std::array<unsigned, 32> wordsOfBank{};
  unsigned degree = 0;
  for (int64_t word : words)
    degree = std::max(degree, ++wordsOfBank[word & 31]);
  return degree;
}

/// The sum of the costs of all requests.
static std::optional<WarpCost>
addCosts(Requests requests,
         llvm::function_ref<unsigned(ArrayRef<int64_t>)> getCost) {
  WarpCost cost;
  bool known = requests.forEach([&](ArrayRef<int64_t> lanes) {
    unsigned own = getCost(lanes);
    cost.max = std::max(cost.max, own);
    cost.total += own;
    ++cost.requests;
    cost.lanes += lanes.size();
  });
  return known ? std::optional(cost) : std::nullopt;
}

std::optional<WarpCost>
mlir::obs::getBankConflicts(const IndexExpr &address, int64_t count,
                            unsigned threads, unsigned elementBytes,
                            IterationLayout layout,
                            ArrayRef<IndexExpr> conditions, unsigned width) {
  unsigned bytes = elementBytes * width;
  unsigned lanesOfPhase = warpSize / std::max(1u, bytes / 4);
  return addCosts(
      {address, count, threads, layout, conditions},
      [&](ArrayRef<int64_t> lanes) {
        unsigned wavefronts = 0;
        for (unsigned first = 0; first < lanes.size(); first += lanesOfPhase) {
          SmallVector<int64_t, 64> words;
          for (int64_t lane : lanes.slice(
                   first, std::min<size_t>(lanesOfPhase, lanes.size() - first)))
            for (unsigned byte = 0; byte < bytes; byte += 4)
              words.push_back(llvm::divideFloorSigned(
                  lane * int64_t(elementBytes) + byte, int64_t(4)));
          wavefronts += countWavefronts(std::move(words));
        }
        return wavefronts;
      });
}

std::optional<WarpCost>
mlir::obs::getSectors(const IndexExpr &address, int64_t count, unsigned threads,
                      unsigned elementBytes, IterationLayout layout,
                      ArrayRef<IndexExpr> conditions, unsigned width) {
  return addCosts({address, count, threads, layout, conditions},
                  [&](ArrayRef<int64_t> lanes) {
                    std::set<int64_t> sectors;
                    for (int64_t lane : lanes)
                      for (unsigned byte = 0; byte < elementBytes * width;
                           ++byte)
                        sectors.insert(llvm::divideFloorSigned(
                            lane * int64_t(elementBytes) + byte, int64_t(32)));
                    return sectors.size();
                  });
}

std::optional<Neighbours> mlir::obs::getNeighbours(const IndexExpr &address,
                                                   int64_t count,
                                                   int64_t items) {
  if (uint64_t(count) > indexEnumerationBudget)
    return std::nullopt;
  Requests requests(address, count, items, IterationLayout::Striped, {});
  std::optional<Neighbours> all;
  for (int64_t first = 0; first + items <= count; first += items) {
    SmallVector<int64_t> iterations;
    for (int64_t item = 0; item < items; ++item)
      iterations.push_back(first + item);
    auto elements = requests.getLanes(iterations);
    if (!elements)
      return std::nullopt;
    // In another order, they are joined only if more is known about addresses.
    bool isEven = llvm::is_sorted(*elements) &&
                  elements->back() - elements->front() < items;
    Neighbours found = !isEven ? Neighbours::Apart
                       : elements->front() == elements->back()
                           ? Neighbours::Same
                       : elements->front() % items == 0 ? Neighbours::Joined
                                                        : Neighbours::Unaligned;
    if (all && *all != found)
      return Neighbours::Apart;
    all = found;
  }
  return all;
}
