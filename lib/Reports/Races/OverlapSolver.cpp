//===- OverlapSolver.cpp - Whether two accesses can meet ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlapSolver.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

/// True if sums, comparisons and choices are all that `expr` is made of.
static bool isLinear(const IndexExpr &expr) {
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> order;
  collectSubexpressions(expr, seen, order);
  return llvm::all_of(order, [](const IndexExpr &part) {
    switch (part.getKind()) {
    case Kind::Constant:
    case Kind::Symbol:
    case Kind::Add:
    case Kind::Sub:
    case Kind::Select:
      return true;
    case Kind::Mul:
      return part.getOperands()[0].getConstant() ||
             part.getOperands()[1].getConstant();
    default:
      return false;
    }
  });
}

/// True if ranges alone say that `condition` does not hold.
static bool isRefuted(const IndexExpr &condition) {
  if (condition.getConstant() == 0)
    return true;
  if (condition.getKind() != Kind::Select ||
      condition.getOperands()[2].getConstant() != 1 ||
      condition.getOperands()[3].getConstant() != 0)
    return false;
  std::optional<IndexRange> a = condition.getOperands()[0].getRange();
  std::optional<IndexRange> b = condition.getOperands()[1].getRange();
  if (!a || !b)
    return false;
  switch (condition.getCompare()) {
  case Compare::Equal:
    return a->max < b->min || b->max < a->min;
  case Compare::Less:
    return a->min >= b->max;
  case Compare::LessEqual:
    return a->min > b->max;
  case Compare::UnsignedLess:
    return a->min >= 0 && b->min >= 0 && a->min >= b->max;
  case Compare::UnsignedLessEqual:
    return a->min >= 0 && b->min >= 0 && a->min > b->max;
  }
  llvm_unreachable("all comparisons are listed");
}

namespace {
/// A query with the amounts of shifts tried one by one.
class ShiftCases {
public:
  explicit ShiftCases(const OverlapQuery &query);
  std::optional<Answer> run();

private:
  /// Tries all values of the shifts from number `next` on, the others have
  /// theirs. False if the answer is no other than Apart.
  bool tryAll(unsigned next);
  bool tryCase();
  IndexExpr put(const IndexExpr &expr) const;
  bool isNeverLess(const Shift &a, const Shift &b) const;

  const OverlapQuery &query;
  /// Those that an address contains.
  SmallVector<Shift> shifts;
  SmallVector<int64_t> values;
  /// Pairs (i, j): shift i is at least shift j, whenever the accesses happen.
  SmallVector<std::pair<unsigned, unsigned>> order;
  unsigned cases = 0;
  Answer answer;
};
} // namespace

ShiftCases::ShiftCases(const OverlapQuery &query) : query(query) {
  SmallVector<IndexExpr> addresses;
  for (const DimensionPair &dimension : query.dimensions)
    addresses.append({dimension.first, dimension.second});
  for (const IndexExpr &leaf : collectLeaves(addresses, Kind::Symbol))
    for (const Shift &shift : query.shifts)
      if (shift.unknown == leaf.getId())
        shifts.push_back(shift);
  values.resize(shifts.size());
}

/// True if it follows from the conditions that a >= b.
bool ShiftCases::isNeverLess(const Shift &a, const Shift &b) const {
  OverlapQuery relation;
  relation.between = query.between;
  relation.threads = query.threads;
  relation.unknowns = query.unknowns;
  relation.isOneThread = true;
  llvm::copy_if(query.conditions, std::back_inserter(relation.conditions),
                isLinear);
  relation.conditions.push_back(compare(Compare::Less, a.amount, b.amount));
  std::optional<Answer> answer = solveByPresburger(relation);
  return answer && answer->kind == Answer::Apart;
}

/// `expr` with the present values of the shifts.
IndexExpr ShiftCases::put(const IndexExpr &expr) const {
  return expr.substitute(
      [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
        for (auto [shift, value] : llvm::zip_equal(shifts, values))
          if (leaf.getKind() == Kind::Symbol && leaf.getId() == shift.unknown)
            return constant(value);
        return std::nullopt;
      });
}

bool ShiftCases::tryCase() {
  constexpr unsigned maxCases = 256;
  constexpr uint64_t budget = uint64_t(1) << 17;
  OverlapQuery one = query;
  for (IndexExpr &condition : one.conditions) {
    condition = put(condition);
    if (isRefuted(condition))
      return true;
  }
  for (DimensionPair &dimension : one.dimensions) {
    dimension.first = put(dimension.first);
    dimension.second = put(dimension.second);
  }
  std::optional<Answer> found;
  if (++cases <= maxCases)
    found = solveByEnumeration(one, budget);
  if (found && found->kind == Answer::Apart)
    return true;
  // It is not known whether this case occurs in the program.
  if (found)
    answer = *found;
  answer.kind = Answer::Open;
  return false;
}

bool ShiftCases::tryAll(unsigned next) {
  if (next == shifts.size())
    return tryCase();
  const IndexRange &range = *query.unknowns[shifts[next].unknown].range;
  for (values[next] = range.min; values[next] <= range.max; ++values[next]) {
    bool isPossible = llvm::all_of(order, [&](auto pair) {
      return pair.first > next || pair.second > next ||
             values[pair.first] >= values[pair.second];
    });
    if (isPossible && !tryAll(next + 1))
      return false;
  }
  return true;
}

std::optional<Answer> ShiftCases::run() {
  constexpr unsigned maxShifts = 2;
  if (shifts.empty() || shifts.size() > maxShifts)
    return std::nullopt;
  for (unsigned i = 0; i < shifts.size(); ++i)
    for (unsigned j = 0; j < shifts.size(); ++j)
      if (i != j && isNeverLess(shifts[i], shifts[j]))
        order.push_back({i, j});
  if (tryAll(0))
    answer.kind = Answer::Apart;
  return answer;
}

/// Tries every value of an unknown shift amount, with the consequences for the
/// order of such unknowns. Each case is a separate query. nullopt if there
/// are too many cases.
static std::optional<Answer> solveByShifts(const OverlapQuery &query) {
  return ShiftCases(query).run();
}

namespace {
/// Gives names to the parts of a query that have few values but are computed
/// from numbers with many, such as the slot `iteration % 2`: all values of the
/// names can be tried. A name can have any value in the range of its part, so
/// only a proof holds for the query, too.
class PartNames {
public:
  explicit PartNames(const OverlapQuery &query) : query(query) {}
  OverlapQuery run();

private:
  std::optional<IndexExpr> getName(const IndexExpr &part);
  bool hasMany(const IndexExpr &expr) const;
  std::optional<Owner> getOwner(const IndexExpr &part) const;

  const OverlapQuery &query;
  OverlapQuery named;
  SmallVector<std::pair<IndexExpr, IndexExpr>> names;
};
} // namespace

/// True if `expr` depends on numbers with too many values to try them, and has
/// many values itself.
bool PartNames::hasMany(const IndexExpr &expr) const {
  if (isNarrow(expr))
    return false;
  return llvm::any_of(
      collectLeaves({expr}, Kind::Symbol), [&](const IndexExpr &leaf) {
        return !hasValuesToTry(query.unknowns[leaf.getId()].range);
      });
}

/// The thread that has the numbers in `part`. None if both threads have some of
/// their own.
std::optional<Owner> PartNames::getOwner(const IndexExpr &part) const {
  Owner owner = Owner::Both;
  for (const IndexExpr &leaf : collectLeaves({part}, Kind::Symbol)) {
    Owner own = query.unknowns[leaf.getId()].owner;
    if (own == Owner::Both || own == owner)
      continue;
    if (owner != Owner::Both)
      return std::nullopt;
    owner = own;
  }
  return owner;
}

std::optional<IndexExpr> PartNames::getName(const IndexExpr &part) {
  auto isMany = [&](const IndexExpr &operand) { return hasMany(operand); };
  if (!isNarrow(part) || part.hasOpaque() ||
      llvm::none_of(part.getOperands(), isMany))
    return std::nullopt;
  for (auto &[other, name] : names)
    if (other == part)
      return name;
  std::optional<Owner> owner = getOwner(part);
  if (!owner)
    return std::nullopt;
  Unknown unknown{*owner, part.getRange()};
  unknown.isLoose = true;
  named.unknowns.push_back(unknown);
  IndexExpr name =
      IndexExpr::symbol(named.unknowns.size() - 1, part.getRange());
  names.push_back({part, name});
  return name;
}

OverlapQuery PartNames::run() {
  named = query;
  auto name = [&](IndexExpr &expr) {
    expr = expr.replace([&](const IndexExpr &part) { return getName(part); });
  };
  for (IndexExpr &condition : named.conditions)
    name(condition);
  for (DimensionPair &dimension : named.dimensions) {
    name(dimension.first);
    name(dimension.second);
  }
  return std::move(named);
}

Answer races::solve(const OverlapQuery &query) {
  auto isClosed = [](const std::optional<Answer> &answer) {
    return answer && answer->kind != Answer::Open;
  };
  // First the cheap method.
  uint64_t budget = uint64_t(1) << (query.isOneThread ? 18 : 15);
  std::optional<Answer> tried = solveByEnumeration(query, budget);
  if (isClosed(tried))
    return *tried;
  if (!tried) {
    std::optional<Answer> named =
        solveByEnumeration(PartNames(query).run(), budget);
    if (named && named->kind == Answer::Apart)
      return *named;
  }
  // Fewer conditions allow more, and are decided sooner: a branch that is not
  // taken is a union of cases, of which there can be too many.
  OverlapQuery fewer = query;
  llvm::erase_if(fewer.conditions, [](const IndexExpr &condition) {
    return !isLinear(condition);
  });
  if (fewer.conditions.size() < query.conditions.size()) {
    std::optional<Answer> apart = solveByPresburger(fewer);
    if (apart && apart->kind == Answer::Apart)
      return *apart;
  }
  std::optional<Answer> proved = solveByPresburger(query);
  // It does not model barriers that order some lanes.
  if (proved && proved->hasThreads &&
      areOrdered(query, proved->firstThread, proved->secondThread))
    proved = Answer();
  if (isClosed(proved))
    return *proved;
  // That an index is out of bounds decides nothing.
  if (query.isOneThread)
    return Answer();
  if (!tried)
    tried = solveByEnumeration(query, uint64_t(1) << 22);
  if (isClosed(tried))
    return *tried;
  std::optional<Answer> shifted = solveByShifts(query);
  if (isClosed(shifted))
    return *shifted;
  return proved ? *proved : tried ? *tried : shifted ? *shifted : Answer();
}
