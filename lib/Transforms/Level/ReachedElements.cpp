//===- ReachedElements.cpp - The elements that an access reaches ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReachedElements.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

bool obs::isBlocked(scf::ForallOp leaf) {
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  return distribution && distribution.getValue() == Distribution::Blocked;
}

static IndexExpr number(int64_t value) { return IndexExpr::constant(value); }

/// The number of iterations of a leaf.
static IndexExpr getCountOf(OpFoldResult bound, IndexRecognizer &recognizer) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return number(*constant);
  return recognizer.get(cast<Value>(bound));
}

/// Most iterations of a loop from 0 to `bound`.
static std::optional<int64_t> getMost(OpFoldResult bound) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return std::max<int64_t>(0, *constant);
  int64_t most = getUniformRange(cast<Value>(bound)).max;
  return most < IndexRecognizer::maxExtent
             ? std::optional(std::max<int64_t>(0, most))
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

void LeafLimits::collect(Operation *op) {
  if (std::exchange(isCollected, true))
    return;
  op->getParentOfType<KernelOp>().walk([&](scf::ForallOp leaf) {
    auto count = dyn_cast<Value>(leaf.getMixedUpperBound()[0]);
    if (!count)
      return;
    std::optional<int64_t> limit;
    for (Operation &op : *leaf.getBody()) {
      auto [memory, indices] = getIndexedMemory(&op);
      if (!memory)
        continue;
      for (auto [index, size] : llvm::zip_equal(
               indices, cast<MemRefType>(memory.getType()).getShape()))
        if (index == leaf.getInductionVar(0) && !ShapedType::isDynamic(size))
          limit = std::min(size, limit.value_or(size));
    }
    if (limit)
      limits[count].push_back({leaf, *limit});
  });
}

std::optional<int64_t> LeafLimits::get(scf::ForallOp leaf) {
  collect(leaf);
  std::optional<int64_t> limit;
  auto count = dyn_cast<Value>(leaf.getMixedUpperBound()[0]);
  auto found = count ? limits.find(count) : limits.end();
  if (found == limits.end())
    return limit;
  for (auto [other, least] : found->second)
    if (other->getBlock()->findAncestorOpInBlock(*leaf) &&
        other.getMapping() == leaf.getMapping() &&
        getAttr<ObsDialect::DistributionAttrHelper>(other) ==
            getAttr<ObsDialect::DistributionAttrHelper>(leaf))
      limit = std::min(least, limit.value_or(least));
  return limit;
}

std::optional<int64_t> LeafLimits::getMost(Value bound, scf::ForOp loop) {
  collect(loop);
  IndexRecognizer recognizer;
  recognizer.preferRanges();
  for (auto &[count, leaves] : limits) {
    int64_t most = IndexRecognizer::maxExtent;
    for (auto [leaf, limit] : leaves)
      if (leaf->getBlock()->findAncestorOpInBlock(*loop))
        most = std::min(most, limit);
    // A leaf over a negative number has no iterations.
    if (most < IndexRecognizer::maxExtent)
      recognizer.setRange(count,
                          {std::min(getUniformRange(count).min, most), most});
  }
  std::optional<IndexRange> range = recognizer.get(bound).getRange();
  return range && range->max < IndexRecognizer::maxExtent
             ? std::optional(std::max<int64_t>(0, range->max))
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The maximum number of values of an index that depends on data, and of the
/// points with such an index.
static constexpr int64_t maxBounded = 2 * warpSize;
static constexpr int64_t maxBoundedPoints =
    AccessEvaluator::maxEvaluations / maxBounded;

/// The possible values of `index`, even if it depends on data, if they are few
/// and fewer than `size`; otherwise empty.
static SmallVector<TermSum, 0> getFewNumbers(const IndexExpr &index,
                                             int64_t size) {
  SmallVector<TermSum, 0> numbers;
  std::optional<IndexRange> range = index.getRange();
  if (!range || ShapedType::isDynamic(size))
    return numbers;
  int64_t first = std::max<int64_t>(range->min, 0);
  int64_t last = std::min(range->max, size - 1);
  if (last - first < std::min(maxBounded, size - 1))
    for (int64_t i = first; i <= last; ++i)
      numbers.push_back(TermSum{i, {}});
  return numbers;
}

AccessEvaluator::AccessEvaluator(const Access &access, IndexModel &model)
    : model(&model), leaf(access.leaf ? access.leaf : access.warpLeaf),
      warps(access.warps) {
  isOfWarp = warps || (leaf && getLeafMap(leaf).getScope() == Level::Warp);
  isBlockedLeaf = leaf && isBlocked(leaf);
  auto [memory, accessed] = getIndexedMemory(access.op);
  indices = accessed;
  shape = cast<MemRefType>(memory.getType()).getShape();

  // From the outermost loop inwards, so that the range of a loop is declared
  // before the values that are computed in it.
  SmallVector<Operation *> around;
  for (Operation *op = access.op; !isa<KernelOp>(op->getParentOp());)
    around.push_back(op = op->getParentOp());
  SmallVector<std::pair<Value, bool>> guards;
  bool isDivergent = false;
  Operation *child = access.op;
  for (Operation *op : around) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      guards.push_back(
          {branch.getCondition(),
           branch.getThenRegion().isAncestor(child->getParentRegion())});
    child = op;
  }
  for (Operation *op : llvm::reverse(around)) {
    isDivergent |= op == warps || op == leaf;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (op == leaf)
      addLeaf();
    else if (loop && loop == warps)
      addWarps(loop);
    else if (loop && isDivergent)
      addLoop(loop);
    else if (loop && hasAttr<ObsDialect::MapAttrHelper>(loop))
      model.recognizer.setRange(loop.getInductionVar(),
                                {0, IndexRecognizer::maxExtent});
  }
  for (Value index : indices)
    exprs.push_back(model.recognizer.get(index));
  for (auto [condition, holds] : guards) {
    exprs.push_back(model.recognizer.get(condition));
    wanted.push_back(holds);
  }
  for (auto [index, size] : llvm::zip_equal(getAddress(), shape))
    bounded.push_back(getFewNumbers(index, size));
  evaluator.emplace(exprs, model.terms);
  variables.resize(model.recognizer.getNumVariables());

  // A loop that nothing depends on need not be evaluated for each iteration.
  SmallVector<IndexExpr> all = exprs;
  for (unsigned i = loops.size(); i-- > 0;) {
    bool isUsed = loops[i].isSpread;
    for (const IndexExpr &leaf : collectLeaves(all, IndexExpr::Kind::Variable))
      isUsed |= leaf.getId() == loops[i].variable;
    if (isUsed)
      llvm::append_range(all, loops[i].bounds.getExprs());
    else
      loops.erase(loops.begin() + i);
  }
  symbols = collectLeaves(all, IndexExpr::Kind::Symbol);
}

void AccessEvaluator::appendLoop(unsigned variable,
                                 std::optional<int64_t> extent,
                                 ArrayRef<IndexExpr> bounds, bool isSpread) {
  loops.push_back(
      {variable, extent, SymbolicEvaluator(bounds, model->terms), isSpread});
}

/// No index is outside of the array at run time, so neither is a counter that
/// is one.
std::optional<int64_t>
AccessEvaluator::limitByShape(Value counter,
                              std::optional<int64_t> extent) const {
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    if (index == counter && !ShapedType::isDynamic(size))
      extent = std::min(size, extent.value_or(size));
  return extent;
}

unsigned IndexModel::addCounter(LoopLikeOpInterface loop, Value counter,
                                std::optional<int64_t> extent) {
  auto [variable, isNew] = variables.insert({loop, 0});
  if (isNew) {
    recognizer.addLeaf(*loop.getLoopRegions().front());
    variable->second = recognizer.addVariable(
        counter, extent.value_or(IndexRecognizer::maxExtent));
  }
  return variable->second;
}

void AccessEvaluator::addLeaf() {
  OpFoldResult bound = leaf.getMixedUpperBound()[0];
  Value counter = leaf.getInductionVar(0);
  count = getCountOf(bound, model->recognizer);
  std::optional<int64_t> extent = getMost(bound);
  if (std::optional<int64_t> limit = model->limits.get(leaf))
    extent = std::min(*limit, extent.value_or(*limit));
  iteration = model->addCounter(leaf, counter, extent);
  mostIterations = limitByShape(counter, extent);
  appendLoop(iteration, mostIterations, {number(0), *count, number(1)},
             /*isSpread=*/true);
}

/// Iteration i is of warp i mod W: a warp starts with its number, in steps of
/// the number of warps. So it is enough to run over the iterations of all.
void AccessEvaluator::addWarps(scf::ForOp loop) {
  Value counter = loop.getInductionVar();
  std::optional<int64_t> extent =
      model->limits.getMost(loop.getUpperBound(), loop);
  IndexExpr upper = model->recognizer.get(loop.getUpperBound());
  warp = model->addCounter(loop, counter, extent);
  // One warp runs all iterations.
  appendLoop(warp, limitByShape(counter, extent), {number(0), upper, number(1)},
             /*isSpread=*/model->workers.launched > warpSize);
}

void AccessEvaluator::addLoop(scf::ForOp loop) {
  IndexRecognizer &recognizer = model->recognizer;
  IndexExpr lower = recognizer.get(loop.getLowerBound());
  IndexExpr upper = recognizer.get(loop.getUpperBound());
  IndexExpr step = recognizer.get(loop.getStep());
  std::optional<int64_t> extent;
  if (std::optional<IndexRange> length = (upper - lower).getRange())
    if (step.getConstant() > 0)
      extent = llvm::divideCeil(std::max<int64_t>(0, length->max),
                                *step.getConstant());
  auto [variable, isNew] = model->variables.insert({loop, 0});
  if (isNew)
    variable->second =
        recognizer.addRounds(loop, extent.value_or(IndexRecognizer::maxExtent));
  appendLoop(variable->second, extent, {lower, upper, step},
             /*isSpread=*/false);
}

void AccessEvaluator::fixSymbol(unsigned symbol, int64_t value) {
  evaluator->fixSymbol(symbol, value);
  for (Loop &loop : loops)
    loop.bounds.fixSymbol(symbol, value);
}

std::optional<int64_t> AccessEvaluator::getRounds(Loop &loop) {
  loop.bounds.evaluate(variables);
  ArrayRef<TermSum> lower = loop.bounds.getValues(0);
  ArrayRef<TermSum> upper = loop.bounds.getValues(1);
  std::optional<int64_t> step = loop.bounds.getNumber(2);
  if (lower.size() != 1 || upper.size() != 1 || !step || *step <= 0)
    return loop.extent;
  TermSum length = upper.front();
  length.add(lower.front(), -1);
  if (!length.isConstant())
    return loop.extent;
  int64_t rounds =
      llvm::divideCeil(std::max<int64_t>(0, length.constant), *step);
  return loop.extent ? std::min(rounds, *loop.extent) : rounds;
}

/// The threads of which one, or all, run the access at this point.
WorkerSpan AccessEvaluator::getWorkers() const {
  Workers workers = model->workers;
  int64_t first = 0;
  if (int64_t all = llvm::divideCeil(workers.launched, warpSize);
      warps && all > 1)
    first = *variables[warp] % all * warpSize;
  if (!leaf)
    return {first, isOfWarp ? first + warpSize - 1 : workers.launched - 1};
  int64_t threads = isOfWarp ? warpSize : workers.threads;
  int64_t t = *variables[iteration];
  int64_t worker =
      isBlockedLeaf
          ? t / std::max<int64_t>(
                    1, llvm::divideCeil(*count->getConstant(), threads))
          : t % threads;
  return {first + worker, first + worker};
}

/// Adds the element with these indices; null where an index may be any.
void AccessEvaluator::addElement(ArrayRef<const TermSum *> point,
                                 ReachedElements &reached) {
  auto hasTerms = [&](const ElementGroup &group) {
    for (auto [index, terms] : llvm::zip_equal(point, group.dimensions))
      if (index ? terms != index->terms : terms.has_value())
        return false;
    return true;
  };
  constexpr unsigned maxGroups = 32;
  auto *group = llvm::find_if(reached, hasTerms);
  bool isKnown = llvm::any_of(point, [](auto *index) { return index; });
  if (group == reached.end() && reached.size() >= maxGroups && isKnown)
    return addElement(SmallVector<const TermSum *, 2>(point.size(), nullptr),
                      reached);
  if (group == reached.end()) {
    reached.emplace_back();
    group = &reached.back();
    for (const TermSum *index : point)
      group->dimensions.push_back(index ? std::optional(index->terms)
                                        : std::nullopt);
  }
  SmallVector<int64_t, 2> element;
  for (const TermSum *index : point)
    element.push_back(index ? index->constant : 0);
  auto &elements = group->elements;
  // Often all iterations of an inner loop access one element.
  if (elements.empty() || elements.back().first != element)
    elements.push_back({std::move(element), {}});
  elements.back().second.add(getWorkers());
}

bool AccessEvaluator::visitPoint(ReachedElements &reached) {
  if (++cost > maxEvaluations)
    return false;
  evaluator->evaluate(variables);
  for (auto [i, holds] : llvm::enumerate(wanted)) {
    ArrayRef<TermSum> values = evaluator->getValues(indices.size() + i);
    bool canHold = values.empty();
    for (const TermSum &value : values)
      canHold |= !value.isConstant() || (value.constant != 0) == holds;
    if (!canHold)
      return true;
  }
  // Every combination of the values that the indices can have in the array.
  SmallVector<ArrayRef<TermSum>, 2> choices;
  for (unsigned d = 0; d < indices.size(); ++d) {
    ArrayRef<TermSum> values = evaluator->getValues(d);
    bool isBounded = values.empty() && cost <= maxBoundedPoints;
    choices.push_back(isBounded ? ArrayRef(bounded[d]) : values);
  }
  SmallVector<unsigned, 2> choice(indices.size(), 0);
  SmallVector<const TermSum *, 2> point(indices.size());
  while (true) {
    bool isInside = true;
    for (unsigned d = 0; d < point.size(); ++d) {
      point[d] = choices[d].empty() ? nullptr : &choices[d][choice[d]];
      isInside &= !point[d] || !point[d]->isConstant() ||
                  ShapedType::isDynamic(shape[d]) ||
                  (point[d]->constant >= 0 && point[d]->constant < shape[d]);
    }
    if (isInside)
      addElement(point, reached);
    unsigned d = 0;
    while (d < point.size() && ++choice[d] >= choices[d].size())
      choice[d++] = 0;
    if (d == point.size())
      return true;
  }
}

bool AccessEvaluator::visitLoops(unsigned depth, ReachedElements &reached) {
  if (depth == loops.size())
    return visitPoint(reached);
  Loop &loop = loops[depth];
  std::optional<int64_t> rounds = getRounds(loop);
  if (!rounds && !loop.isSpread) {
    variables[loop.variable] = std::nullopt;
    return visitLoops(depth + 1, reached);
  }
  if (!rounds || *rounds > maxEvaluations)
    return false;
  for (int64_t i = 0; i < *rounds; ++i) {
    variables[loop.variable] = i;
    if (!visitLoops(depth + 1, reached))
      return false;
  }
  return true;
}

std::optional<ReachedElements> AccessEvaluator::getElements() {
  cost = 0;
  if (isBlockedLeaf && !count->getConstant())
    return std::nullopt;
  int64_t most = 1;
  for (const Loop &loop : loops)
    if (loop.extent &&
        (most *= std::max<int64_t>(1, *loop.extent)) > maxEvaluations)
      return std::nullopt;
  ReachedElements reached;
  if (!visitLoops(0, reached))
    return std::nullopt;
  return reached;
}

IndexMap AccessEvaluator::getAddress() const {
  return IndexMap(ArrayRef(exprs).take_front(indices.size()));
}
