//===- PairTurns.cpp - The iterations of loops that two threads are in ----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

const PastLoop *PairModel::findPast(Operation *loop) const {
  return llvm::find_if(first->past,
                       [&](const PastLoop &l) { return l.loop == loop; });
}

const NewLoop *PairModel::findBegun(Operation *loop) const {
  return llvm::find_if(first->begun,
                       [&](const NewLoop &l) { return l.loop == loop; });
}

/// `value`, which `loop` carried out of the iteration of the first access, as
/// `side` has it: the same for both, or the same in every iteration. Nothing
/// for one that differs between threads and iterations.
std::optional<IndexExpr> PairModel::getCarried(Value value, Operation *loop,
                                               Owner side) {
  if (uniformity.isUniform(value, query.between))
    return get(value, Owner::First);
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return get(value, side);
  return std::nullopt;
}

/// The result of a loop that has just ended, by its last iteration: the one
/// that the first access is in.
std::optional<IndexExpr> PairModel::getLoopResult(OpResult result, Owner side) {
  Operation *loop = result.getOwner();
  const PastLoop *past = findPast(loop);
  if (past == first->past.end() || !past->left)
    return std::nullopt;
  // The same run of the loop: no loop around it has begun an iteration since.
  for (const PastLoop *outer = first->past.begin(); outer != past; ++outer)
    if (outer->left || outer->age != Age::ThisTurn)
      return std::nullopt;
  for (Operation *outer = loop->getParentOp(); outer != kernel;
       outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer) && findPast(outer) == first->past.end())
      return std::nullopt;
  unsigned i = result.getResultNumber();
  if (auto counted = dyn_cast<scf::ForOp>(loop)) {
    if (past->age != Age::ThisTurn)
      return std::nullopt;
    return getCarried(counted.getYieldedValues()[i], loop, side);
  }
  // The last iteration of a while loop has its condition only, and gets its
  // values from the iteration before it.
  auto open = cast<scf::WhileOp>(loop);
  Value last = open.getConditionOp().getArgs()[i];
  if (past->age == Age::ThisTurn)
    return getCarried(last, loop, side);
  auto carried = dyn_cast<BlockArgument>(last);
  if (past->age != Age::LastTurn || !carried ||
      carried.getOwner() != open.getBeforeBody())
    return std::nullopt;
  return getCarried(open.getYieldOp().getOperand(carried.getArgNumber()), loop,
                    side);
}

/// The numbers of the iterations that loops are in.
using Turns = llvm::SmallDenseMap<Value, int64_t>;

/// The number of flips, each from x to 1 - x, from `from` to `value`. The flips
/// may be in loops whose number of iterations is known, if `turns` has the
/// iterations of the loops around. nullopt if `value` is computed in another
/// way.
static std::optional<int64_t> getFlips(Value value, Value from, Turns &turns);

static std::optional<int64_t> getNumber(Value value, const Turns &turns) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (auto found = turns.find(value); found != turns.end())
    return found->second;
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> a = getNumber(sum.getLhs(), turns);
    std::optional<int64_t> b = getNumber(sum.getRhs(), turns);
    if (a && b)
      return llvm::checkedAdd(*a, *b);
  }
  return std::nullopt;
}

/// The flips of carried value `i` in all iterations of `loop`, or in all but
/// the last.
static std::optional<int64_t> getLoopFlips(scf::ForOp loop, unsigned i,
                                           Turns &turns, bool isBeforeLast) {
  constexpr uint64_t maxTurns = 1024;
  std::optional<int64_t> from = getNumber(loop.getLowerBound(), turns);
  std::optional<int64_t> to = getNumber(loop.getUpperBound(), turns);
  if (!from || !to || !isConstantIntValue(loop.getStep(), 1) ||
      (*from < *to && getSpan({*from, *to}) > maxTurns))
    return std::nullopt;
  int64_t flips = 0;
  for (int64_t turn = *from; turn < *to; ++turn) {
    if (isBeforeLast && turn + 1 == *to)
      break;
    turns[loop.getInductionVar()] = turn;
    std::optional<int64_t> each =
        getFlips(loop.getYieldedValues()[i], loop.getRegionIterArg(i), turns);
    if (!each)
      return std::nullopt;
    flips += *each;
  }
  return flips;
}

static std::optional<int64_t> getFlips(Value value, Value from, Turns &turns) {
  if (value == from)
    return 0;
  if (auto flip = value.getDefiningOp<arith::SubIOp>();
      flip && matchPattern(flip.getLhs(), m_One())) {
    std::optional<int64_t> before = getFlips(flip.getRhs(), from, turns);
    return before ? std::optional(*before + 1) : before;
  }
  auto loop = value.getDefiningOp<scf::ForOp>();
  if (!loop)
    return std::nullopt;
  unsigned i = cast<OpResult>(value).getResultNumber();
  std::optional<int64_t> before = getFlips(loop.getInitArgs()[i], from, turns);
  std::optional<int64_t> inside =
      before ? getLoopFlips(loop, i, turns, /*isBeforeLast=*/false) : before;
  return inside ? std::optional(*before + *inside) : inside;
}

/// True if each iteration of `loop` flips carried value `argument`, false if
/// none does, nothing if that is not known.
static std::optional<bool> isFlippedByTurns(scf::ForOp loop,
                                            BlockArgument argument) {
  Turns turns;
  std::optional<int64_t> flips =
      getFlips(loop.getTiedLoopYieldedValue(argument)->get(), argument, turns);
  return flips ? std::optional(*flips % 2 != 0) : std::nullopt;
}

/// A value that iterations of `loop` flip between 0 and 1.
std::optional<IndexExpr>
PairModel::getSlot(scf::ForOp loop, BlockArgument argument, Owner side) {
  std::optional<IndexRange> bit = ranges.get(argument);
  if (!bit || bit->min != 0 || bit->max != 1 ||
      !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  IndexExpr start = get(loop.getTiedLoopInit(argument)->get(), side);
  auto flip = [&](IndexExpr times) {
    return IndexExpr::binary(Kind::Mod, start + times, constant(2));
  };
  // In the last iteration: after those before it.
  const PastLoop *past = findPast(loop);
  if (side == Owner::First && past != first->past.end() && past->left &&
      past->age == Age::ThisTurn) {
    Turns turns;
    unsigned i = argument.getArgNumber() - loop.getNumInductionVars();
    if (std::optional<int64_t> flips =
            getLoopFlips(loop, i, turns, /*isBeforeLast=*/true))
      return flip(constant(*flips % 2));
  }
  std::optional<bool> isFlipped = isFlippedByTurns(loop, argument);
  if (!isFlipped)
    return std::nullopt;
  if (!*isFlipped)
    return start;
  return flip(getTurn(loop, side) - get(loop.getLowerBound(), side));
}

/// The result of `loop` for a value that its iterations flip between 0 and 1.
std::optional<IndexExpr> PairModel::getLastSlot(scf::ForOp loop, unsigned i,
                                                Owner side) {
  std::optional<IndexRange> bit = ranges.get(loop.getResult(i));
  if (!bit || bit->min != 0 || bit->max != 1)
    return std::nullopt;
  IndexExpr start = get(loop.getInitArgs()[i], side);
  auto flip = [&](IndexExpr times) {
    return IndexExpr::binary(Kind::Mod, start + times, constant(2));
  };
  Turns turns;
  if (std::optional<int64_t> flips =
          getLoopFlips(loop, i, turns, /*isBeforeLast=*/false))
    return flip(constant(*flips % 2));
  std::optional<bool> isFlipped =
      isFlippedByTurns(loop, loop.getRegionIterArg(i));
  if (!isFlipped || !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  if (!*isFlipped)
    return start;
  return flip(IndexExpr::binary(Kind::Max, constant(0),
                                get(loop.getUpperBound(), side) -
                                    get(loop.getLowerBound(), side)));
}

std::optional<IndexExpr> PairModel::getPassed(Operation *loop, Value initial,
                                              Value next, Owner side) {
  if (side != Owner::Second)
    return std::nullopt;
  if (const PastLoop *past = findPast(loop);
      past != first->past.end() && !past->left)
    return past->age == Age::LastTurn ? getCarried(next, loop, side)
                                      : std::nullopt;
  const NewLoop *begun = findBegun(loop);
  if (begun == first->begun.end() || !begun->firstTurn)
    return std::nullopt;
  return get(initial, Owner::Second);
}

IndexExpr PairModel::getArgument(BlockArgument argument, Owner side) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return getWhileArgument(loop, argument, side);
  if (auto equal = equalParameters.find(argument);
      equal != equalParameters.end() && !assumesBounds)
    return get(equal->second, side);
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return getUnknown(argument, side);
  if (argument == loop.getInductionVar())
    return getTurn(loop, side);
  if (std::optional<IndexExpr> slot = getSlot(loop, argument, side))
    return *slot;
  if (std::optional<IndexExpr> passed =
          getPassed(loop, loop.getTiedLoopInit(argument)->get(),
                    loop.getTiedLoopYieldedValue(argument)->get(), side))
    return *passed;
  if (std::optional<IndexExpr> counter = getCounter(loop, argument, side))
    return *counter;
  return getUnknown(argument, side);
}

IndexExpr PairModel::getWhileArgument(scf::WhileOp loop, BlockArgument argument,
                                      Owner side) {
  unsigned i = argument.getArgNumber();
  // The operand of the condition of the same iteration.
  if (argument.getOwner() == loop.getAfterBody())
    return get(loop.getConditionOp().getArgs()[i], side);
  std::optional<IndexExpr> passed = getPassed(
      loop, loop.getInits()[i], loop.getYieldOp().getOperand(i), side);
  return passed ? *passed : getUnknown(argument, side);
}

/// The least and the most that is added to `from` to make `value`, if it is
/// made of it by additions of constants and choices.
static std::optional<IndexRange> getAdded(Value value, Value from) {
  if (value == from)
    return IndexRange{0, 0};
  Operation *op = value.getDefiningOp();
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(op)) {
    APInt number;
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&number)))
      return std::nullopt;
    std::optional<IndexRange> added = getAdded(sum.getLhs(), from);
    int64_t more = number.getSExtValue();
    IndexRange result;
    if (!added || llvm::AddOverflow(added->min, more, result.min) ||
        llvm::AddOverflow(added->max, more, result.max))
      return std::nullopt;
    return result;
  }
  Value choices[2];
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    choices[0] = select.getTrueValue();
    choices[1] = select.getFalseValue();
  } else if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    choices[0] = branch.thenYield().getOperand(i);
    choices[1] = branch.elseYield().getOperand(i);
  } else {
    return std::nullopt;
  }
  std::optional<IndexRange> a = getAdded(choices[0], from);
  std::optional<IndexRange> b = getAdded(choices[1], from);
  if (!a || !b)
    return std::nullopt;
  return IndexRange{std::min(a->min, b->min), std::max(a->max, b->max)};
}

/// A number that each iteration of `loop` makes larger by one of few amounts,
/// or smaller. It is between the least and the most that the iterations before
/// this one can have made of it.
std::optional<IndexExpr>
PairModel::getCounter(scf::ForOp loop, BlockArgument argument, Owner side) {
  std::optional<IndexRange> added =
      getAdded(loop.getTiedLoopYieldedValue(argument)->get(), argument);
  constexpr int64_t many = 1 << 20;
  if (!added || added->min < -many || added->max > many ||
      !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  Owner owner = getOwner(argument, side);
  if (auto found = known.find({argument, unsigned(owner)});
      found != known.end())
    return found->second;
  IndexExpr start = get(loop.getTiedLoopInit(argument)->get(), side);
  IndexExpr turns = getTurn(loop, side) - get(loop.getLowerBound(), side);
  IndexExpr least = start + turns * constant(added->min);
  IndexExpr most = start + turns * constant(added->max);
  // A narrow number starts again where it gets too large.
  std::optional<IndexRange> range = ranges.get(argument);
  std::optional<IndexRange> low = least.getRange(), high = most.getRange();
  if (unsigned bits = getBits(argument.getType()); bits < 64) {
    int64_t half = int64_t(1) << (bits - 1);
    if (!low || !high || low->min < -half || high->max >= half)
      return std::nullopt;
  }
  if (low && high)
    range = IndexRange{low->min, high->max};
  IndexExpr counter = makeUnknown({owner, range, false, /*isData=*/true});
  known.try_emplace({argument, unsigned(owner)}, counter);
  query.conditions.push_back(compare(Compare::LessEqual, least, counter));
  query.conditions.push_back(compare(Compare::LessEqual, counter, most));
  return counter;
}

/// The induction variable of `loop` in the iteration that `side` is in.
IndexExpr PairModel::getTurn(scf::ForOp loop, Owner side) {
  const PastLoop *past = findPast(loop);
  bool isPast = past != first->past.end();
  bool isShared = isPast && !past->left && past->age == Age::ThisTurn;
  Owner key = isShared ? Owner::Both : side;
  auto found = turns.find({loop, unsigned(key)});
  if (found != turns.end())
    return found->second;
  auto remember = [&](IndexExpr turn) {
    turns.try_emplace({loop, unsigned(key)}, turn);
    return turn;
  };
  auto less = [&](IndexExpr a, IndexExpr b) {
    query.conditions.push_back(compare(Compare::Less, a, b));
  };
  auto lessEqual = [&](IndexExpr a, IndexExpr b) {
    query.conditions.push_back(compare(Compare::LessEqual, a, b));
  };
  if (isShared)
    return remember(makeTurn(loop, side, Owner::Both));
  if (side == Owner::First) {
    IndexExpr turn = remember(makeTurn(loop, side, Owner::First));
    if (isPast && past->left && past->age != Age::Earlier) {
      // The last iteration, or the one before it.
      IndexExpr step = get(loop.getStep(), side);
      IndexExpr bound = get(loop.getUpperBound(), side);
      IndexExpr next = turn + step;
      if (past->age == Age::LastTurn) {
        less(next, bound);
        next = next + step;
      }
      lessEqual(bound, next);
    }
    return turn;
  }
  IndexExpr bound = get(loop.getUpperBound(), side);
  if (isPast && !past->left) {
    IndexExpr before = getTurn(loop, Owner::First);
    IndexExpr step = get(loop.getStep(), side);
    if (past->age == Age::LastTurn) {
      IndexExpr turn = remember(before + step);
      less(turn, bound);
      return turn;
    }
    IndexExpr turn = remember(makeTurn(loop, side, Owner::Second));
    lessEqual(before + step * constant(2), turn);
    return turn;
  }
  if (const NewLoop *begun = findBegun(loop); begun != first->begun.end()) {
    IndexExpr start = get(loop.getLowerBound(), side);
    if (begun->firstTurn) {
      remember(start);
      less(start, bound);
      return start;
    }
    IndexExpr turn = remember(makeTurn(loop, side, Owner::Second));
    lessEqual(start + get(loop.getStep(), side), turn);
    return turn;
  }
  return remember(makeTurn(loop, side, Owner::Second));
}

/// The number of the last iteration of a loop from `from` to `bound`, where the
/// first one counts as 0; 0 for a loop without iterations, too.
static int64_t getLastTurn(int64_t from, int64_t bound, int64_t stride) {
  if (bound <= from)
    return 0;
  uint64_t last = (getSpan({from, bound}) - 1) / stride;
  return std::min(last, uint64_t(std::numeric_limits<int64_t>::max()));
}

/// Bounds of `form`, which can contain multiples of the number `thread`, of a
/// lane in a warp: the last warp may have fewer lanes than there are numbers.
static std::optional<IndexRange>
getRange(LinearForm form, const IndexExpr &thread, int64_t threads) {
  LinearForm parts = LinearForm::get(thread);
  for (auto &[term, factor] : form.terms)
    if (!parts.terms.empty() && term == parts.terms.back().first &&
        parts.terms.back().second == 1) {
      int64_t multiple = factor;
      form.add(parts, int64_t(-uint64_t(multiple)));
      form.add(IndexExpr::symbol(std::numeric_limits<unsigned>::max(),
                                 IndexRange{0, threads - 1}),
               multiple);
      break;
    }
  return form.getRange();
}

/// An iteration of `loop` about which nothing else is known.
IndexExpr PairModel::makeTurn(scf::ForOp loop, Owner side, Owner owner) {
  IndexExpr start = get(loop.getLowerBound(), side);
  IndexExpr step = get(loop.getStep(), side);
  IndexExpr bound = get(loop.getUpperBound(), side);
  std::optional<IndexRange> range = ranges.get(loop.getInductionVar());
  int64_t most = getMostIndex(loop, owner == Owner::Both ? owner : side);
  IndexExpr turn = constant(0);
  if (std::optional<int64_t> stride = step.getConstant();
      stride && *stride > 0) {
    // A thread that runs 2^56 iterations does not end within a year.
    IndexRange count{0, int64_t(1) << 56};
    std::optional<IndexRange> from = start.getRange();
    std::optional<IndexRange> to = bound.getRange();
    if (from && to)
      count.max = getLastTurn(from->min, to->max, *stride);
    if (from && range && range->max < (int64_t(1) << 40))
      count.max =
          std::min(count.max, getLastTurn(from->min, range->max + 1, *stride));
    if (from && most != std::numeric_limits<int64_t>::max())
      count.max = std::min(count.max, getLastTurn(from->min, most, *stride));
    turn = start + makeUnknown({owner, count}) * step;
  } else {
    // for (i = block * c + r; ...; i += blocks * c), r in [0, c): what blocks
    // do at a time are whole chunks of c, and no chunk is of two blocks.
    int64_t chunk = 0;
    if (loop.getStep().getDefiningOp<gpu::GridDimOp>())
      chunk = 1;
    else if (auto product = loop.getStep().getDefiningOp<arith::MulIOp>())
      for (unsigned i : {0, 1})
        if (product->getOperand(i).getDefiningOp<gpu::GridDimOp>())
          if (std::optional<int64_t> factor =
                  get(product->getOperand(1 - i), side).getConstant())
            chunk = *factor;
    LinearForm rest = LinearForm::get(start);
    if (chunk > 0)
      rest.add(getBlock(side), -chunk);
    llvm::erase_if(rest.terms, [](auto &term) { return term.second == 0; });
    std::optional<IndexRange> within = getRange(rest, getThread(side), threads);
    if (chunk > 0 && within && within->min >= 0 && within->max < chunk) {
      int64_t chunks = std::numeric_limits<int64_t>::max();
      if (std::optional<IndexRange> to = bound.getRange())
        chunks = getLastTurn(0, to->max, chunk);
      turn =
          makeUnknown({owner, IndexRange{0, chunks}, true}) * constant(chunk) +
          rest.toExpr();
    } else {
      Unknown any{owner, range};
      any.isLoose = true;
      turn = makeUnknown(any);
      query.conditions.push_back(compare(Compare::LessEqual, start, turn));
    }
  }
  query.conditions.push_back(compare(Compare::Less, turn, bound));
  if (most != std::numeric_limits<int64_t>::max())
    query.conditions.push_back(compare(Compare::Less, turn, constant(most)));
  return turn;
}
