//===- ObsFillVerifier.cpp - Writes of disjoint fills ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rule R5 for fills of contract `disjoint`. Refused is only what is certain:
// two iterations that both run, and the element that both write. Writes whose
// indices, guards or loops depend on data or on numbers that are known at run
// time only are left to interpreter and emulator.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "Verification.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// A write of which it is known when it runs, and where it writes.
struct KnownWrite {
  WriteOp op;
  /// The loops around it, outermost first: numbers of variables, and numbers
  /// of rounds that run for certain.
  SmallVector<unsigned> variables;
  SmallVector<int64_t> extents;
  /// The element that it writes.
  IndexMap address;
  /// It runs where each of these is 0 or, where `expected` says so, is not.
  IndexMap guards;
  SmallVector<bool> expected;
};

/// Finds the writes of a fill.
class WriteCollector {
public:
  explicit WriteCollector(FillOp fill) { recognizer.addLeaf(fill.getBody()); }

  void collect(Region &region);
  SmallVector<KnownWrite, 0> writes;

private:
  void collect(WriteOp write);
  void collect(ParOp loop);
  void collect(scf::ForOp loop);
  void collect(scf::IfOp branch);

  IndexRecognizer recognizer;
  /// The loops and guards around what is collected.
  KnownWrite path;
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
}

void WriteCollector::collect(WriteOp write) {
  // After fusion a write may have the contract of another fill.
  if (write.getContract().value_or(Contract::Disjoint) != Contract::Disjoint ||
      write->hasAttr("obs.contract"))
    return;
  KnownWrite known = path;
  known.op = write;
  for (Value index : write.getIndices())
    known.address.push_back(recognizer.get(index));
  IndexMap exprs = known.address;
  llvm::append_range(exprs, known.guards);
  for (const IndexExpr &expr : exprs)
    if (expr.hasOpaque())
      return;
  if (!collectLeaves(exprs, IndexExpr::Kind::Symbol).empty())
    return;
  for (const IndexExpr &leaf : collectLeaves(exprs, IndexExpr::Kind::Variable))
    if (!llvm::is_contained(known.variables, leaf.getId()))
      return;
  writes.push_back(std::move(known));
}

void WriteCollector::collect(ParOp loop) {
  unsigned depth = path.variables.size();
  bool runs = true;
  for (auto [argument, extent] :
       llvm::zip(loop.getBody().getArguments(), loop.getExtents())) {
    std::optional<IndexRange> range = recognizer.get(extent).getRange();
    runs &= range && range->min > 0;
    if (!runs)
      break;
    path.variables.push_back(recognizer.addVariable(argument, range->min));
    path.extents.push_back(range->min);
  }
  if (runs)
    collect(loop.getBody());
  path.variables.truncate(depth);
  path.extents.truncate(depth);
}

void WriteCollector::collect(scf::ForOp loop) {
  std::optional<int64_t> from =
      recognizer.get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> to =
      recognizer.get(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = recognizer.get(loop.getStep()).getConstant();
  if (!from || !to || !step || *from < 0 || *to <= *from || *step <= 0)
    return;
  int64_t rounds = (*to - *from - 1) / *step + 1;
  path.variables.push_back(recognizer.addRounds(loop, rounds));
  path.extents.push_back(rounds);
  collect(loop.getRegion());
  path.variables.pop_back();
  path.extents.pop_back();
}

void WriteCollector::collect(scf::IfOp branch) {
  path.guards.push_back(recognizer.getCondition(branch.getCondition()));
  path.expected.push_back(true);
  collect(branch.getThenRegion());
  path.expected.back() = false;
  collect(branch.getElseRegion());
  path.guards.pop_back();
  path.expected.pop_back();
}

/// True if no two iterations of `write` have one address, because its indices
/// have the counters of the loops as digits.
static bool isInjective(const KnownWrite &write) {
  SmallVector<unsigned> found;
  for (const IndexExpr &index : write.address) {
    SmallVector<std::pair<uint64_t, int64_t>> digits;
    SmallVector<unsigned> ids;
    bool isUsable = true;
    for (auto &[term, factor] : LinearForm::get(index).terms) {
      const unsigned *at = term.getKind() == IndexExpr::Kind::Variable
                               ? llvm::find(write.variables, term.getId())
                               : write.variables.end();
      isUsable &= at != write.variables.end();
      if (!isUsable)
        break;
      digits.push_back({llvm::AbsoluteValue(factor),
                        write.extents[at - write.variables.begin()]});
      ids.push_back(term.getId());
    }
    llvm::sort(digits);
    // What the digits so far can add up to.
    uint64_t reach = 0;
    constexpr uint64_t limit = uint64_t(1) << 62;
    for (auto [factor, extent] : digits) {
      isUsable &= factor > reach && factor < limit / extent;
      if (!isUsable)
        break;
      reach += factor * (extent - 1);
    }
    if (isUsable && reach < limit)
      llvm::append_range(found, ids);
  }
  return llvm::all_of(write.variables, [&](unsigned variable) {
    return llvm::is_contained(found, variable);
  });
}

/// What the algebra says of the iterations of the outermost loops of `a` and
/// `b` that meet.
static ThreadRelation relateWrites(const KnownWrite &a, const KnownWrite &b) {
  // So many workers that each runs one iteration.
  constexpr unsigned workers = 1u << 31;
  auto getAccess = [&](const KnownWrite &write, unsigned symbol) -> LeafAccess {
    // As a bound, not as a number: points are tried by `findCollision`, at less
    // cost.
    int64_t count = write.extents.front();
    IndexRange range{count - 2 * int64_t(indexEnumerationBudget), count};
    return {write.address, write.variables.front(),
            IndexExpr::symbol(symbol, range)};
  };
  if (a.variables.empty() || b.variables.empty() ||
      a.extents.front() > workers || b.extents.front() > workers)
    return ThreadRelation::SameBlock;
  return relate(getAccess(a, 0), getAccess(b, 1), workers);
}

/// True if the algebra proves that no two of `writes` meet.
static bool areDisjoint(ArrayRef<KnownWrite> writes) {
  for (const KnownWrite &write : writes)
    if (!isInjective(write) &&
        (write.variables.size() != 1 ||
         relateWrites(write, write) > ThreadRelation::SameThread))
      return false;
  for (unsigned i = 0; i < writes.size(); ++i)
    for (unsigned j = 0; j < i; ++j)
      if (relateWrites(writes[j], writes[i]) != ThreadRelation::Disjoint)
        return false;
  return true;
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

/// Tries iterations, as many as the budget allows, from the first on.
static std::optional<Collision> findCollision(ArrayRef<KnownWrite> writes,
                                              PushType type) {
  ElementNumbers numbers(type);
  llvm::DenseMap<int64_t, unsigned> takenBy;
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
    IndexEvaluator evaluator(exprs);
    unsigned rank = write.address.size();
    SmallVector<int64_t> variables;
    if (!write.variables.empty())
      variables.resize(*llvm::max_element(write.variables) + 1);
    uint64_t points = 1;
    for (int64_t extent : boxes.back())
      points *= extent;
    for (uint64_t end = run + points; run < end; ++run) {
      uint64_t rest = run - starts.back();
      for (unsigned dim = boxes.back().size(); dim-- > 0;) {
        variables[write.variables[dim]] = rest % boxes.back()[dim];
        rest /= boxes.back()[dim];
      }
      std::optional<ArrayRef<int64_t>> values = evaluator.evaluate(variables);
      if (!values)
        continue;
      bool runs = true;
      for (auto [guard, expected] :
           llvm::zip(values->drop_front(rank), write.expected))
        runs &= (guard != 0) == expected;
      ArrayRef<int64_t> element = values->take_front(rank);
      std::optional<int64_t> key = numbers.get(element);
      if (!runs || !key)
        continue;
      auto [taken, isNew] = takenBy.try_emplace(*key, run);
      if (!isNew)
        return Collision{getRun(taken->second), getRun(run),
                         llvm::to_vector(element)};
    }
  }
  return std::nullopt;
}

LogicalResult verification::verifyDisjointWrites(FillOp fill) {
  if (fill.getContract() != Contract::Disjoint || fill.getUnchecked())
    return success();
  WriteCollector collector(fill);
  collector.collect(fill.getBody());
  ArrayRef<KnownWrite> writes = collector.writes;
  // Pairs of more writes cost more than to try their iterations.
  constexpr unsigned maxPairs = 8;
  if (writes.empty() || (writes.size() <= maxPairs && areDisjoint(writes)))
    return success();
  std::optional<Collision> collision = findCollision(writes, fill.getType());
  if (!collision)
    return success();
  Run &first = collision->first, &second = collision->second;
  WriteOp firstOp = writes[first.write].op, secondOp = writes[second.write].op;
  bool isSameLoop =
      writes[first.write].variables == writes[second.write].variables;
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
