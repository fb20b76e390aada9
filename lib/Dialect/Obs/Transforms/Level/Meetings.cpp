//===- Meetings.cpp - Which threads reach the same element ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both accesses are evaluated for every iteration of their loops. An index is a
// number plus multiples of values that all threads agree on, so `s + t` and
// `s + (t ^ 1)` can be compared without knowing `s`. Where that is not enough,
// loops around that have few iterations are evaluated for each. What cannot be
// evaluated may be any element.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"
#include "Bounds.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// Evaluations that one question may take: far more than two passes over the
/// largest block.
static constexpr int64_t maxEvaluations = 1 << 18;

namespace {
/// A number plus multiples of uniform values, in the order of their addresses.
struct Sum {
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>, 2> terms;

  bool isConstant() const { return terms.empty(); }
};

/// The iterations of a loop that is evaluated for each of them.
struct Counter {
  Value variable;
  int64_t first, step, count;
};

/// Evaluates indices of one access.
class Side {
public:
  explicit Side(const Access &access)
      : op(access.op), leaf(access.leaf ? access.leaf : access.warpLeaf),
        warps(access.warps), ended(access.ended) {}

  /// Finds out what to iterate over; false if the loops of the access are not
  /// known.
  bool initialize();
  /// Counted loops around the leaf whose variables the indices depend on.
  SmallVector<Counter> getOuterCounters();
  /// Fixes the variables of loops that were in their last turn.
  void fixLastTurns();
  /// Calls `visit` with the iteration of the leaf and the indices, for each
  /// time that the access runs; false if they are not known.
  bool forEach(function_ref<bool(int64_t, ArrayRef<Sum>)> visit);
  /// Evaluations that forEach takes.
  int64_t getCost() const { return cost; }
  scf::ForallOp getLeaf() const { return leaf; }
  /// The iteration of the loop over warps, 0 without one.
  int64_t getWarp() {
    return warps ? fixed.lookup(warps.getInductionVar()) : 0;
  }

  llvm::DenseMap<Value, int64_t> fixed;

private:
  bool initializeWarps();
  std::optional<int64_t> getBound(Value number, OpFoldResult bound) const;
  /// What differs from thread to thread is in here.
  Operation *getDivergent() {
    return warps ? warps.getOperation() : leaf.getOperation();
  }
  bool visitPoints(ArrayRef<Value> indices, SmallVector<Sum> &point,
                   function_ref<bool()> visit);
  std::optional<Sum> evaluate(Value value);
  std::optional<Sum> evaluateOp(Operation *op, unsigned number);
  std::optional<Sum> symbol(Value value) { return Sum{0, {{value, 1}}}; }

  Operation *op;
  scf::ForallOp leaf;
  scf::ForOp warps;
  Operation *ended;
  /// The leaf has at most this many iterations.
  int64_t extent = 0;
  SmallVector<Value> indices;
  SmallVector<Counter> inner;
  /// Conditions in the leaf under which the access runs, and what they must be.
  SmallVector<std::pair<Value, bool>> guards;
  int64_t cost = 0;
  llvm::DenseMap<Value, std::optional<Sum>> memo;
};
} // namespace

static Sum add(const Sum &a, const Sum &b, int64_t factor) {
  Sum sum = a;
  sum.constant += factor * b.constant;
  for (auto [value, count] : b.terms) {
    auto *found = llvm::find_if(sum.terms, [&, value = value](auto &term) {
      return term.first == value;
    });
    if (found == sum.terms.end())
      sum.terms.push_back({value, factor * count});
    else if ((found->second += factor * count) == 0)
      sum.terms.erase(found);
  }
  llvm::sort(sum.terms, [](auto &x, auto &y) {
    return x.first.getAsOpaquePointer() < y.first.getAsOpaquePointer();
  });
  return sum;
}

static std::optional<Counter> getCounter(scf::ForOp loop) {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step <= 0 || loop->hasAttr("obs.map"))
    return std::nullopt;
  int64_t count = *to > *from ? llvm::divideCeil(*to - *from, *step) : 0;
  return Counter{loop.getInductionVar(), *from, *step, count};
}

/// True if each thread runs iterations that follow each other.
static bool isBlocked(scf::ForallOp leaf) {
  auto distribution = leaf->getAttrOfType<DistributionAttr>("obs.distribution");
  return distribution && distribution.getValue() == Distribution::Blocked;
}

bool Side::initialize() {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = llvm::to_vector(load.getIndices());
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = llvm::to_vector(store.getIndices());
  else
    return false;
  std::optional<int64_t> iterations =
      getBound(leaf.getInductionVar(0), leaf.getMixedUpperBound()[0]);
  if (!iterations ||
      (isBlocked(leaf) && !getConstantIntValue(leaf.getMixedUpperBound()[0])))
    return false;
  cost = extent = *iterations;
  Operation *child = op;
  for (Operation *parent = op->getParentOp(); parent != leaf;
       child = parent, parent = parent->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      guards.push_back(
          {branch.getCondition(),
           branch.getThenRegion().isAncestor(child->getParentRegion())});
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    std::optional<Counter> counter =
        loop ? getCounter(loop) : std::optional<Counter>();
    if (!counter)
      return false;
    inner.push_back(*counter);
    cost *= std::max<int64_t>(1, counter->count);
  }
  return cost <= maxEvaluations && (!warps || initializeWarps());
}

void Side::fixLastTurns() {
  if (!ended)
    return;
  SmallVector<scf::ForOp> loops;
  for (Operation *op = leaf; op != ended;) {
    op = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
  }
  for (scf::ForOp loop : llvm::reverse(loops)) {
    std::optional<Sum> from = evaluate(loop.getLowerBound());
    std::optional<Sum> to = evaluate(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!from || !to || !step || *step <= 0 || loop->hasAttr("obs.map") ||
        !from->isConstant() || !to->isConstant() ||
        from->constant >= to->constant)
      return;
    int64_t turns = (to->constant - from->constant - 1) / *step;
    fixed[loop.getInductionVar()] = from->constant + turns * *step;
    memo.clear();
  }
}

/// The loop over warps is evaluated as a loop around the leaf; loops in between
/// where they are counted. Values of others are not known.
bool Side::initializeWarps() {
  for (Operation *child = leaf, *parent = leaf->getParentOp(); parent != warps;
       child = parent, parent = parent->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      guards.push_back(
          {branch.getCondition(),
           branch.getThenRegion().isAncestor(child->getParentRegion())});
    else if (auto loop = dyn_cast<scf::ForOp>(parent))
      if (std::optional<Counter> counter = getCounter(loop)) {
        inner.push_back(*counter);
        cost *= std::max<int64_t>(1, counter->count);
      }
  }
  std::optional<int64_t> count =
      getBound(warps.getInductionVar(), warps.getUpperBound());
  // Iteration i is of warp i mod W: a warp starts with its number, in steps of
  // the number of warps.
  if (!count || !warps.getLowerBound().getDefiningOp<WorkerIdOp>() ||
      !warps.getStep().getDefiningOp<WorkerCountOp>())
    return false;
  inner.push_back({warps.getInductionVar(), 0, 1, *count});
  cost *= std::max<int64_t>(1, *count);
  return cost <= maxEvaluations;
}

/// How many iterations a loop has at most, by its bound or because its number
/// is an index: at run time no index is outside of the array.
std::optional<int64_t> Side::getBound(Value number, OpFoldResult bound) const {
  if (std::optional<int64_t> count = getConstantIntValue(bound))
    return count;
  if (std::optional<int64_t> most = getBounds(cast<Value>(bound)).max)
    return std::max<int64_t>(0, *most);
  auto type =
      cast<MemRefType>(op->getOperand(isa<memref::StoreOp>(op)).getType());
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
    if (index == number && !ShapedType::isDynamic(size))
      return size;
  return std::nullopt;
}

SmallVector<Counter> Side::getOuterCounters() {
  llvm::SetVector<Value> slice;
  slice.insert_range(indices);
  if (auto bound = dyn_cast<Value>(leaf.getMixedUpperBound()[0]))
    slice.insert(bound);
  for (auto [condition, wanted] : guards)
    slice.insert(condition);
  SmallVector<Counter> counters;
  for (unsigned i = 0; i < slice.size(); ++i) {
    Value value = slice.getArrayRef()[i];
    if (Operation *op = value.getDefiningOp()) {
      slice.insert_range(op->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar() ||
        getDivergent()->isAncestor(loop) || fixed.contains(argument))
      continue;
    if (std::optional<Counter> counter = getCounter(loop))
      counters.push_back(*counter);
  }
  return counters;
}

std::optional<Sum> Side::evaluateOp(Operation *op, unsigned number) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<Sum> condition = evaluate(branch.getCondition());
    if (!condition || !condition->isConstant())
      return std::nullopt;
    Block *arm = condition->constant ? branch.thenBlock() : branch.elseBlock();
    return evaluate(arm->getTerminator()->getOperand(number));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<Sum> condition = evaluate(select.getCondition());
    if (!condition || !condition->isConstant())
      return std::nullopt;
    return evaluate(condition->constant ? select.getTrueValue()
                                        : select.getFalseValue());
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
          arith::ExtSIOp>(op))
    return evaluate(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Sum> a = evaluate(op->getOperand(0));
  std::optional<Sum> b = evaluate(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return add(*a, *b, 1);
  if (isa<arith::SubIOp>(op))
    return add(*a, *b, -1);
  if (isa<arith::MulIOp>(op) && a->isConstant())
    return add(Sum(), *b, a->constant);
  if (isa<arith::MulIOp>(op) && b->isConstant())
    return add(Sum(), *a, b->constant);
  if (!a->isConstant() || !b->isConstant())
    return std::nullopt;
  int64_t x = a->constant, y = b->constant;
  uint64_t ux = x, uy = y;
  bool isShift = uy < 64;
  auto number64 = [](int64_t value) { return Sum{value, {}}; };
  if (isa<arith::AndIOp>(op))
    return number64(x & y);
  if (isa<arith::OrIOp>(op))
    return number64(x | y);
  if (isa<arith::XOrIOp>(op))
    return number64(x ^ y);
  if (isa<arith::ShLIOp>(op) && isShift)
    return number64(ux << uy);
  // Indices are not negative where they are used; what is, is not evaluated.
  if (x < 0 || y < 0)
    if (!isa<arith::CmpIOp>(op))
      return std::nullopt;
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op) && isShift)
    return number64(ux >> uy);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && y != 0)
    return number64(x / y);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && y != 0)
    return number64(x % y);
  if (isa<arith::MinUIOp, arith::MinSIOp>(op))
    return number64(std::min(x, y));
  if (isa<arith::MaxUIOp, arith::MaxSIOp>(op))
    return number64(std::max(x, y));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return number64(arith::applyCmpPredicate(compare.getPredicate(),
                                             APInt(64, ux), APInt(64, uy)));
  return std::nullopt;
}

std::optional<Sum> Side::evaluate(Value value) {
  if (auto found = fixed.find(value); found != fixed.end())
    return Sum{found->second, {}};
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Sum{*constant, {}};
  if (auto found = memo.find(value); found != memo.end())
    return found->second;
  bool isUniform =
      !getDivergent()->isAncestor(value.getParentRegion()->getParentOp());
  std::optional<Sum> result;
  // Narrow arithmetic wraps around elsewhere.
  Type type = value.getType();
  bool isWide = type.isIndex() || type.isInteger(64) || type.isInteger(1);
  if (Operation *op = value.getDefiningOp();
      op && isWide && isMemoryEffectFree(op))
    result = evaluateOp(op, cast<OpResult>(value).getResultNumber());
  if (!result && isUniform)
    result = symbol(value);
  return memo[value] = result;
}

/// Calls `visit` with `point` set to each value that the indices can have: both
/// of a choice that cannot be evaluated. False if they are not known.
bool Side::visitPoints(ArrayRef<Value> indices, SmallVector<Sum> &point,
                       function_ref<bool()> visit) {
  if (indices.empty())
    return visit();
  auto go = [&](Sum value) {
    point.push_back(std::move(value));
    bool goesOn = visitPoints(indices.drop_front(), point, visit);
    point.pop_back();
    return goesOn;
  };
  if (std::optional<Sum> value = evaluate(indices.front()))
    return go(*value);
  auto choice = indices.front().getDefiningOp<arith::SelectOp>();
  if (!choice)
    return false;
  for (Value arm : {choice.getTrueValue(), choice.getFalseValue()}) {
    std::optional<Sum> value = evaluate(arm);
    if (!value || !go(*value))
      return false;
  }
  return true;
}

bool Side::forEach(function_ref<bool(int64_t, ArrayRef<Sum>)> visit) {
  Value iteration = leaf.getInductionVar(0);
  std::function<bool(int64_t, unsigned)> run = [&](int64_t t, unsigned depth) {
    if (depth < inner.size()) {
      const Counter &counter = inner[depth];
      for (int64_t i = 0; i < counter.count; ++i) {
        fixed[counter.variable] = counter.first + i * counter.step;
        if (!run(t, depth + 1))
          return false;
      }
      return true;
    }
    memo.clear();
    for (auto [condition, wanted] : guards) {
      std::optional<Sum> value = evaluate(condition);
      if (value && value->isConstant() && (value->constant != 0) != wanted)
        return true;
    }
    SmallVector<Sum> point;
    return visitPoints(indices, point, [&] { return visit(t, point); });
  };
  memo.clear();
  int64_t iterations = extent;
  if (auto bound = dyn_cast<Value>(leaf.getMixedUpperBound()[0]))
    if (std::optional<Sum> count = evaluate(bound);
        count && count->isConstant())
      iterations = std::min(iterations, count->constant);
  for (int64_t t = 0; t < iterations; ++t) {
    fixed[iteration] = t;
    if (!run(t, 0))
      return false;
  }
  return true;
}

/// True if not the number of an iteration says which thread runs it.
static bool isByOwners(scf::ForallOp leaf) {
  auto distribution = leaf->getAttrOfType<DistributionAttr>("obs.distribution");
  return distribution && distribution.getValue() == Distribution::Owners;
}

/// True for a loop that is spread over the warps of one block.
static bool isOfBlock(scf::ForOp warps) {
  auto map = warps->getAttrOfType<MapAttr>("obs.map");
  return map && map.getScope() == Level::Block;
}

/// The thread that runs iteration `t` of `leaf`, on warp `warp` of those that a
/// loop over warps is spread over.
static int64_t getWorker(scf::ForallOp leaf, int64_t t, int64_t warp,
                         Workers workers) {
  bool isWarp = getLeafMap(leaf).getScope() == Level::Warp;
  int64_t threads = isWarp ? warpSize : workers.threads;
  int64_t first =
      isWarp ? warp % llvm::divideCeil(workers.launched, warpSize) * warpSize
             : 0;
  if (!isBlocked(leaf))
    return first + t % threads;
  int64_t extent = *getConstantIntValue(leaf.getMixedUpperBound()[0]);
  return first + t / std::max<int64_t>(1, llvm::divideCeil(extent, threads));
}

namespace {
/// The elements that one access reaches, and by which threads.
struct Reached {
  SmallVector<std::pair<SmallVector<int64_t, 3>, int64_t>> elements;
  /// The uniform part of each index, where it is the same for all threads.
  SmallVector<std::optional<SmallVector<std::pair<Value, int64_t>, 2>>> uniform;
};
} // namespace

static bool reach(Side &side, Workers workers, Reached &reached) {
  scf::ForallOp leaf = side.getLeaf();
  return side.forEach([&](int64_t t, ArrayRef<Sum> point) {
    bool isFirst = reached.elements.empty();
    SmallVector<int64_t, 3> constants;
    for (auto [d, index] : llvm::enumerate(point)) {
      constants.push_back(index.constant);
      if (isFirst)
        reached.uniform.push_back(index.terms);
      else if (reached.uniform[d] && *reached.uniform[d] != index.terms)
        reached.uniform[d] = std::nullopt;
    }
    reached.elements.push_back(
        {constants, getWorker(leaf, t, side.getWarp(), workers)});
    return true;
  });
}

/// The meeting level of two sets of elements. A uniform value of the loop
/// `stale` meant something else for `a`.
static std::optional<Level> meet(const Reached &a, const Reached &b,
                                 Operation *stale) {
  if (a.elements.empty() || b.elements.empty())
    return std::nullopt;
  auto isStale = [&](Value value) {
    return stale && stale->isAncestor(value.getParentRegion()->getParentOp());
  };
  // Indices that cannot be compared can be equal.
  SmallVector<unsigned> compared;
  for (unsigned d = 0; d < a.uniform.size(); ++d)
    if (a.uniform[d] && b.uniform[d] && *a.uniform[d] == *b.uniform[d] &&
        llvm::none_of(*a.uniform[d],
                      [&](auto &term) { return isStale(term.first); }))
      compared.push_back(d);
  auto getKey = [&](ArrayRef<int64_t> element) {
    SmallVector<int64_t, 3> key;
    for (unsigned d : compared)
      key.push_back(element[d]);
    return key;
  };
  std::map<SmallVector<int64_t, 3>, llvm::SmallSetVector<int64_t, 4>> threads;
  for (auto &[element, worker] : a.elements)
    threads[getKey(element)].insert(worker);
  std::optional<Level> level;
  for (auto &[element, worker] : b.elements) {
    auto found = threads.find(getKey(element));
    if (found == threads.end())
      continue;
    for (int64_t other : found->second) {
      Level own = other == worker                         ? Level::Thread
                  : other / warpSize == worker / warpSize ? Level::Warp
                                                          : Level::Block;
      level = std::max(level.value_or(own), own);
      if (level == Level::Block)
        return level;
    }
  }
  return level;
}

namespace {
/// A loop that is evaluated for each iteration, on one side or on both.
struct Variation {
  Counter counter;
  SmallVector<Side *, 2> sides;
};
} // namespace

/// Calls `visit` for every combination of iterations; it stops them by false.
static bool forEachIteration(ArrayRef<Variation> variations,
                             function_ref<bool()> visit) {
  if (variations.empty())
    return visit();
  const Variation &first = variations.front();
  for (int64_t i = 0; i < first.counter.count; ++i) {
    for (Side *side : first.sides)
      side->fixed[first.counter.variable] =
          first.counter.first + i * first.counter.step;
    if (!forEachIteration(variations.drop_front(), visit))
      return false;
  }
  return true;
}

std::optional<Level> Meetings::compute(const Access &before,
                                       const Access &after) {
  // What is not in a loop over threads, every thread does.
  bool areLeaves = before.leaf && after.leaf;
  int64_t count = areLeaves ? workers.threads : workers.launched;
  Level worst = count == 1          ? Level::Thread
                : count <= warpSize ? Level::Warp
                                    : Level::Block;
  auto isKnown = [](const Access &access) {
    scf::ForallOp leaf = access.leaf ? access.leaf : access.warpLeaf;
    return leaf && !isByOwners(leaf) &&
           (!access.warps || isOfBlock(access.warps));
  };
  if (worst == Level::Thread || !isKnown(before) || !isKnown(after))
    return worst;
  // Few iterations are all of the first warp, whatever they access.
  auto getWidth = [&](scf::ForallOp leaf) -> int64_t {
    std::optional<int64_t> extent =
        leaf ? getConstantIntValue(leaf.getMixedUpperBound()[0]) : std::nullopt;
    return extent && !isBlocked(leaf) ? *extent : workers.launched;
  };
  if (std::max(getWidth(before.leaf), getWidth(after.leaf)) <= warpSize)
    worst = std::min(worst, Level::Warp);
  Side first(before), second(after);
  if (!first.initialize() || !second.initialize())
    return worst;
  first.fixLastTurns();
  auto compare = [&]() -> std::optional<Level> {
    Reached a, b;
    if (!reach(first, workers, a) || !reach(second, workers, b))
      return worst;
    std::optional<Level> level = meet(a, b, before.stale);
    return level ? std::min(*level, worst) : level;
  };
  std::optional<Level> level = compare();
  if (!level || *level == Level::Thread)
    return level;

  // With the loops around for each of their iterations: the same one for both
  // accesses, unless a loop has gone on in between.
  SmallVector<Variation> variations;
  int64_t combinations = 1;
  auto collect = [&](Side &side) {
    for (Counter counter : side.getOuterCounters()) {
      Operation *loop = counter.variable.getParentBlock()->getParentOp();
      bool isStale = before.stale && before.stale->isAncestor(loop);
      auto *shared = llvm::find_if(variations, [&](const Variation &other) {
        return !isStale && other.counter.variable == counter.variable;
      });
      if (shared != variations.end()) {
        shared->sides.push_back(&side);
        continue;
      }
      variations.push_back({counter, {&side}});
      combinations *= std::max<int64_t>(1, counter.count);
      if (combinations > maxEvaluations)
        return;
    }
  };
  collect(first);
  collect(second);
  if (variations.empty() ||
      combinations > maxEvaluations / (first.getCost() + second.getCost() + 1))
    return level;
  std::optional<Level> all;
  forEachIteration(variations, [&] {
    if (std::optional<Level> one = compare())
      all = std::max(all.value_or(*one), *one);
    return all != worst;
  });
  return all;
}

/// The first operation that accesses some array at the same indices, in the
/// same block: arrays of the parts of a tuple are accessed alike.
Operation *Meetings::getRepresentative(Operation *op) {
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = load.getIndices();
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = store.getIndices();
  else
    return op;
  auto type =
      cast<MemRefType>(op->getOperand(isa<memref::StoreOp>(op)).getType());
  SmallVector<const void *> key{op->getBlock()};
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape())) {
    key.push_back(index.getAsOpaquePointer());
    key.push_back(reinterpret_cast<const void *>(size));
  }
  return representatives.try_emplace(std::move(key), op).first->second;
}

std::optional<Level> Meetings::get(const Access &before, const Access &after) {
  auto key =
      std::make_tuple(getRepresentative(before.op), getRepresentative(after.op),
                      before.stale, before.ended);
  auto found = known.find(key);
  if (found == known.end())
    found = known.insert({key, compute(before, after)}).first;
  return found->second;
}
