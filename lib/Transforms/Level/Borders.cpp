//===- Borders.cpp - Guards that hold away from borders -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on indices wraps around. The test of a group is correct for all
// numbers. The least and the largest number of a form are computed with the
// operations of the program. If the least is not larger than the largest, no
// number between them wraps, because there are fewer than 2^33 numbers.
//
//===----------------------------------------------------------------------===//

#include "Borders.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum of factors and constants of a form.
static constexpr int64_t largest = int64_t(1) << 31;

/// Represents an extent that is known at run time only.
static constexpr double largeExtent = 1e9;

/// The maximum part of iterations beyond a border.
static constexpr double mostBeyond = 0.125;

Borders::Borders(LoopLikeOpInterface loop, Value counter, OpFoldResult bound,
                 int64_t items, bool assumesRows)
    : loop(loop), counter(counter), bound(bound), items(items),
      growths(counter, counter.getParentBlock(), items, assumesRows) {
  counter.getParentBlock()->walk([&](Operation *op) {
    std::optional<Result> result = decide(op);
    if (auto comparison = dyn_cast<arith::CmpIOp>(op); comparison && !result)
      result = decideUniform(comparison);
    if (result)
      decided.insert({op, *result});
  });
}

bool Borders::hasGuardOf(Value value) const {
  unsigned guards = 0;
  for (const Order &order : orders)
    for (const Form *form : {&order.less, &order.more})
      if (llvm::any_of(form->terms, [&](auto &term) {
            return term.first == value && std::abs(term.second) == 1;
          })) {
        if (form->low || form->high)
          return true;
        ++guards;
      }
  return guards > 1;
}

/// True if `term` is not the same in all iterations of the loop.
bool Borders::varies(Value term) { return !loop.isDefinedOutsideOfLoop(term); }

std::optional<Borders::Form> Borders::add(const Form &a, const Form &b,
                                          int64_t factor) {
  Form sum = a;
  for (auto [term, count] : b.terms) {
    auto *known = llvm::find_if(
        sum.terms, [&, t = term](auto &entry) { return entry.first == t; });
    if (known == sum.terms.end())
      sum.terms.push_back({term, count * factor});
    else
      known->second += count * factor;
  }
  llvm::erase_if(sum.terms, [](auto &entry) { return entry.second == 0; });
  sum.low += factor * (factor < 0 ? b.high : b.low);
  sum.high += factor * (factor < 0 ? b.low : b.high);
  auto isSmall = [](int64_t number) {
    return -largest <= number && number <= largest;
  };
  if (!isSmall(sum.low) || !isSmall(sum.high) ||
      !llvm::all_of(sum.terms,
                    [&](auto &entry) { return isSmall(entry.second); }))
    return std::nullopt;
  return sum;
}

std::optional<Borders::Form> Borders::getForm(Value value) {
  if (!value.getType().isIndex())
    return std::nullopt;
  auto found = forms.find(value);
  if (found != forms.end())
    return found->second;
  std::optional<Form> form = computeForm(value);
  forms[value] = form;
  return form;
}

/// The form of the result of `op`, a sum or a difference of two forms, or a
/// product of one by a constant.
std::optional<Borders::Form> Borders::computeSum(Operation *op) {
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Form> a = getForm(op->getOperand(0));
  if (!a)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1));
    return factor && -largest <= *factor && *factor <= largest
               ? add({}, *a, *factor)
               : std::nullopt;
  }
  std::optional<Form> b = getForm(op->getOperand(1));
  return b ? add(*a, *b, isa<arith::AddIOp>(op) ? 1 : -1) : std::nullopt;
}

std::optional<Borders::Form> Borders::computeForm(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value)) {
    if (*number < -largest || *number > largest)
      return std::nullopt;
    return Form{{}, *number, *number};
  }
  if (std::optional<Form> sum = computeSum(value.getDefiningOp()))
    return sum;
  Form itself{{{value, 1}}, 0, 0};
  if (loop.isDefinedOutsideOfLoop(value))
    return itself;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument != counter) {
    auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!inner || argument != inner.getInductionVar() || inner.getUnsignedCmp())
      return std::nullopt;
    std::optional<int64_t> first = getConstantIntValue(inner.getLowerBound());
    std::optional<int64_t> end = getConstantIntValue(inner.getUpperBound());
    if (!first || !end || *first < -largest || *end > largest || *first >= *end)
      return std::nullopt;
    return Form{{}, *first, *end - 1};
  }
  auto found = decided.find(value.getDefiningOp());
  if (found != decided.end())
    if (auto *operand = std::get_if<Value>(&found->second))
      return getForm(*operand);
  std::optional<Group> group = growths.get(value);
  if (!group || !growths.isDigit(value) || !growths.canBuild(value))
    return std::nullopt;
  itself.low = group->getLeast() - group->values.front();
  itself.high = group->getMost() - group->values.front();
  return itself;
}

/// The number that `value`, which is the same in all iterations, represents. An
/// extent that is known at run time only is assumed to be large.
static double estimateExtent(OpFoldResult value) {
  if (std::optional<int64_t> extent = getConstantIntValue(value))
    return double(*extent);
  Operation *op = cast<Value>(value).getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp, arith::CeilDivUIOp, arith::DivUIOp,
                       arith::AddIOp, arith::SubIOp>(op))
    return largeExtent;
  double a = estimateExtent(op->getOperand(0));
  double b = estimateExtent(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  return isa<arith::MulIOp>(op) ? a * b : a / std::max(1.0, b);
}

/// The number of values of a digit of the counter.
double Borders::estimateDigit(Value digit) {
  if (digit == counter)
    return estimateExtent(bound);
  Operation *op = digit.getDefiningOp();
  double divisor = std::max(1.0, estimateExtent(op->getOperand(1)));
  if (isa<arith::RemUIOp>(op))
    return divisor;
  double count = estimateDigit(op->getOperand(0)) / divisor;
  return count > 1 ? count : largeExtent;
}

/// The number of `form` in the middle of arrays.
double Borders::estimate(const Form &form) {
  double sum = (double(form.low) + double(form.high)) / 2;
  for (auto [term, factor] : form.terms)
    sum += double(factor) *
           (varies(term) ? estimateDigit(term) / 2 : estimateExtent(term));
  return sum;
}

/// The distance of the number of `form` in the middle of arrays from the last
/// one.
double Borders::estimateReach(const Form &form) {
  double sum = 0;
  for (auto [term, factor] : form.terms)
    if (varies(term))
      sum += std::abs(double(factor)) * estimateDigit(term) / 2;
  return sum;
}

/// True if only one of the forms varies, or the other one varies only with the
/// same values: then most iterations have the same order. The diagonal of a
/// matrix is not a border.
bool Borders::isComparable(const Form &a, const Form &b) {
  auto getVarying = [&](const Form &form) {
    SmallVector<Value> values;
    for (auto [term, factor] : form.terms)
      if (varies(term))
        values.push_back(term);
    return values;
  };
  SmallVector<Value> varyingA = getVarying(a), varyingB = getVarying(b);
  if (varyingA.empty() && varyingB.empty())
    return false;
  return varyingA.empty() || varyingB.empty() || varyingA == varyingB;
}

/// Adds the condition that no number of `form` wraps around.
void Borders::addRange(const Form &form) {
  if (form.low == form.high)
    return;
  auto *known = llvm::find_if(
      ranges, [&](Form &range) { return range.terms == form.terms; });
  if (known == ranges.end()) {
    ranges.push_back(form);
    return;
  }
  known->low = std::min(known->low, form.low);
  known->high = std::max(known->high, form.high);
}

void Borders::require(const Form &less, const Form &more, bool isStrict) {
  addRange(less);
  addRange(more);
  auto *known = llvm::find_if(orders, [&](Order &order) {
    return order.less.terms == less.terms && order.more.terms == more.terms &&
           order.isStrict == isStrict;
  });
  if (known == orders.end()) {
    orders.push_back({less, more, isStrict});
  } else {
    known->less.high = std::max(known->less.high, less.high);
    known->more.low = std::min(known->more.low, more.low);
  }
}

/// The value of a condition, if the test determines it.
std::optional<bool> Borders::getTruth(Value value) {
  auto found = decided.find(value.getDefiningOp());
  if (found == decided.end())
    return std::nullopt;
  auto *truth = std::get_if<bool>(&found->second);
  return truth ? std::optional(*truth) : std::nullopt;
}

/// The result of `op` away from the borders, if the test determines it. Adds
/// the conditions that must be tested.
std::optional<Borders::Result> Borders::decide(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<bool> truth = getTruth(select.getCondition());
    if (!truth)
      return std::nullopt;
    return *truth ? select.getTrueValue() : select.getFalseValue();
  }
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    std::optional<bool> a = getTruth(op->getOperand(0));
    std::optional<bool> b = getTruth(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return Result(isa<arith::AndIOp>(op) ? *a && *b : *a || *b);
  }
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if (!isRemainder && !isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                           arith::MinUIOp, arith::CmpIOp>(op))
    return std::nullopt;
  // A column of an array with a periodic border: (i mod w) mod w.
  if (auto inner = op->getOperand(0).getDefiningOp<arith::RemUIOp>();
      inner && isa<arith::RemUIOp>(op) && inner.getRhs() == op->getOperand(1))
    return op->getOperand(0);
  std::optional<Form> a = getForm(op->getOperand(0));
  std::optional<Form> b = getForm(op->getOperand(1));
  if (!a || !b || !isComparable(*a, *b) ||
      (isRemainder && growths.isDigit(op->getOperand(0))))
    return std::nullopt;
  double left = estimate(*a), right = estimate(*b);
  Form zero;
  if (isRemainder) {
    std::optional<Group> group = growths.get(op->getResult(0));
    bool isRow = group && !group->isCommon();
    if (isRow || left < 0 || left >= right)
      return std::nullopt;
    require(zero, *a, false);
    require(*a, *b, true);
    return op->getOperand(0);
  }
  double reach = estimateReach(*a) + estimateReach(*b);
  // It is no border if many iterations are beyond it.
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (comparison && std::abs(left - right) < (1 - 2 * mostBeyond) * reach) {
    if (growths.isCommon(comparison))
      return std::nullopt;
    if (std::optional<Result> uniform = decideUniform(comparison))
      return uniform;
  }
  if (left == right)
    return std::nullopt;
  bool isLess = left < right;
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  bool isEquality = false;
  if (comparison) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = comparison.getPredicate();
    isUnsigned = llvm::is_contained({CmpIPredicate::ult, CmpIPredicate::ule,
                                     CmpIPredicate::ugt, CmpIPredicate::uge},
                                    predicate);
    isEquality =
        llvm::is_contained({CmpIPredicate::eq, CmpIPredicate::ne}, predicate);
    // Numbers are equal at one index only, which is not a border.
    if (isEquality)
      return std::nullopt;
    bool asksLess = llvm::is_contained({CmpIPredicate::slt, CmpIPredicate::sle,
                                        CmpIPredicate::ult, CmpIPredicate::ule},
                                       predicate);
    bool allowsEqual =
        llvm::is_contained({CmpIPredicate::sle, CmpIPredicate::ule,
                            CmpIPredicate::sge, CmpIPredicate::uge},
                           predicate);
    if (isUnsigned && std::min(left, right) < 0)
      return std::nullopt;
    bool truth = asksLess == isLess;
    if (isUnsigned)
      require(zero, isLess ? *a : *b, false);
    // A number that is not less may be equal, unless the comparison is strict.
    require(isLess ? *a : *b, isLess ? *b : *a, truth != allowsEqual);
    return Result(truth);
  }
  if (isUnsigned) {
    if (std::min(left, right) < 0)
      return std::nullopt;
    require(zero, isLess ? *a : *b, false);
  }
  require(isLess ? *a : *b, isLess ? *b : *a, false);
  bool asksLess = isa<arith::MinSIOp, arith::MinUIOp>(op);
  return op->getOperand(asksLess == isLess ? 0 : 1);
}

/// True if a branch around accesses depends on `condition`.
static bool decidesAccesses(Value condition) {
  llvm::SetVector<Operation *> users(condition.user_begin(),
                                     condition.user_end());
  // The set grows.
  for (unsigned i = 0; i < users.size(); ++i) {
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(users[i]))
      users.insert_range(users[i]->getUsers());
    bool hasAccess = false;
    if (auto branch = dyn_cast<scf::IfOp>(users[i]))
      branch.walk([&](Operation *op) {
        hasAccess |= isa<memref::LoadOp, memref::StoreOp>(op);
      });
    if (hasAccess)
      return true;
  }
  return false;
}

/// A comparison whose result changes in few groups only.
std::optional<Borders::Result> Borders::decideUniform(arith::CmpIOp op) {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = op.getPredicate();
  if (llvm::is_contained({CmpIPredicate::eq, CmpIPredicate::ne}, predicate) ||
      growths.isCommon(op) || !decidesAccesses(op))
    return std::nullopt;
  std::optional<Form> a = getForm(op.getLhs()), b = getForm(op.getRhs());
  bool isSwapped = growths.isCommon(op.getLhs());
  if (!a || !b)
    return std::nullopt;
  if (isSwapped)
    std::swap(a, b);
  // The range of the number that changes is that of the group alone.
  std::optional<Group> group =
      growths.get(isSwapped ? op.getRhs() : op.getLhs());
  if (b->low != b->high || !group ||
      a->high - a->low != group->getMost() - group->getLeast())
    return std::nullopt;
  if (llvm::is_contained({CmpIPredicate::ult, CmpIPredicate::ule,
                          CmpIPredicate::ugt, CmpIPredicate::uge},
                         predicate))
    require({}, *a, false);
  addRange(*a);
  return Uniform{*a, *b, isSwapped};
}

/// Builds `op` for the number `item` of its range. `map` maps the terms.
Value Borders::buildUniform(OpBuilder &builder, arith::CmpIOp op,
                            const Uniform &uniform, int64_t item,
                            IRMapping &map) {
  Value a = build(builder, op.getLoc(), uniform.one, item, map);
  Value b = build(builder, op.getLoc(), uniform.other, uniform.other.low, map);
  if (uniform.isSwapped)
    std::swap(a, b);
  return arith::CmpIOp::create(builder, op.getLoc(), op.getPredicate(), a, b);
}

/// Builds the terms of `form` plus `constant`.
Value Borders::build(OpBuilder &builder, Location loc, const Form &form,
                     int64_t constant, IRMapping &map) {
  IndexBuilder index{builder, loc};
  Value sum;
  auto append = [&](Value value) {
    sum = index.join<arith::AddIOp>(sum, value);
  };
  for (auto [term, factor] : form.terms) {
    Value value = map.lookupOrDefault(term);
    if (factor != 1)
      value = index.mul(value, index.constant(factor));
    append(value);
  }
  if (constant != 0 || !sum)
    append(index.constant(constant));
  return sum;
}

Value Borders::buildTest(OpBuilder &builder, Location loc, Value first) {
  IRMapping map;
  map.map(counter, first);
  auto buildTerms = [&](const Form &form) {
    for (Value term : llvm::make_first_range(form.terms))
      growths.buildFirst(builder, term, map);
  };
  for (const Form &range : ranges)
    buildTerms(range);
  for (const Order &order : orders) {
    buildTerms(order.less);
    buildTerms(order.more);
  }
  for (auto &[op, result] : decided)
    if (auto *uniform = std::get_if<Uniform>(&result)) {
      buildTerms(uniform->one);
      buildTerms(uniform->other);
    }
  Value all;
  auto append = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, a, b);
    all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult()
              : holds;
  };
  for (const Form &range : ranges)
    if (!range.terms.empty())
      append(arith::CmpIPredicate::sle,
             build(builder, loc, range, range.low, map),
             build(builder, loc, range, range.high, map));
  for (const Order &order : orders)
    append(order.isStrict ? arith::CmpIPredicate::slt
                          : arith::CmpIPredicate::sle,
           build(builder, loc, order.less, order.less.high, map),
           build(builder, loc, order.more, order.more.low, map));
  for (auto &[op, result] : decided)
    if (auto *uniform = std::get_if<Uniform>(&result)) {
      auto comparison = cast<arith::CmpIOp>(op);
      append(
          arith::CmpIPredicate::eq,
          buildUniform(builder, comparison, *uniform, uniform->one.low, map),
          buildUniform(builder, comparison, *uniform, uniform->one.high, map));
    }
  // Some guards always hold, such as the second remainder of (i mod w) mod w.
  return all ? all : arith::ConstantIntOp::create(builder, loc, 1, 1);
}

/// Unrolls the loops in `body` with constant bounds, while `copies` copies have
/// at most `maxOperations` operations. Loops over rows are unrolled `withRows`.
static void unrollLoops(Block &body, int64_t copies, int64_t maxOperations,
                        bool withRows) {
  SmallVector<scf::ForOp> loops;
  body.walk([&](scf::ForOp inner) {
    if (withRows || !hasAttr<ObsDialect::RowsAttrHelper>(inner))
      loops.push_back(inner);
  });
  for (scf::ForOp inner : loops) {
    std::optional<APInt> trips = inner.getStaticTripCount();
    int64_t all = 0, own = 0;
    body.walk([&](Operation *) { ++all; });
    inner.getBody()->walk([&](Operation *) { ++own; });
    if (!trips || trips->ugt(maxOperations) ||
        copies * (all + own * trips->getSExtValue()) > maxOperations)
      continue;
    (void)loopUnrollFull(inner);
  }
}

namespace {
/// Follows the places in rows while operations are folded.
struct PlaceListener : RewriterBase::Listener {
  explicit PlaceListener(ArrayRef<RowPlace> places)
      : places(places.begin(), places.end()) {}

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    for (RowPlace &place : places)
      for (Value *value : {&place.first, &place.length})
        if (value->getDefiningOp() == op)
          *value = values[cast<OpResult>(*value).getResultNumber()];
  }
  /// Nothing depends on a place that is erased.
  void notifyOperationErased(Operation *op) override {
    llvm::erase_if(places, [&](const RowPlace &place) {
      return place.first.getDefiningOp() == op ||
             place.length.getDefiningOp() == op;
    });
  }

  SmallVector<RowPlace> places;
};
} // namespace

/// Folds the operations of `body`.
static void fold(Block &body, RewriterBase::Listener *listener = nullptr) {
  MLIRContext *context = body.getParentOp()->getContext();
  RewritePatternSet set(context);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (isa<arith::ArithDialect, scf::SCFDialect>(name.getDialect()))
      name.getCanonicalizationPatterns(set, context);
  FrozenRewritePatternSet patterns(std::move(set));
  GreedyRewriteConfig config;
  config.setScope(body.getParent());
  config.setListener(listener);
  // Operations are not visited again if an operand of an operand changes.
  bool isChanged = true;
  while (isChanged) {
    SmallVector<Operation *> operations;
    body.walk([&](Operation *op) { operations.push_back(op); });
    isChanged = false;
    if (failed(
            applyOpPatternsGreedily(operations, patterns, config, &isChanged)))
      return;
  }
}

/// Builds `op` for the first iteration of the group. `map` maps the terms to
/// those of the current iteration.
Value Borders::buildOfFirst(OpBuilder &builder, arith::CmpIOp op,
                            const Uniform &uniform, IRMapping map) {
  for (Value term : llvm::make_first_range(uniform.one.terms)) {
    Group group = varies(term) ? *growths.get(term) : Group();
    if (group.values.empty() || group.isCommon())
      continue;
    int64_t block = llvm::PowerOf2Ceil(group.getMost() + 1);
    map.map(term,
            arith::AndIOp::create(
                builder, op.getLoc(), map.lookupOrDefault(term),
                arith::ConstantIndexOp::create(builder, op.getLoc(), -block))
                .getResult());
  }
  return buildUniform(builder, op, uniform, uniform.one.low, map);
}

scf::ForOp Borders::buildInside(OpBuilder &builder, int64_t maxOperations) {
  IRMapping map;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  auto inside = cast<scf::ForOp>(builder.clone(*loop, map));
  for (auto &[op, result] : decided) {
    Value old = map.lookup(op->getResult(0));
    builder.setInsertionPointAfterValue(old);
    Value value;
    if (auto *truth = std::get_if<bool>(&result))
      value = arith::ConstantIntOp::create(builder, op->getLoc(), *truth, 1);
    else if (auto *uniform = std::get_if<Uniform>(&result))
      value = buildOfFirst(builder, cast<arith::CmpIOp>(op), *uniform, map);
    else
      value = map.lookupOrDefault(std::get<Value>(result));
    old.replaceAllUsesWith(value);
    map.map(op->getResult(0), value);
  }
  fold(*inside.getBody());
  unrollLoops(*inside.getBody(), items, maxOperations, /*withRows=*/true);
  fold(*inside.getBody());
  return inside;
}

namespace {
/// Compares indices with what is known of one row.
class RowComparisons {
public:
  RowComparisons(RowPlace place, int64_t items) : place(place), items(items) {}

  /// True if `a` is less than `b`, or equal unless `isStrict`. Signed numbers.
  bool isLess(Value a, Value b, bool isStrict) const;
  bool isNatural(Value value) const;
  std::optional<Value> choose(Operation *op) const;
  std::optional<bool> compare(arith::CmpIOp op) const;

private:
  RowPlace place;
  int64_t items;
};
} // namespace

/// The small constant by which `value` is more than `base`. A null base is 0.
static std::optional<int64_t> getDistance(Value value, Value base) {
  std::optional<int64_t> number = getConstantIntValue(value);
  if (!base || number) {
    std::optional<int64_t> origin =
        base ? getConstantIntValue(base) : std::optional<int64_t>(0);
    if (!number || !origin || std::abs(*number) > largest ||
        std::abs(*origin) > largest)
      return std::nullopt;
    return *number - *origin;
  }
  int64_t sum = 0;
  while (value != base) {
    Operation *op = value.getDefiningOp();
    std::optional<int64_t> step =
        isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)
            ? getConstantIntValue(op->getOperand(1))
            : std::nullopt;
    if (!step || std::abs(*step) > largest || std::abs(sum) > largest)
      return std::nullopt;
    sum += isa<arith::AddIOp>(op) ? *step : -*step;
    value = op->getOperand(0);
  }
  return sum;
}

bool RowComparisons::isLess(Value a, Value b, bool isStrict) const {
  auto holds = [&](int64_t less, int64_t more) {
    return isStrict ? less < more : less <= more;
  };
  std::optional<int64_t> none = getDistance(a, Value());
  std::optional<int64_t> first = getDistance(a, place.first);
  std::optional<int64_t> moreFirst = getDistance(b, place.first);
  std::optional<int64_t> end = getDistance(b, place.length);
  // 0 <= first, first + items <= length.
  return (none && moreFirst && holds(*none, *moreFirst)) ||
         (none && end && holds(*none, items + *end)) ||
         (first && end && holds(*first, items + *end));
}

/// True if `value` is not negative.
bool RowComparisons::isNatural(Value value) const {
  for (Value base : {Value(), place.first})
    if (std::optional<int64_t> distance = getDistance(value, base))
      if (*distance >= 0)
        return true;
  std::optional<int64_t> end = getDistance(value, place.length);
  return end && *end >= -items;
}

/// The operand that is the result of `op`, if this is known.
std::optional<Value> RowComparisons::choose(Operation *op) const {
  if (!isa<arith::RemSIOp, arith::RemUIOp, arith::MaxSIOp, arith::MinSIOp,
           arith::MaxUIOp, arith::MinUIOp>(op))
    return std::nullopt;
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return isNatural(a) && isLess(a, b, true) ? std::optional(a) : std::nullopt;
  if (isa<arith::MaxUIOp, arith::MinUIOp>(op) &&
      (!isNatural(a) || !isNatural(b)))
    return std::nullopt;
  bool isMinimum = isa<arith::MinSIOp, arith::MinUIOp>(op);
  if (isLess(a, b, false))
    return isMinimum ? a : b;
  if (isLess(b, a, false))
    return isMinimum ? b : a;
  return std::nullopt;
}

std::optional<bool> RowComparisons::compare(arith::CmpIOp op) const {
  using arith::CmpIPredicate;
  CmpIPredicate predicate = op.getPredicate();
  Value a = op.getLhs(), b = op.getRhs();
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne) {
    if (isLess(a, b, true) || isLess(b, a, true))
      return predicate == CmpIPredicate::ne;
    return std::nullopt;
  }
  bool isUnsigned = llvm::is_contained({CmpIPredicate::ult, CmpIPredicate::ule,
                                        CmpIPredicate::ugt, CmpIPredicate::uge},
                                       predicate);
  if (isUnsigned && (!isNatural(a) || !isNatural(b)))
    return std::nullopt;
  // a > b is b < a, and a >= b is b <= a.
  bool isStrict = llvm::is_contained({CmpIPredicate::slt, CmpIPredicate::ult,
                                      CmpIPredicate::sgt, CmpIPredicate::ugt},
                                     predicate);
  if (llvm::is_contained({CmpIPredicate::sgt, CmpIPredicate::ugt,
                          CmpIPredicate::sge, CmpIPredicate::uge},
                         predicate))
    std::swap(a, b);
  if (isLess(a, b, isStrict))
    return true;
  if (isLess(b, a, !isStrict))
    return false;
  return std::nullopt;
}

void obs::decideInRows(Block &block, ArrayRef<RowPlace> places, int64_t items,
                       int64_t maxOperations) {
  unrollLoops(block, 1, maxOperations, /*withRows=*/false);
  PlaceListener listener(places);
  fold(block, &listener);
  block.walk([&](Operation *op) {
    for (const RowPlace &place : listener.places) {
      RowComparisons row(place, items);
      if (std::optional<Value> result = row.choose(op)) {
        op->getResult(0).replaceAllUsesWith(*result);
        return;
      }
      auto comparison = dyn_cast<arith::CmpIOp>(op);
      std::optional<bool> truth =
          comparison ? row.compare(comparison) : std::nullopt;
      if (!truth)
        continue;
      OpBuilder builder(op);
      comparison.replaceAllUsesWith(
          arith::ConstantIntOp::create(builder, op->getLoc(), *truth, 1)
              .getResult());
      return;
    }
  });
  fold(block);
}
