//===- Meetings.cpp - Threads that reach the same element -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both accesses are evaluated for every iteration of their loops. An index is a
// number plus multiples of values that all threads agree on, so `s + t` and
// `s + (t ^ 1)` can be compared without knowing `s`. If that is not enough,
// loops around that have few iterations are evaluated for each. If there are
// too many iterations, or their number is not known, the algebra compares the
// index maps as a whole.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"

using namespace mlir;
using namespace mlir::obs;

/// True if the number of an iteration does not determine its thread.
static bool isByOwners(scf::ForallOp leaf) {
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  return distribution && distribution.getValue() == Distribution::Owners;
}

/// True for a loop over the warps of one block: each warp starts with its
/// number, in steps of the number of warps.
static bool isOfBlock(scf::ForOp warps) {
  auto map = getAttr<ObsDialect::MapAttrHelper>(warps);
  return map && map.getScope() == Level::Block &&
         warps.getLowerBound().getDefiningOp<WorkerIdOp>() &&
         warps.getStep().getDefiningOp<WorkerCountOp>();
}

/// True if a value of the iteration of `stale` may have changed since.
static bool isStale(Value value, Operation *stale) {
  return stale && stale->isAncestor(value.getParentRegion()->getParentOp());
}

static bool isStale(const IndexExpr &expr, const IndexRecognizer &recognizer,
                    Operation *stale) {
  return stale &&
         llvm::any_of(collectLeaves(expr, IndexExpr::Kind::Symbol),
                      [&](const IndexExpr &symbol) {
                        return isStale(recognizer.getValue(symbol.getId()),
                                       stale);
                      });
}

/// The counted loop whose iterations `symbol` counts; null if it is another
/// value.
static scf::ForOp getLoop(const IndexExpr &symbol,
                          const IndexRecognizer &recognizer) {
  auto argument = dyn_cast<BlockArgument>(recognizer.getValue(symbol.getId()));
  if (!argument)
    return {};
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  bool isCounter = loop && argument == loop.getInductionVar() &&
                   !hasAttr<ObsDialect::MapAttrHelper>(loop) &&
                   symbol.getDeclaredRange();
  return isCounter ? loop : scf::ForOp();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// The threads that reach an element, from each side.
struct ThreadSpans {
  WorkerSpan sides[2];

  std::optional<Level> getLevel() const {
    if (sides[0].last < 0 || sides[1].last < 0)
      return std::nullopt;
    WorkerSpan all = sides[0];
    all.add(sides[1]);
    return all.first == all.last                         ? Level::Thread
           : all.first / warpSize == all.last / warpSize ? Level::Warp
                                                         : Level::Block;
  }
};
} // namespace

namespace {
/// The comparison of the indices of a dimension: as numbers, or by the
/// remainder of a division if unknown multiples of `modulus` are added to them.
struct Comparison {
  unsigned dimension;
  /// 0: as numbers.
  int64_t modulus;

  int64_t getKey(ArrayRef<int64_t> element) const {
    int64_t index = element[dimension];
    return modulus ? llvm::mod(index, modulus) : index;
  }
};

/// The threads of the elements of a group, by the compared numbers. They are
/// in an array if the numbers are dense, as in most cases.
class SpanTable {
public:
  SpanTable(const ElementGroup &group, ArrayRef<Comparison> compared);

  /// The threads at `element`; null where the group has none.
  ThreadSpans *find(ArrayRef<int64_t> element);
  std::optional<Level> getLevel() const;

private:
  /// The place of `element` in the box of all elements of the group.
  std::optional<uint64_t> getPlace(ArrayRef<int64_t> element) const;

  ArrayRef<Comparison> compared;
  /// The least index and the extent of each dimension.
  SmallVector<std::pair<int64_t, uint64_t>, 2> box;
  std::vector<ThreadSpans> dense;
  std::map<SmallVector<int64_t, 2>, ThreadSpans> sparse;
  bool isDense = true;
};
} // namespace

static SmallVector<int64_t, 2> getKey(ArrayRef<int64_t> element,
                                      ArrayRef<Comparison> compared) {
  SmallVector<int64_t, 2> key;
  for (const Comparison &comparison : compared)
    key.push_back(comparison.getKey(element));
  return key;
}

SpanTable::SpanTable(const ElementGroup &group, ArrayRef<Comparison> compared)
    : compared(compared) {
  constexpr uint64_t maxPlaces = 1 << 16;
  uint64_t places = 1;
  for (const Comparison &comparison : compared) {
    int64_t min = std::numeric_limits<int64_t>::max();
    int64_t max = std::numeric_limits<int64_t>::min();
    for (ArrayRef<int64_t> element : llvm::make_first_range(group.elements)) {
      int64_t key = comparison.getKey(element);
      min = std::min(min, key);
      max = std::max(max, key);
    }
    uint64_t extent = uint64_t(max) - uint64_t(min) + 1;
    isDense &= extent != 0 && extent <= maxPlaces / places;
    if (!isDense)
      break;
    box.push_back({min, extent});
    places *= extent;
  }
  if (isDense)
    dense.resize(places);
  for (auto &[element, threads] : group.elements)
    (isDense ? dense[*getPlace(element)] : sparse[getKey(element, compared)])
        .sides[0]
        .add(threads);
}

std::optional<uint64_t> SpanTable::getPlace(ArrayRef<int64_t> element) const {
  uint64_t place = 0;
  for (auto [comparison, side] : llvm::zip_equal(compared, box)) {
    uint64_t index = uint64_t(comparison.getKey(element)) - side.first;
    if (index >= side.second)
      return std::nullopt;
    place = place * side.second + index;
  }
  return place;
}

ThreadSpans *SpanTable::find(ArrayRef<int64_t> element) {
  if (isDense) {
    std::optional<uint64_t> place = getPlace(element);
    return place ? &dense[*place] : nullptr;
  }
  auto found = sparse.find(getKey(element, compared));
  return found == sparse.end() ? nullptr : &found->second;
}

std::optional<Level> SpanTable::getLevel() const {
  std::optional<Level> level;
  auto join = [&](const ThreadSpans &threads) {
    if (std::optional<Level> here = threads.getLevel())
      level = std::max(level.value_or(*here), *here);
  };
  llvm::for_each(dense, join);
  llvm::for_each(llvm::make_second_range(sparse), join);
  return level;
}

/// The meeting level of two groups. They meet at elements at which all compared
/// values are equal.
static std::optional<Level> meetGroups(const ElementGroup &a,
                                       const ElementGroup &b,
                                       ArrayRef<Comparison> compared) {
  SpanTable spans(a, compared);
  for (auto &[element, threads] : b.elements)
    if (ThreadSpans *found = spans.find(element))
      found->sides[1].add(threads);
  return spans.getLevel();
}

/// A power of two of which the difference of `a` and `b` is an unknown
/// multiple; 0 if the difference is 0. Powers of two also divide numbers that
/// wrap.
int64_t Meetings::getModulus(const TermSum::Terms &a, const TermSum::Terms &b,
                             Operation *stale) const {
  SmallVector<std::pair<unsigned, int64_t>> difference;
  for (auto [term, count] : a)
    difference.push_back({term, count});
  for (auto [term, count] : b) {
    auto *same = llvm::find_if(difference, [&, term = term](auto &other) {
      return other.first == term &&
             !isStale(model.terms.getExpr(term), model.recognizer, stale);
    });
    if (same == difference.end())
      difference.push_back({term, count});
    else
      same->second = int64_t(uint64_t(same->second) - uint64_t(count));
  }
  uint64_t bits = 0;
  for (auto [term, count] : difference)
    bits |= count;
  if (bits == 0)
    return 0;
  // 2^63 would be negative.
  return int64_t(1) << std::min<unsigned>(62, llvm::countr_zero(bits));
}

/// The meeting level of two sets of elements. A uniform value of the loop
/// `stale` meant something else for `a`.
std::optional<Level> Meetings::meet(const ReachedElements &a,
                                    const ReachedElements &b, Operation *stale,
                                    Level worst) {
  std::optional<Level> level;
  for (const ElementGroup &left : a)
    for (const ElementGroup &right : b) {
      // Indices that cannot be compared can be equal.
      SmallVector<Comparison, 2> compared;
      for (unsigned d = 0; d < left.dimensions.size(); ++d)
        if (left.dimensions[d] && right.dimensions[d]) {
          int64_t modulus =
              getModulus(*left.dimensions[d], *right.dimensions[d], stale);
          if (modulus != 1)
            compared.push_back({d, modulus});
        }
      if (std::optional<Level> here = meetGroups(left, right, compared))
        level = std::max(level.value_or(*here), *here);
      if (level >= worst)
        return worst;
    }
  return level;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

/// Fixes the counters of loops that were in their last iteration; false if
/// these loops have no iterations.
bool Meetings::fixLastTurns(Access access, AccessEvaluator &evaluator) {
  if (!access.ended)
    return false;
  SmallVector<scf::ForOp> loops;
  for (Operation *op = access.warps  ? access.warps.getOperation()
                       : access.leaf ? access.leaf.getOperation()
                                     : access.op;
       op != access.ended;) {
    op = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
  }
  bool found = false;
  llvm::DenseMap<unsigned, int64_t> fixed;
  for (scf::ForOp loop : llvm::reverse(loops)) {
    IndexRecognizer &recognizer = model.recognizer;
    SymbolicEvaluator bounds({recognizer.get(loop.getLowerBound()),
                              recognizer.get(loop.getUpperBound()),
                              recognizer.get(loop.getStep())},
                             model.terms);
    for (auto [symbol, value] : fixed)
      bounds.fixSymbol(symbol, value);
    bounds.evaluate();
    std::optional<int64_t> from = bounds.getNumber(0), to = bounds.getNumber(1);
    std::optional<int64_t> step = bounds.getNumber(2);
    if (!from || !to || !step || *step <= 0 ||
        hasAttr<ObsDialect::MapAttrHelper>(loop) || *from >= *to)
      break;
    auto last = solveForSymbol(recognizer.get(loop.getInductionVar()),
                               *from + (*to - *from - 1) / *step * *step);
    if (!last)
      break;
    fixed.insert(*last);
    evaluator.fixSymbol(last->first, last->second);
    found = true;
  }
  return found;
}

std::optional<Level> Meetings::compare(const Access &before, const Side &first,
                                       const Side &second, Level worst) {
  if (!first.elements || !second.elements)
    return worst;
  return meet(*first.elements, *second.elements, before.stale, worst);
}

namespace {
/// A loop that is evaluated for each iteration, on one side or on both.
struct Variation {
  unsigned symbol;
  int64_t rounds;
  SmallVector<unsigned, 2> sides;
};
} // namespace

/// The level, with the surrounding loops evaluated for each of their
/// iterations. Both accesses are in the same iteration, unless a loop has
/// started another one in between.
std::optional<Level> Meetings::compareTurns(const Access &before,
                                            const Side &first,
                                            const Side &second, Level worst) {
  const Side *given[2] = {&first, &second};
  int64_t most = AccessEvaluator::maxEvaluations /
                 (first.evaluator.getCost() + second.evaluator.getCost() + 1);
  SmallVector<Variation> variations;
  int64_t combinations = 1;
  for (unsigned side = 0; side < 2; ++side)
    for (const IndexExpr &symbol : given[side]->evaluator.getSymbols()) {
      scf::ForOp loop = getLoop(symbol, model.recognizer);
      if (!loop ||
          (side == 0 && before.ended && before.ended->isAncestor(loop)))
        continue;
      auto *shared = llvm::find_if(variations, [&](const Variation &other) {
        return other.symbol == symbol.getId() &&
               !isStale(loop.getInductionVar(), before.stale);
      });
      if (shared != variations.end()) {
        shared->sides.push_back(side);
        continue;
      }
      int64_t rounds = symbol.getDeclaredRange()->max + 1;
      if (rounds > most / combinations)
        continue;
      combinations *= rounds;
      variations.push_back({symbol.getId(), rounds, {side}});
    }
  if (variations.empty())
    return worst;
  Side sides[2] = {first, second};
  bool varies[2] = {false, false};
  for (const Variation &variation : variations)
    for (unsigned side : variation.sides)
      varies[side] = true;
  std::optional<Level> all;
  SmallVector<int64_t> round(variations.size(), 0);
  while (true) {
    for (auto [variation, value] : llvm::zip_equal(variations, round))
      for (unsigned side : variation.sides)
        sides[side].evaluator.fixSymbol(variation.symbol, value);
    for (unsigned side = 0; side < 2; ++side)
      if (varies[side])
        sides[side].elements = sides[side].evaluator.getElements();
    if (std::optional<Level> one = compare(before, sides[0], sides[1], worst))
      all = std::max(all.value_or(*one), *one);
    if (all == worst)
      return worst;
    unsigned i = 0;
    while (i < round.size() && ++round[i] == variations[i].rounds)
      round[i++] = 0;
    if (i == round.size())
      return all;
  }
}

/// The level by the index maps as a whole.
std::optional<Level> Meetings::relateAccesses(const Access &before,
                                              const Access &after,
                                              Level worst) {
  if (!before.leaf || !after.leaf)
    return worst;
  bool isWarp = getLeafMap(before.leaf).getScope() == Level::Warp;
  if (isWarp != (getLeafMap(after.leaf).getScope() == Level::Warp))
    return worst;
  AccessEvaluator &first = getSide(before).evaluator;
  AccessEvaluator &second = getSide(after).evaluator;
  SmallVector<unsigned> independent;
  for (const IndexExpr &symbol : first.getSymbols())
    if (isStale(symbol, model.recognizer, before.stale))
      independent.push_back(symbol.getId());
  auto getLayout = [](scf::ForallOp leaf) {
    return isBlocked(leaf) ? IterationLayout::Blocked
                           : IterationLayout::Striped;
  };
  IndexMap a = first.getAddress(), b = second.getAddress();
  ThreadRelation relation = relate(
      {a, first.getIteration(), first.getCount(), getLayout(before.leaf)},
      {b, second.getIteration(), second.getCount(), getLayout(after.leaf)},
      isWarp ? warpSize : workers.threads, independent);
  switch (relation) {
  case ThreadRelation::Disjoint:
    return std::nullopt;
  case ThreadRelation::SameThread:
    return Level::Thread;
  case ThreadRelation::SameWarp:
    return std::min(worst, Level::Warp);
  case ThreadRelation::SameBlock:
    return worst;
  }
  llvm_unreachable("all relations are listed");
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

Meetings::Side &Meetings::getSide(const Access &access) {
  std::unique_ptr<Side> &side = sides[access.op];
  if (!side) {
    side = std::make_unique<Side>(Side{AccessEvaluator(access, model), {}});
    side->elements = side->evaluator.getElements();
  }
  return *side;
}

/// The access before, where the loop that has ended was in its last iteration.
Meetings::Side &Meetings::getLastTurn(const Access &access) {
  Side &anyTurn = getSide(access);
  if (!access.ended)
    return anyTurn;
  std::unique_ptr<Side> &side = lastTurns[{access.op, access.ended}];
  if (!side) {
    side = std::make_unique<Side>(anyTurn);
    if (fixLastTurns(access, side->evaluator))
      side->elements = side->evaluator.getElements();
  }
  return *side;
}

/// The level of one operation of each access.
std::optional<Level> Meetings::computePair(const Access &before,
                                           const Access &after, Level worst) {
  Side &second = getSide(after);
  Side &anyTurn = getSide(before);
  if (!anyTurn.elements || !second.elements) {
    // If there are few iterations, the first warp executes all of them.
    auto isNarrow = [](const Access &access, const Side &side) {
      std::optional<int64_t> most = side.evaluator.getMostIterations();
      return access.leaf && most && *most <= warpSize &&
             !isBlocked(access.leaf);
    };
    if (isNarrow(before, anyTurn) && isNarrow(after, second))
      worst = std::min(worst, Level::Warp);
    return relateAccesses(before, after, worst);
  }
  Side &first = getLastTurn(before);
  std::optional<Level> level = compare(before, first, second, worst);
  if (!level || *level == Level::Thread)
    return level;
  level = compareTurns(before, first, second, *level);
  // If the number of iterations is not known, only the algebra can use that it
  // is the same in both accesses.
  auto isOpen = [](const Side &side) {
    return !side.evaluator.getCount().getConstant();
  };
  bool areOpen = level && *level != Level::Thread && before.leaf &&
                 after.leaf && (isOpen(anyTurn) || isOpen(second));
  return areOpen ? relateAccesses(before, after, *level) : level;
}

std::optional<Level> Meetings::compute(const Access &before,
                                       const Access &after) {
  // Every thread runs the accesses that are not in a loop over threads.
  bool areLeaves = before.leaf && after.leaf;
  int64_t count = areLeaves ? workers.threads : workers.launched;
  Level worst = count == 1          ? Level::Thread
                : count <= warpSize ? Level::Warp
                                    : Level::Block;
  auto isKnown = [](const Access &access) {
    scf::ForallOp leaf = access.leaf ? access.leaf : access.warpLeaf;
    return getIndexedMemory(access.op).first && !(leaf && isByOwners(leaf)) &&
           (!access.warps || isOfBlock(access.warps));
  };
  if (worst == Level::Thread || !isKnown(before) || !isKnown(after))
    return worst;
  Group &from = getGroup(before), &to = getGroup(after);
  // Mostly no operation of one access meets one of the other. All pairs are
  // compared together, and separately if that is not enough.
  std::optional<Level> most = worst;
  if (from.elements && to.elements)
    most = meet(*from.elements, *to.elements, before.stale, worst);
  if (!most || *most == Level::Thread)
    return most;
  std::optional<Level> level;
  Access one = before, other = after;
  for (Operation *first : from.members)
    for (Operation *second : to.members) {
      one.op = first;
      other.op = second;
      if (std::optional<Level> here = computePair(one, other, worst))
        level = std::max(level.value_or(*here), *here);
      if (level >= most)
        return level;
    }
  return level;
}

/// Adds elements to a group with the same multiples of terms, if there is one.
static void addElements(const ReachedElements &some, ReachedElements &all) {
  for (const ElementGroup &group : some) {
    auto *same = llvm::find_if(all, [&](const ElementGroup &other) {
      return other.dimensions == group.dimensions;
    });
    if (same == all.end())
      all.push_back(group);
    else
      llvm::append_range(same->elements, group.elements);
  }
}

Meetings::Group &Meetings::getGroup(const Access &access) {
  std::unique_ptr<Group> &group = groups[access.op];
  if (group)
    return *group;
  group = std::make_unique<Group>();
  group->members = getMembers(access);
  group->representative = access.op;
  Value memory = getIndexedMemory(access.op).first;
  if (!memory)
    return *group;
  // Arrays of the parts of a tuple are accessed alike.
  SmallVector<const void *> key{access.op->getBlock()};
  for (int64_t extent : cast<MemRefType>(memory.getType()).getShape())
    key.push_back(reinterpret_cast<const void *>(extent));
  for (Operation *member : group->members)
    for (Value index : getIndexedMemory(member).second)
      key.push_back(index.getAsOpaquePointer());
  group->representative =
      representatives.try_emplace(std::move(key), access.op).first->second;
  group->elements.emplace();
  for (Operation *member : group->members) {
    Access one = access;
    one.op = member;
    if (!getSide(one).elements) {
      group->elements.reset();
      break;
    }
    addElements(*getSide(one).elements, *group->elements);
  }
  return *group;
}

std::optional<Level> Meetings::get(const Access &before, const Access &after) {
  // A thread that reads what blocks exchange comes after all that write.
  bool isGlobal = before.buffer && !getOwner(before.buffer);
  if (isGlobal &&
      (findArrival(before.op, after.op) || findArrival(after.op, before.op)))
    return std::nullopt;
  auto key = std::make_tuple(getGroup(before).representative,
                             getGroup(after).representative, before.stale,
                             before.ended);
  auto found = known.find(key);
  if (found == known.end())
    found = known.insert({key, compute(before, after)}).first;
  return found->second;
}
