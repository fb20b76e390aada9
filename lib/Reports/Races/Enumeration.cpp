//===- Enumeration.cpp - Whether two accesses can meet, by trying all -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlapSolver.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Hashing.h"
#include <numeric>
#include <unordered_map>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;

using Address = SmallVector<int64_t, 2>;

struct AddressHash {
  size_t operator()(const Address &address) const {
    return llvm::hash_combine_range(address.begin(), address.end());
  }
};

/// The threads that reach an address: one, or two of different groups, or all
/// if barriers order some of them.
using Visitors = SmallVector<int64_t, 2>;

namespace {
class Enumeration {
public:
  Enumeration(const OverlapQuery &query, uint64_t budget)
      : query(query), budget(budget), values(query.unknowns.size(), 0),
        isShared(values.size()) {}

  std::optional<Answer> run();
  /// For a query about one thread, without dimensions.
  std::optional<Answer> runOneThread();

private:
  struct Half {
    SmallVector<IndexExpr> exprs; // addresses, thread, then conditions
    SmallVector<unsigned> unknowns;
    std::optional<IndexEvaluator> evaluator;
    bool isFirst;
  };

  bool isFew(unsigned unknown) const {
    return hasValuesToTry(query.unknowns[unknown].range);
  }
  bool allFew(const IndexExpr &expr) const {
    return llvm::all_of(collectLeaves({expr}, Kind::Symbol),
                        [&](const IndexExpr &s) { return isFew(s.getId()); });
  }
  std::optional<std::pair<IndexExpr, IndexExpr>>
  cancel(const DimensionPair &dimension);
  /// With `fewer`, leaves out conditions with unknowns that no address has.
  bool prepare(bool fewer);
  bool isCheap() const;
  uint64_t count(ArrayRef<unsigned> unknowns) const;
  /// Calls `visit` for all values of `unknowns`; stops when it returns true.
  bool forAll(ArrayRef<unsigned> unknowns, llvm::function_ref<bool()> visit);
  /// The address granules and the thread of a half, nothing if a condition is
  /// not met.
  std::optional<int64_t> evaluate(Half &half, SmallVector<Address> &addresses);
  int64_t group(int64_t thread) const {
    return query.between == Between::Warps ? thread / warpSize : thread;
  }
  bool meetInTable();

  const OverlapQuery &query;
  /// The number of times that expressions may be evaluated.
  uint64_t budget;
  SmallVector<int64_t> values;
  llvm::BitVector isShared;
  Half halves[2];
  SmallVector<unsigned> shared;
  /// Something not known is added to both addresses alike.
  bool hasCommonPart = false;
  /// No condition was left out.
  bool isExact = true;
  Answer answer;
};
} // namespace

/// Drops unknown terms that are added to both addresses.
std::optional<std::pair<IndexExpr, IndexExpr>>
Enumeration::cancel(const DimensionPair &dimension) {
  LinearForm a = LinearForm::get(dimension.first);
  LinearForm b = LinearForm::get(dimension.second);
  auto isOpen = [&](const std::pair<IndexExpr, int64_t> &term) {
    return !allFew(term.first);
  };
  LinearForm openA, openB;
  for (auto &term : a.terms)
    if (isOpen(term))
      openA.add(term.first, term.second);
  for (auto &term : b.terms)
    if (isOpen(term))
      openB.add(term.first, term.second);
  LinearForm difference = openA;
  difference.add(openB, -1);
  if (llvm::any_of(difference.terms, [](auto &t) { return t.second != 0; }))
    return std::nullopt;
  llvm::erase_if(a.terms, isOpen);
  llvm::erase_if(b.terms, isOpen);
  hasCommonPart |= !openA.terms.empty();
  return std::make_pair(a.toExpr(), b.toExpr());
}

/// Every number that one side reaches is below all that the other does.
static bool areRangesApart(const DimensionPair &dimension) {
  std::optional<IndexRange> a = dimension.first.getRange();
  std::optional<IndexRange> b = dimension.second.getRange();
  auto isBelow = [](const IndexRange &low, int64_t width,
                    const IndexRange &high) {
    return low.max < high.min &&
           getSpan({low.max, high.min}) >= uint64_t(width);
  };
  return a && b &&
         (isBelow(*a, dimension.firstWidth, *b) ||
          isBelow(*b, dimension.secondWidth, *a));
}

bool Enumeration::prepare(bool fewer) {
  shared.clear();
  isShared.reset();
  hasCommonPart = false;
  isExact = true;
  SmallVector<IndexExpr> addresses[2];
  for (const DimensionPair &dimension : query.dimensions) {
    auto pair = cancel(dimension);
    if (!pair || pair->first.hasOpaque() || pair->second.hasOpaque())
      return false;
    addresses[0].push_back(pair->first);
    addresses[1].push_back(pair->second);
  }
  // A number that both addresses contain has one value for both.
  auto leaves = [](ArrayRef<IndexExpr> exprs) {
    return collectLeaves(exprs, Kind::Symbol);
  };
  addresses[0].push_back(query.firstThread);
  addresses[1].push_back(query.secondThread);
  llvm::BitVector used[2] = {llvm::BitVector(values.size()),
                             llvm::BitVector(values.size())};
  for (int h : {0, 1})
    for (const IndexExpr &leaf : leaves(addresses[h]))
      used[h].set(leaf.getId());
  for (auto [i, unknown] : llvm::enumerate(query.unknowns))
    if (unknown.owner == Owner::Both || (used[0][i] && used[1][i]))
      isShared.set(i);
  SmallVector<IndexExpr> conditions[3];
  for (const IndexExpr &condition : query.conditions) {
    if (!allFew(condition) || condition.hasOpaque()) {
      isExact = false;
      continue;
    }
    auto isInAddress = [&](const IndexExpr &leaf) {
      return used[0][leaf.getId()] || used[1][leaf.getId()];
    };
    if (fewer && !llvm::all_of(leaves({condition}), isInAddress)) {
      isExact = false;
      continue;
    }
    bool sides[2] = {false, false};
    for (const IndexExpr &leaf : leaves({condition}))
      if (!isShared[leaf.getId()])
        sides[query.unknowns[leaf.getId()].owner == Owner::Second] = true;
    if (sides[0] && sides[1]) {
      isExact = false;
      continue;
    }
    conditions[sides[1]].push_back(condition);
  }
  for (int h : {0, 1}) {
    Half &half = halves[h];
    half.isFirst = h == 0;
    half.unknowns.clear();
    half.exprs = addresses[h];
    half.exprs.append(conditions[h]);
    for (const IndexExpr &leaf : leaves(half.exprs)) {
      unsigned id = leaf.getId();
      if (query.unknowns[id].isData || query.unknowns[id].isLoose)
        isExact = false;
      if (isShared[id]) {
        if (!llvm::is_contained(shared, id))
          shared.push_back(id);
      } else if (!llvm::is_contained(half.unknowns, id)) {
        half.unknowns.push_back(id);
      }
    }
    half.evaluator.emplace(half.exprs);
  }
  return true;
}

uint64_t Enumeration::count(ArrayRef<unsigned> unknowns) const {
  uint64_t product = 1;
  for (unsigned unknown : unknowns) {
    // One of few: see isFew.
    product *= getSpan(*query.unknowns[unknown].range) + 1;
    if (product > budget)
      return budget + 1;
  }
  return product;
}

bool Enumeration::isCheap() const {
  uint64_t outer = count(shared);
  uint64_t inner = count(halves[0].unknowns) + count(halves[1].unknowns);
  return outer <= budget && inner <= budget && outer * inner <= budget;
}

bool Enumeration::forAll(ArrayRef<unsigned> unknowns,
                         llvm::function_ref<bool()> visit) {
  if (unknowns.empty())
    return visit();
  const IndexRange &range = *query.unknowns[unknowns.front()].range;
  for (uint64_t i = 0, last = getSpan(range); i <= last; ++i) {
    values[unknowns.front()] = range.min + int64_t(i);
    if (forAll(unknowns.drop_front(), visit))
      return true;
  }
  return false;
}

std::optional<int64_t> Enumeration::evaluate(Half &half,
                                             SmallVector<Address> &addresses) {
  std::optional<ArrayRef<int64_t>> results =
      half.evaluator->evaluate({}, values);
  size_t rank = query.dimensions.size();
  addresses.clear();
  // A condition or an index without a meaning does not happen in a run.
  if (!results || llvm::is_contained(results->drop_front(rank + 1), 0))
    return std::nullopt;
  // At most one dimension is wider than a granule.
  Address start;
  int64_t pieces = 1;
  size_t wide = 0;
  for (auto [i, dimension] : llvm::enumerate(query.dimensions)) {
    // Nor does memory there.
    constexpr int64_t end = int64_t(1) << 62;
    if ((*results)[i] < -end || (*results)[i] > end)
      return std::nullopt;
    int64_t width = half.isFirst ? dimension.firstWidth : dimension.secondWidth;
    int64_t granule = std::gcd(dimension.firstWidth, dimension.secondWidth);
    int64_t first = llvm::divideFloorSigned((*results)[i], granule);
    int64_t last = llvm::divideFloorSigned((*results)[i] + width - 1, granule);
    // Half a granule counts as a whole one.
    isExact &= first * granule == (*results)[i];
    start.push_back(first);
    if (last != first) {
      pieces = last - first + 1;
      wide = i;
    }
  }
  for (int64_t piece = 0; piece < pieces; ++piece) {
    addresses.push_back(start);
    ++start[wide];
  }
  return (*results)[rank];
}

/// For the present values of the shared unknowns.
bool Enumeration::meetInTable() {
  std::unordered_map<Address, Visitors, AddressHash> table;
  SmallVector<Address> addresses;
  forAll(halves[0].unknowns, [&] {
    if (std::optional<int64_t> thread = evaluate(halves[0], addresses))
      for (const Address &address : addresses) {
        Visitors &visitors = table[address];
        if (visitors.empty() ||
            (!query.masks.empty() ? visitors.back() != *thread
                                  : visitors.size() == 1 &&
                                        group(visitors[0]) != group(*thread)))
          visitors.push_back(*thread);
      }
    return false;
  });
  if (table.empty())
    return false;
  return forAll(halves[1].unknowns, [&] {
    std::optional<int64_t> thread = evaluate(halves[1], addresses);
    if (!thread)
      return false;
    for (const Address &address : addresses) {
      auto found = table.find(address);
      if (found == table.end())
        continue;
      for (int64_t first : found->second)
        if (group(first) != group(*thread) &&
            !areOrdered(query, first, *thread)) {
          answer.hasThreads = true;
          answer.firstThread = first;
          answer.secondThread = *thread;
          answer.address.assign(address.begin(), address.end());
          for (auto [number, dimension] :
               llvm::zip_equal(answer.address, query.dimensions))
            number *= std::gcd(dimension.firstWidth, dimension.secondWidth);
          return true;
        }
    }
    return false;
  });
}

std::optional<Answer> Enumeration::run() {
  if (llvm::any_of(query.dimensions, areRangesApart)) {
    answer.kind = Answer::Apart;
    return answer;
  }
  if (query.between == Between::Blocks || !prepare(/*fewer=*/false))
    return std::nullopt;
  if (!isCheap() && (!prepare(/*fewer=*/true) || !isCheap()))
    return std::nullopt;
  bool meets = forAll(shared, [&] { return meetInTable(); });
  if (hasCommonPart)
    answer.address.clear();
  answer.kind = !meets ? Answer::Apart : isExact ? Answer::Meet : Answer::Open;
  return answer;
}

std::optional<Answer> Enumeration::runOneThread() {
  SmallVector<IndexExpr> conditions;
  llvm::copy_if(query.conditions, std::back_inserter(conditions),
                [&](const IndexExpr &condition) {
                  return allFew(condition) && !condition.hasOpaque();
                });
  SmallVector<unsigned> unknowns;
  for (const IndexExpr &leaf : collectLeaves(conditions, Kind::Symbol))
    unknowns.push_back(leaf.getId());
  if (count(unknowns) > budget)
    return std::nullopt;
  IndexEvaluator evaluator(conditions);
  bool holds = forAll(unknowns, [&] {
    std::optional<ArrayRef<int64_t>> results = evaluator.evaluate({}, values);
    return results && !llvm::is_contained(*results, 0);
  });
  answer.kind = holds ? Answer::Open : Answer::Apart;
  return answer;
}

std::optional<Answer> races::solveByEnumeration(const OverlapQuery &query,
                                                uint64_t budget) {
  if (query.isOneThread)
    return Enumeration(query, budget).runOneThread();
  return Enumeration(query, budget).run();
}
