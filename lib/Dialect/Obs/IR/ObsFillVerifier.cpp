//===- ObsFillVerifier.cpp - Writes of disjoint fills ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rule R5 for fills of contract `disjoint`. There are three outcomes. Proved:
// the algebra of index maps finds that no two iterations write one element.
// Refuted: the verifier names two iterations that both run, and the element
// that both write, and refuses the fill. Otherwise the answer is known at run
// time only, for example if indices depend on data: `obs-prove-disjoint` marks
// such writes.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/DisjointWrites.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "Verification.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// A write of a fill.
struct FillWrite {
  WriteOp op;
  /// The loops around it, outermost first.
  SmallVector<CommonLoop> loops;
  /// The numbers of their iterations that run for certain.
  SmallVector<int64_t> extents;
  /// The element that it writes.
  IndexMap address;
  /// It runs if each of these is 0, or is not 0 if its `expected` is set.
  IndexMap guards;
  SmallVector<bool> expected;
  SmallVector<Operation *> branches;
  /// It is known when it runs, and where it writes.
  bool isCertain = true;
};

/// Finds the writes of a fill that its contract is for.
class WriteCollector {
public:
  explicit WriteCollector(FillOp fill) {
    recognizer.addLeaf(fill.getBody());
    collect(fill.getBody());
  }

  /// Conditions on the counters of loops around the fill that occur.
  IndexMap getConditions();

  SmallVector<FillWrite, 0> writes;
  /// Nothing else writes.
  bool isComplete = true;

private:
  void collect(Region &region);
  void collect(WriteOp write);
  void collect(ParOp loop);
  void collect(scf::ForOp loop);
  void collect(scf::IfOp branch);
  void collectIn(Region &body, unsigned numLoops);

  IndexRecognizer recognizer;
  /// The loops and guards around the collected writes.
  FillWrite path;
};
} // namespace

void WriteCollector::collect(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      if (auto write = dyn_cast<WriteOp>(op))
        collect(write);
      else if (auto loop = dyn_cast<ParOp>(op))
        collect(loop);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        collect(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        collect(branch);
      else if (isa<PutOp>(op))
        isComplete = false;
      else if (!isa<FillOp>(op))
        op.walk([&](Operation *inner) {
          isComplete &= !isa<WriteOp, PutOp>(inner);
        });
}

void WriteCollector::collect(WriteOp write) {
  // After fusion a write may have the contract of another fill.
  if (write.getContract().value_or(Contract::Disjoint) != Contract::Disjoint ||
      getWriteMark(write))
    return;
  FillWrite known = path;
  known.op = write;
  for (Value index : write.getIndices())
    known.address.push_back(recognizer.get(index));
  IndexMap exprs = known.address;
  llvm::append_range(exprs, known.guards);
  for (const IndexExpr &expr : exprs)
    known.isCertain &= !expr.hasOpaque();
  known.isCertain &= collectLeaves(exprs, IndexExpr::Kind::Symbol).empty();
  for (const IndexExpr &leaf : collectLeaves(exprs, IndexExpr::Kind::Variable))
    known.isCertain &= llvm::any_of(known.loops, [&](const CommonLoop &loop) {
      return loop.variable == leaf.getId();
    });
  writes.push_back(std::move(known));
}

/// Collects the writes in the innermost `numLoops` loops of the path.
void WriteCollector::collectIn(Region &body, unsigned numLoops) {
  unsigned depth = path.loops.size() - numLoops;
  bool wasCertain = path.isCertain;
  path.isCertain &= llvm::all_of(ArrayRef(path.extents).drop_front(depth),
                                 [](int64_t extent) { return extent > 0; });
  collect(body);
  path.loops.truncate(depth);
  path.extents.truncate(depth);
  path.isCertain = wasCertain;
}

void WriteCollector::collect(ParOp loop) {
  for (auto [argument, extent] :
       llvm::zip(loop.getBody().getArguments(), loop.getExtents())) {
    IndexExpr count = recognizer.get(extent);
    IndexRange range =
        count.getRange().value_or(IndexRange{0, IndexRecognizer::maxExtent});
    unsigned variable = recognizer.addVariable(
        argument, std::min(range.max, IndexRecognizer::maxExtent));
    path.loops.push_back({variable, count});
    path.extents.push_back(std::max<int64_t>(range.min, 0));
  }
  collectIn(loop.getBody(), loop.getExtents().size());
}

void WriteCollector::collect(scf::ForOp loop) {
  std::optional<int64_t> from =
      recognizer.get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> to =
      recognizer.get(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = recognizer.get(loop.getStep()).getConstant();
  bool isKnown = from && to && step && *from >= 0 && *to > *from && *step > 0;
  int64_t rounds =
      isKnown ? (*to - *from - 1) / *step + 1 : IndexRecognizer::maxExtent;
  path.loops.push_back(
      {recognizer.addRounds(loop, rounds),
       isKnown ? IndexExpr::constant(rounds) : IndexExpr::opaque()});
  path.extents.push_back(isKnown ? rounds : 0);
  collectIn(loop.getRegion(), 1);
}

void WriteCollector::collect(scf::IfOp branch) {
  path.guards.push_back(recognizer.get(branch.getCondition()));
  path.branches.push_back(branch);
  path.expected.push_back(true);
  collect(branch.getThenRegion());
  path.expected.back() = false;
  collect(branch.getElseRegion());
  path.guards.pop_back();
  path.branches.pop_back();
  path.expected.pop_back();
}

IndexMap WriteCollector::getConditions() {
  IndexMap conditions, exprs;
  for (const FillWrite &write : writes)
    llvm::append_range(exprs, write.address);
  for (const IndexExpr &symbol :
       collectLeaves(exprs, IndexExpr::Kind::Symbol)) {
    Value counter = recognizer.getValue(symbol.getId());
    auto loop = dyn_cast<scf::ForOp>(counter.getParentBlock()->getParentOp());
    if (loop && counter == loop.getInductionVar())
      conditions.push_back(
          IndexExpr::select(IndexExpr::Compare::Less, recognizer.get(counter),
                            recognizer.get(loop.getUpperBound()),
                            IndexExpr::constant(1), IndexExpr::constant(0)));
  }
  return conditions;
}

/// True if the algebra proves that `a` and `b` never write one element, but as
/// one run of one write.
static bool areDisjoint(const FillWrite &a, const FillWrite &b,
                        ArrayRef<IndexExpr> conditions) {
  size_t common = 0;
  while (common < std::min(a.loops.size(), b.loops.size()) &&
         a.loops[common].variable == b.loops[common].variable)
    ++common;
  ThreadRelation relation =
      relateTurns(a.address, b.address, ArrayRef(a.loops).take_front(common),
                  {}, conditions);
  if (relation == ThreadRelation::Disjoint)
    return true;
  if (a.op == b.op)
    return relation == ThreadRelation::SameThread;
  // Iterations run one arm only of a branch, if its guard is one for them.
  for (auto [i, branch] : llvm::enumerate(a.branches)) {
    if (i >= b.branches.size() || branch != b.branches[i] ||
        a.expected[i] == b.expected[i])
      continue;
    SmallVector<CommonLoop> deciding;
    SmallVector<IndexExpr> leaves =
        collectLeaves(a.guards[i], IndexExpr::Kind::Variable);
    for (const CommonLoop &loop : ArrayRef(a.loops).take_front(common))
      if (a.guards[i].hasOpaque() ||
          llvm::any_of(leaves, [&](const IndexExpr &leaf) {
            return leaf.getId() == loop.variable;
          }))
        deciding.push_back(loop);
    if (relateTurns(a.address, b.address, deciding, {}, conditions) <=
        ThreadRelation::SameThread)
      return true;
  }
  // Loops that stand side by side.
  auto getAccess = [&](const FillWrite &write) -> std::optional<LeafAccess> {
    if (common == write.loops.size() || !write.loops[common].count.isUniform())
      return std::nullopt;
    return LeafAccess{write.address, write.loops[common].variable,
                      write.loops[common].count};
  };
  std::optional<LeafAccess> first = getAccess(a), second = getAccess(b);
  return first && second && !first->count->getConstant() &&
         relate(*first, *second, workersForEach) == ThreadRelation::Disjoint;
}

/// The same for all of `writes`.
static bool areDisjoint(ArrayRef<FillWrite> writes,
                        ArrayRef<IndexExpr> conditions = {}) {
  // Pairs of more writes cost more than to try their iterations.
  constexpr unsigned maxWrites = 16;
  if (writes.size() > maxWrites)
    return false;
  for (unsigned i = 0; i < writes.size(); ++i)
    for (unsigned j = 0; j <= i; ++j)
      if (!areDisjoint(writes[j], writes[i], conditions))
        return false;
  return true;
}

bool obs::provesDisjointWrites(FillOp fill) {
  WriteCollector collector(fill);
  return collector.isComplete &&
         areDisjoint(collector.writes, collector.getConditions());
}

namespace {
/// One run of one of the writes.
struct Run {
  unsigned write;
  SmallVector<int64_t> iteration;
};
struct Collision {
  Run first, second;
  SmallVector<int64_t> element;
};

/// Numbers the elements of a fill, row by row.
class ElementNumbers {
public:
  /// Elements past a place in a dynamic dimension have no number.
  explicit ElementNumbers(PushType type) {
    int64_t size = 1;
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      int64_t bound = type.getExtentBound(dim);
      if (ShapedType::isDynamic(bound))
        bound = int64_t(1) << (type.getRank() == 1 ? 40 : 20);
      bounds.push_back(bound);
      isValid &= !llvm::MulOverflow(size, bound, size);
    }
  }
  std::optional<int64_t> get(ArrayRef<int64_t> element) const {
    int64_t number = 0;
    for (auto [index, bound] : llvm::zip(element, bounds)) {
      if (!isValid || index < 0 || index >= bound)
        return std::nullopt;
      number = number * bound + index;
    }
    return number;
  }
  /// The element with a number.
  SmallVector<int64_t> getElement(int64_t number) const {
    SmallVector<int64_t> element(bounds.size());
    for (unsigned dim = bounds.size(); dim-- > 0; number /= bounds[dim])
      element[dim] = number % bounds[dim];
    return element;
  }

private:
  SmallVector<int64_t> bounds;
  bool isValid = true;
};
} // namespace

/// Shortens loops until there are at most `budget` iterations, at least one.
static SmallVector<int64_t> clip(ArrayRef<int64_t> extents, uint64_t budget) {
  SmallVector<int64_t> clipped(extents);
  auto isWithin = [&] {
    uint64_t points = 1;
    for (int64_t extent : clipped)
      points = llvm::SaturatingMultiply(points, uint64_t(extent));
    return points <= std::max<uint64_t>(budget, 1);
  };
  while (!isWithin()) {
    int64_t &longest = *llvm::max_element(clipped);
    longest = llvm::divideCeil(longest, 2);
  }
  return clipped;
}

/// True if each of `exprs` can have a value that only variables determine. An
/// index that is read from an array never has one, so it is not worthwhile to
/// try iterations.
static bool canEvaluate(ArrayRef<IndexExpr> exprs) {
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> order;
  for (const IndexExpr &expr : exprs)
    collectSubexpressions(expr, seen, order);
  llvm::BitVector known(order.size());
  auto isKnown = [&](const IndexExpr &expr) {
    return known[seen[expr.getIdentity()]];
  };
  for (auto [i, expr] : llvm::enumerate(order)) {
    ArrayRef<IndexExpr> operands = expr.getOperands();
    if (expr.getKind() == IndexExpr::Kind::Select)
      known[i] = isKnown(operands[0]) && isKnown(operands[1]) &&
                 (isKnown(operands[2]) || isKnown(operands[3]));
    else
      known[i] = expr.getKind() != IndexExpr::Kind::Symbol &&
                 expr.getKind() != IndexExpr::Kind::Opaque &&
                 llvm::all_of(operands, isKnown);
  }
  return llvm::all_of(exprs, isKnown);
}

/// Tries iterations, as many as the budget allows, from the first on.
static std::optional<Collision> findCollision(ArrayRef<FillWrite> writes,
                                              PushType type) {
  ElementNumbers numbers(type);
  // The number of an element, and a run that writes it. Strides of elements
  // have many powers of 2 as factors, for which a hash table is slow.
  SmallVector<std::pair<int64_t, uint64_t>, 0> written;
  // The first run of each write, and its loops.
  SmallVector<uint64_t> starts;
  SmallVector<SmallVector<int64_t>> boxes;
  auto getRun = [&](uint64_t run) {
    unsigned write = llvm::upper_bound(starts, run) - starts.begin() - 1;
    uint64_t rest = run - starts[write];
    SmallVector<int64_t> iteration(boxes[write].size());
    for (unsigned dim = iteration.size(); dim-- > 0;) {
      iteration[dim] = rest % boxes[write][dim];
      rest /= boxes[write][dim];
    }
    return Run{write, iteration};
  };
  uint64_t run = 0;
  for (auto [number, write] : llvm::enumerate(writes)) {
    uint64_t share = indexEnumerationBudget / writes.size();
    starts.push_back(run);
    boxes.push_back(clip(write.extents, share));
    IndexMap exprs = write.address;
    llvm::append_range(exprs, write.guards);
    if (!canEvaluate(exprs))
      continue;
    IndexEvaluator evaluator(exprs);
    unsigned rank = write.address.size();
    SmallVector<int64_t> variables;
    SmallVector<int64_t> iteration(boxes.back().size(), 0);
    for (const CommonLoop &loop : write.loops)
      variables.resize(std::max<size_t>(variables.size(), loop.variable + 1));
    uint64_t points = 1;
    for (int64_t extent : boxes.back())
      points *= extent;
    auto advance = [&] {
      for (unsigned dim = iteration.size(); dim-- > 0;) {
        int64_t &variable = variables[write.loops[dim].variable];
        if (++iteration[dim] < boxes.back()[dim]) {
          variable = iteration[dim];
          return;
        }
        variable = iteration[dim] = 0;
      }
    };
    for (uint64_t end = run + points; run < end; ++run, advance()) {
      std::optional<ArrayRef<int64_t>> values = evaluator.evaluate(variables);
      if (!values)
        continue;
      bool runs = true;
      for (auto [guard, expected] :
           llvm::zip(values->drop_front(rank), write.expected))
        runs &= (guard != 0) == expected;
      std::optional<int64_t> key = numbers.get(values->take_front(rank));
      if (!runs || !key)
        continue;
      written.push_back({*key, run});
    }
  }
  llvm::sort(written);
  // Of the runs that write an element again, the first one.
  const std::pair<int64_t, uint64_t> *again = nullptr;
  for (size_t i = 1; i < written.size(); ++i)
    if (written[i].first == written[i - 1].first &&
        (!again || written[i].second < again->second))
      again = &written[i];
  if (!again)
    return std::nullopt;
  return Collision{getRun(again[-1].second), getRun(again->second),
                   numbers.getElement(again->first)};
}

LogicalResult verification::verifyDisjointWrites(FillOp fill) {
  if (fill.getContract() != Contract::Disjoint || fill.getUnchecked())
    return success();
  WriteCollector collector(fill);
  ArrayRef<FillWrite> writes = collector.writes;
  // Pairs of more writes cost more than to try their iterations.
  constexpr unsigned maxPairs = 8;
  if (writes.empty() || (writes.size() <= maxPairs && areDisjoint(writes)))
    return success();
  std::optional<Collision> collision = findCollision(writes, fill.getType());
  if (!collision)
    return success();
  Run &first = collision->first, &second = collision->second;
  WriteOp firstOp = writes[first.write].op, secondOp = writes[second.write].op;
  auto getLoops = [&](const Run &run) {
    return llvm::map_to_vector(writes[run.write].loops,
                               [](auto &loop) { return loop.variable; });
  };
  bool isSameLoop = getLoops(first) == getLoops(second);
  if (isSameLoop && second.iteration < first.iteration) {
    std::swap(first, second);
    std::swap(firstOp, secondOp);
  }
  auto print = [](ArrayRef<int64_t> numbers) {
    std::string text = "(";
    llvm::raw_string_ostream stream(text);
    llvm::interleaveComma(numbers, stream);
    return text + ")";
  };
  InFlightDiagnostic diagnostic = fill.emitOpError("[R5-disjoint] ");
  if (first.iteration.empty() && second.iteration.empty())
    diagnostic << "writes element " << print(collision->element) << " twice";
  else if (isSameLoop && first.iteration == second.iteration)
    diagnostic << "iteration " << print(first.iteration) << " writes element "
               << print(collision->element) << " twice";
  else
    diagnostic << "iterations " << print(first.iteration) << " and "
               << print(second.iteration) << " both write element "
               << print(collision->element);
  diagnostic << ", where contract 'disjoint' promises one write; say `any` or "
                "`reduce(...)`, or write to another index";
  diagnostic.attachNote(firstOp.getLoc())
      << "iteration " << print(first.iteration) << " writes it here";
  if (firstOp != secondOp)
    diagnostic.attachNote(secondOp.getLoc())
        << "iteration " << print(second.iteration) << " writes it here";
  return diagnostic;
}
