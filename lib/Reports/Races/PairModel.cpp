//===- PairModel.cpp - Two accesses as a question about numbers -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

static IndexExpr constant(int64_t value) { return IndexExpr::constant(value); }

static IndexExpr compare(Compare how, IndexExpr a, IndexExpr b) {
  return IndexExpr::select(how, a, b, constant(1), constant(0));
}

static IndexExpr negate(IndexExpr condition) {
  return compare(Compare::Equal, condition, constant(0));
}

const PastLoop *PairModel::findPast(Operation *loop) const {
  return llvm::find_if(first->past,
                       [&](const PastLoop &l) { return l.loop == loop; });
}

const NewLoop *PairModel::findBegun(Operation *loop) const {
  return llvm::find_if(first->begun,
                       [&](const NewLoop &l) { return l.loop == loop; });
}

/// An index of obs-assign-banks, `i xor (n mod 2^k)`: i is what it was made
/// of, and n the number of a row, or i divided by the elements of a row of
/// banks. Both together are a permutation of the array.
static Value getUnswizzled(const MemoryAccess &access, int64_t &modulus) {
  if (!access.isShared || access.indices.empty())
    return {};
  auto swizzled = access.indices.back().getDefiningOp<arith::XOrIOp>();
  auto low = swizzled ? swizzled.getRhs().getDefiningOp<arith::AndIOp>()
                      : arith::AndIOp();
  APInt mask, divisor;
  if (!low || !matchPattern(low.getRhs(), m_ConstantInt(&mask)) ||
      !(mask + 1).isPowerOf2())
    return {};
  modulus = mask.getSExtValue() + 1;
  auto row = low.getLhs().getDefiningOp<arith::DivUIOp>();
  bool isBankRow = row && row.getLhs() == swizzled.getLhs() &&
                   matchPattern(row.getRhs(), m_ConstantInt(&divisor)) &&
                   divisor.uge(modulus);
  bool isRow = access.indices.size() > 1 &&
               low.getLhs() == access.indices[access.indices.size() - 2];
  int64_t extent = cast<MemRefType>(access.array.getType()).getShape().back();
  return (isBankRow || isRow) && extent % modulus == 0 ? swizzled.getLhs()
                                                       : Value();
}

/// Where `index` is the variable of `loop` plus something that is not negative:
/// the least that is added.
static std::optional<int64_t> getLeastAdded(Value index, scf::ForOp loop,
                                            const Ranges &ranges) {
  if (index == loop.getInductionVar())
    return 0;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<IndexRange> other = ranges.get(sum->getOperand(1 - i));
    if (!other || other->min < 0)
      continue;
    if (std::optional<int64_t> least =
            getLeastAdded(sum->getOperand(i), loop, ranges))
      return *least + other->min;
  }
  return std::nullopt;
}

/// At run time no index is outside of its array; so where one contains the
/// variable of a loop, that is below this in turns with the access.
static int64_t getMostIndex(const MemoryAccess &access, scf::ForOp loop,
                            const Ranges &ranges) {
  int64_t most = std::numeric_limits<int64_t>::max();
  auto type = cast<MemRefType>(access.array.getType());
  int64_t modulus = 0;
  Value last = getUnswizzled(access, modulus);
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    bool isLast = d + 1 == access.indices.size();
    if (type.isDynamicDim(d))
      continue;
    if (std::optional<int64_t> least =
            getLeastAdded(isLast && last ? last : index, loop, ranges))
      most = std::min(most, type.getDimSize(d) - *least);
  }
  return most;
}

/// A bound of the variable of `loop` in the turns in which `side` makes its
/// access: from that access, and from those that every turn makes.
int64_t PairModel::getMostIndex(scf::ForOp loop, Owner side) {
  auto [found, isNew] = mostIndices.try_emplace(loop, 0);
  if (isNew) {
    int64_t most = std::numeric_limits<int64_t>::max();
    for (Operation &op : *loop.getBody())
      if (std::optional<MemoryAccess> access = getMemoryAccess(&op))
        most = std::min(most, ::getMostIndex(*access, loop, ranges));
    found->second = most;
  }
  int64_t most = found->second;
  if (side != Owner::Second)
    most = std::min(most, ::getMostIndex(*first->access, loop, ranges));
  if (side != Owner::First)
    most = std::min(most, ::getMostIndex(*second, loop, ranges));
  return most;
}

Question PairModel::ask(const PendingAccess &pending, const MemoryAccess &later,
                        Between between) {
  question = Question();
  question.between = between;
  question.threads = threads;
  first = &pending;
  second = &later;
  known.clear();
  turns.clear();
  shifts.clear();
  warp.reset();
  for (int i = 0; i < 3; ++i) {
    lanes[i].reset();
    blocks[i].reset();
  }
  question.firstThread = getThread(Owner::First);
  question.secondThread = getThread(Owner::Second);
  if (between == Between::Blocks) {
    getBlock(Owner::First);
    getBlock(Owner::Second);
  }
  addGuards(pending.access->op, Owner::First);
  addGuards(later.op, Owner::Second);
  addMeetings(*pending.access, later);
  return std::move(question);
}

IndexExpr PairModel::makeUnknown(Unknown unknown) {
  question.unknowns.push_back(unknown);
  return IndexExpr::symbol(question.unknowns.size() - 1, unknown.range);
}

IndexExpr PairModel::getThread(Owner side) {
  auto &lane = lanes[static_cast<unsigned>(side)];
  if (question.between != Between::Lanes) {
    if (!lane)
      lane = makeUnknown({side, IndexRange{0, threads - 1}});
    return *lane;
  }
  if (!warp)
    warp = makeUnknown({Owner::Both, IndexRange{0, (threads - 1) / warpSize}});
  if (!lane)
    lane = makeUnknown({side, IndexRange{0, std::min(threads, warpSize) - 1}});
  return *warp * constant(warpSize) + *lane;
}

IndexExpr PairModel::getBlock(Owner side) {
  if (question.between != Between::Blocks)
    side = Owner::Both;
  auto &block = blocks[static_cast<unsigned>(side)];
  if (!block)
    block = makeUnknown({side, IndexRange{0, (int64_t(1) << 31) - 2}, true});
  return *block;
}

/// Whose number a leaf `value` is, seen from `side`.
Owner PairModel::getOwner(Value value, Owner side) {
  if (!uniformity.isUniform(value, question.between))
    return side;
  Region *region = value.getParentRegion();
  for (; region && region->getParentOp() != kernel;
       region = region->getParentOp()->getParentRegion()) {
    Operation *loop = region->getParentOp();
    if (!isa<LoopLikeOpInterface>(loop))
      continue;
    const PastLoop *past = findPast(loop);
    if (past == first->past.end() || past->left || past->age != Age::ThisTurn)
      return side;
  }
  return Owner::Both;
}

/// True for a number that a block has drawn from a counter in global memory,
/// so that no other block has it: what is loaded from shared memory where
/// nothing else is stored but what an atomic addition of a positive constant
/// found. Such a counter must not be written otherwise.
static bool isDrawn(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto load = value.getDefiningOp<memref::LoadOp>();
  if (!load || !load.getMemRef().getDefiningOp<memref::ViewOp>())
    return false;
  memref::AtomicRMWOp draw;
  for (Operation *user : load.getMemRef().getUsers()) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store)
      continue;
    Value stored = store.getValue();
    while (auto cast = stored.getDefiningOp<arith::IndexCastOp>())
      stored = cast.getIn();
    if (draw || !(draw = stored.getDefiningOp<memref::AtomicRMWOp>()))
      return false;
  }
  APInt step;
  return draw && draw.getKind() == arith::AtomicRMWKind::addi &&
         matchPattern(draw.getValue(), m_ConstantInt(&step)) &&
         step.isStrictlyPositive() &&
         !draw.getMemref().getDefiningOp<memref::ViewOp>();
}

IndexExpr PairModel::getUnknown(Value value, Owner side) {
  Owner owner = getOwner(value, side);
  if (owner == Owner::Both && side != Owner::Both) {
    auto found = known.find({value, unsigned(Owner::Both)});
    if (found != known.end())
      return found->second;
  }
  bool isData =
      value.getDefiningOp() && !isa<gpu::GridDimOp>(value.getDefiningOp());
  bool isBlock = question.between == Between::Blocks && isDrawn(value);
  if (isBlock)
    owner = side;
  IndexExpr result = makeUnknown({owner, ranges.get(value), isBlock, isData});
  known.try_emplace({value, unsigned(owner)}, result);
  return result;
}

IndexExpr PairModel::get(Value value, Owner side) {
  auto found = known.find({value, unsigned(side)});
  if (found != known.end())
    return found->second;
  IndexExpr result = compute(value, side);
  known.try_emplace({value, unsigned(side)}, result);
  return result;
}

IndexExpr PairModel::compute(Value value, Owner side) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgument(argument, side);
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return constant(number.getBitWidth() == 1 ? number.getZExtValue()
                                              : number.getSExtValue());
  return llvm::TypeSwitch<Operation *, IndexExpr>(op)
      .Case([&](gpu::ThreadIdOp) { return getThread(side); })
      .Case([&](gpu::LaneIdOp) {
        return IndexExpr::binary(Kind::Mod, getThread(side),
                                 constant(warpSize));
      })
      .Case([&](gpu::BlockIdOp) { return getBlock(side); })
      .Case([&](gpu::BlockDimOp) { return constant(threads); })
      .Case([&](memref::DimOp dim) {
        auto view = dim.getSource().getDefiningOp<memref::ReinterpretCastOp>();
        std::optional<int64_t> index = dim.getConstantIndex();
        if (!view || !index)
          return getUnknown(value, side);
        OpFoldResult size = view.getMixedSizes()[*index];
        if (auto attribute = dyn_cast<Attribute>(size))
          return constant(cast<IntegerAttr>(attribute).getInt());
        return get(cast<Value>(size), side);
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = result.getResultNumber();
        return IndexExpr::select(Compare::Equal,
                                 get(branch.getCondition(), side), constant(0),
                                 get(branch.elseYield().getOperand(i), side),
                                 get(branch.thenYield().getOperand(i), side));
      })
      .Case([&](scf::ForOp) {
        if (std::optional<IndexExpr> last = getLoopResult(result))
          return *last;
        return getUnknown(value, side);
      })
      .Default([&](Operation *op) { return computeArith(op, side); });
}

IndexExpr PairModel::computeArith(Operation *op, Owner side) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i), side); };
  auto binary = [&](Kind kind) {
    return IndexExpr::binary(kind, operand(0), operand(1));
  };
  auto compared = [&](Compare how, bool swap = false) {
    return compare(how, operand(swap), operand(!swap));
  };
  using Predicate = arith::CmpIPredicate;
  return llvm::TypeSwitch<Operation *, IndexExpr>(op)
      .Case([&](arith::AddIOp) { return binary(Kind::Add); })
      .Case([&](arith::SubIOp) { return binary(Kind::Sub); })
      .Case([&](arith::MulIOp) { return binary(Kind::Mul); })
      .Case([&](arith::DivUIOp) {
        // All lanes of a warp have the same quotient by the warp's size.
        APInt divisor;
        if (question.between == Between::Lanes &&
            op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>() &&
            matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
            divisor.getZExtValue() % warpSize == 0 && !divisor.isZero()) {
          getThread(side);
          return IndexExpr::binary(Kind::FloorDiv, *warp,
                                   constant(divisor.getZExtValue() / warpSize));
        }
        return binary(Kind::FloorDiv);
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>(
          [&](auto) { return binary(Kind::FloorDiv); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        APInt divisor;
        if (question.between == Between::Lanes &&
            op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>() &&
            matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
            divisor == warpSize) {
          getThread(side);
          return *lanes[static_cast<unsigned>(side)];
        }
        return binary(Kind::Mod);
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) {
        return IndexExpr::binary(
            Kind::FloorDiv, operand(0) + operand(1) - constant(1), operand(1));
      })
      .Case([&](arith::AndIOp) { return binary(Kind::And); })
      .Case([&](arith::OrIOp) { return binary(Kind::Or); })
      .Case([&](arith::XOrIOp) { return binary(Kind::Xor); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) {
        return IndexExpr::binary(isa<arith::ShLIOp>(op) ? Kind::Shl : Kind::Shr,
                                 operand(0), getShift(op->getOperand(1), side));
      })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return binary(Kind::Min); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return binary(Kind::Max); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>([&](auto) { return operand(0); })
      .Case([&](arith::SelectOp) {
        return IndexExpr::select(Compare::Equal, operand(0), constant(0),
                                 operand(2), operand(1));
      })
      .Case([&](arith::CmpIOp cmp) {
        switch (cmp.getPredicate()) {
        case Predicate::eq:
          return compared(Compare::Equal);
        case Predicate::ne:
          return negate(compared(Compare::Equal));
        case Predicate::slt:
          return compared(Compare::Less);
        case Predicate::sle:
          return compared(Compare::LessEqual);
        case Predicate::sgt:
          return compared(Compare::Less, true);
        case Predicate::sge:
          return compared(Compare::LessEqual, true);
        case Predicate::ult:
          return compared(Compare::UnsignedLess);
        case Predicate::ule:
          return compared(Compare::UnsignedLessEqual);
        case Predicate::ugt:
          return compared(Compare::UnsignedLess, true);
        case Predicate::uge:
          return compared(Compare::UnsignedLessEqual, true);
        }
        llvm_unreachable("all predicates are listed");
      })
      .Default([&](Operation *) { return getUnknown(op->getResult(0), side); });
}

/// By how many bits something is shifted. More than there are has no meaning,
/// so where the number comes from others of which nothing is known, it is one
/// of few: what else is known of it is given up.
IndexExpr PairModel::getShift(Value amount, Owner side) {
  IndexExpr shift = get(amount, side);
  std::optional<IndexRange> range = shift.getRange();
  constexpr int64_t many = 1024;
  if (range && range->min > -many && range->max < many)
    return shift;
  Owner owner = getOwner(amount, side);
  auto [found, isNew] = shifts.try_emplace({amount, unsigned(owner)}, shift);
  if (isNew)
    found->second =
        makeUnknown({owner, IndexRange{0, 63}, false, /*isData=*/true});
  return found->second;
}

/// What a loop that has just ended gives, by its last turn: the one that the
/// first access is in.
std::optional<IndexExpr> PairModel::getLoopResult(OpResult result) {
  auto loop = cast<scf::ForOp>(result.getOwner());
  const PastLoop *past = findPast(loop);
  if (past == first->past.end() || !past->left || past->age != Age::ThisTurn)
    return std::nullopt;
  // The same run of the loop: nothing around it has turned since.
  for (const PastLoop *outer = first->past.begin(); outer != past; ++outer)
    if (outer->left || outer->age != Age::ThisTurn)
      return std::nullopt;
  for (Operation *outer = loop->getParentOp(); outer != kernel;
       outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer) && findPast(outer) == first->past.end())
      return std::nullopt;
  return get(loop.getYieldedValues()[result.getResultNumber()], Owner::First);
}

/// The numbers of the turns that loops are in.
using Turns = llvm::SmallDenseMap<Value, int64_t>;

/// How often `value` is 1 - `from`, one after the other, through loops of which
/// the number of turns is known where `turns` has the numbers of those around;
/// nothing if it is made in another way.
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
      return *a + *b;
  }
  return std::nullopt;
}

/// The flips of carried value `i` in all turns of `loop`, or in all but the
/// last.
static std::optional<int64_t> getLoopFlips(scf::ForOp loop, unsigned i,
                                           Turns &turns, bool isBeforeLast) {
  constexpr int64_t maxTurns = 1024;
  std::optional<int64_t> from = getNumber(loop.getLowerBound(), turns);
  std::optional<int64_t> to = getNumber(loop.getUpperBound(), turns);
  if (!from || !to || *to - *from > maxTurns ||
      !isConstantIntValue(loop.getStep(), 1))
    return std::nullopt;
  int64_t flips = 0;
  for (int64_t turn = *from; turn < *to - isBeforeLast; ++turn) {
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

/// A value that turns of `loop` flip between 0 and 1.
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
  // In the last turn: after those before it.
  const PastLoop *past = findPast(loop);
  if (side == Owner::First && past != first->past.end() && past->left &&
      past->age == Age::ThisTurn) {
    Turns turns;
    unsigned i = argument.getArgNumber() - loop.getNumInductionVars();
    if (std::optional<int64_t> flips =
            getLoopFlips(loop, i, turns, /*isBeforeLast=*/true))
      return flip(constant(*flips % 2));
  }
  // Every turn flips it, or none does.
  Turns turns;
  std::optional<int64_t> flips =
      getFlips(loop.getTiedLoopYieldedValue(argument)->get(), argument, turns);
  if (!flips)
    return std::nullopt;
  if (*flips % 2 == 0)
    return start;
  return flip(getTurn(loop, side) - get(loop.getLowerBound(), side));
}

IndexExpr PairModel::getArgument(BlockArgument argument, Owner side) {
  Operation *parent = argument.getOwner()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return getUnknown(argument, side);
  if (argument == loop.getInductionVar())
    return getTurn(loop, side);
  if (std::optional<IndexExpr> slot = getSlot(loop, argument, side))
    return *slot;
  if (side == Owner::Second) {
    if (const PastLoop *past = findPast(loop);
        past != first->past.end() && !past->left) {
      if (past->age == Age::LastTurn)
        return get(loop.getTiedLoopYieldedValue(argument)->get(), Owner::First);
    } else if (const NewLoop *begun = findBegun(loop);
               begun != first->begun.end() && begun->firstTurn) {
      return get(loop.getTiedLoopInit(argument)->get(), Owner::Second);
    }
  }
  return getUnknown(argument, side);
}

/// The induction variable of `loop` in the turn that `side` is in.
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
    question.conditions.push_back(compare(Compare::Less, a, b));
  };
  auto lessEqual = [&](IndexExpr a, IndexExpr b) {
    question.conditions.push_back(compare(Compare::LessEqual, a, b));
  };
  if (isShared)
    return remember(makeTurn(loop, side, Owner::Both));
  if (side == Owner::First) {
    IndexExpr turn = remember(makeTurn(loop, side, Owner::First));
    if (isPast && past->left && past->age != Age::Earlier) {
      // The last turn, or the one before it.
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

/// A turn of `loop` about which nothing else is known.
IndexExpr PairModel::makeTurn(scf::ForOp loop, Owner side, Owner owner) {
  IndexExpr start = get(loop.getLowerBound(), side);
  IndexExpr step = get(loop.getStep(), side);
  IndexExpr bound = get(loop.getUpperBound(), side);
  std::optional<IndexRange> range = ranges.get(loop.getInductionVar());
  IndexExpr turn = constant(0);
  if (std::optional<int64_t> stride = step.getConstant();
      stride && *stride > 0) {
    IndexRange count{0, std::numeric_limits<int64_t>::max()};
    std::optional<IndexRange> from = start.getRange();
    std::optional<IndexRange> to = bound.getRange();
    if (from && to)
      count.max = std::max<int64_t>(0, (to->max - 1 - from->min) / *stride);
    if (from && range && range->max < (int64_t(1) << 40))
      count.max = std::min(
          count.max, std::max<int64_t>(0, (range->max - from->min) / *stride));
    int64_t most = getMostIndex(loop, owner == Owner::Both ? owner : side);
    if (from && most != std::numeric_limits<int64_t>::max())
      count.max = std::min(
          count.max, std::max<int64_t>(0, (most - 1 - from->min) / *stride));
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
    std::optional<IndexRange> within = rest.getRange();
    if (chunk > 0 && within && within->min >= 0 && within->max < chunk) {
      int64_t most = std::numeric_limits<int64_t>::max();
      if (std::optional<IndexRange> to = bound.getRange())
        most = std::max<int64_t>(0, (to->max - 1) / chunk);
      turn = makeUnknown({owner, IndexRange{0, most}, true}) * constant(chunk) +
             rest.toExpr();
    } else {
      turn = makeUnknown({owner, range});
      question.conditions.push_back(compare(Compare::LessEqual, start, turn));
    }
  }
  question.conditions.push_back(compare(Compare::Less, turn, bound));
  return turn;
}

/// The conditions under which `side` comes to `op`.
void PairModel::addGuards(Operation *op, Owner side) {
  for (; op != kernel; op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      IndexExpr condition = get(branch.getCondition(), side);
      bool isThen = op->getParentRegion() == &branch.getThenRegion();
      question.conditions.push_back(isThen ? condition : negate(condition));
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      getTurn(loop, side);
    }
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The distances of elements, in elements.
std::optional<SmallVector<IndexExpr>> PairModel::getStrides(Value array,
                                                            Owner side) {
  SmallVector<IndexExpr> strides;
  if (auto view = array.getDefiningOp<memref::ReinterpretCastOp>()) {
    for (OpFoldResult stride : view.getMixedStrides()) {
      if (auto attribute = dyn_cast<Attribute>(stride))
        strides.push_back(constant(cast<IntegerAttr>(attribute).getInt()));
      else
        strides.push_back(get(cast<Value>(stride), side));
    }
    return strides;
  }
  auto [numbers, offset] =
      cast<MemRefType>(array.getType()).getStridesAndOffset();
  for (int64_t stride : numbers) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    strides.push_back(constant(stride));
  }
  return strides;
}

/// The offset of an element from the root, in bytes.
IndexExpr PairModel::getByteAddress(const MemoryAccess &access, Owner side) {
  auto type = cast<MemRefType>(access.array.getType());
  int64_t bytes = type.getElementType().isIndex()
                      ? 8
                      : (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
  IndexExpr address = constant(0);
  if (auto view = access.array.getDefiningOp<memref::ViewOp>()) {
    address = get(view.getByteShift(), side);
  } else if (auto cast =
                 access.array.getDefiningOp<memref::ReinterpretCastOp>()) {
    OpFoldResult offset = cast.getMixedOffsets().front();
    if (auto attribute = dyn_cast<Attribute>(offset))
      address = constant(mlir::cast<IntegerAttr>(attribute).getInt() * bytes);
    else
      address = get(mlir::cast<Value>(offset), side) * constant(bytes);
  } else if (access.array != access.root) {
    return getUnknown(access.array, side);
  }
  std::optional<SmallVector<IndexExpr>> strides =
      getStrides(access.array, side);
  if (!strides)
    return getUnknown(access.array, side);
  for (auto [index, stride] : llvm::zip_equal(access.indices, *strides))
    address = address + get(index, side) * stride * constant(bytes);
  return address;
}

/// The parameter of a kernel that `array` is a whole view of.
static Value getParameter(Value array) {
  auto view = array.getDefiningOp<memref::ReinterpretCastOp>();
  return view && isa<BlockArgument>(view.getSource()) ? view.getSource()
                                                      : Value();
}

void PairModel::addMeetings(MemoryAccess a, MemoryAccess b) {
  // In one array, permuted alike, elements meet where they do unpermuted.
  int64_t modulus = 0, otherModulus = 0;
  Value first = getUnswizzled(a, modulus);
  Value second = getUnswizzled(b, otherModulus);
  if (first && second && a.array == b.array && modulus == otherModulus) {
    a.indices.back() = first;
    b.indices.back() = second;
  }
  // Every access is within its array: the compiler has checked that, or the
  // emulator does.
  auto addBounds = [&](const MemoryAccess &access, Owner side) {
    auto type = cast<MemRefType>(access.array.getType());
    for (auto [dimension, index] : llvm::enumerate(access.indices)) {
      IndexExpr number = get(index, side);
      question.conditions.push_back(
          compare(Compare::LessEqual, constant(0), number));
      std::optional<IndexExpr> size;
      if (!type.isDynamicDim(dimension))
        size = constant(type.getDimSize(dimension));
      else if (auto view =
                   access.array.getDefiningOp<memref::ReinterpretCastOp>())
        if (auto value = dyn_cast<Value>(view.getMixedSizes()[dimension]))
          size = get(value, side);
      if (size)
        question.conditions.push_back(compare(Compare::Less, number, *size));
    }
  };
  addBounds(a, Owner::First);
  addBounds(b, Owner::Second);
  // Elements of one array with sizes that are not known: the same element has
  // the same indices. Two parameters that may be one array have equal sizes.
  bool isOneArray =
      a.array == b.array ||
      (a.root == b.root && getParameter(a.array) != getParameter(b.array) &&
       a.indices.size() == b.indices.size());
  if (isOneArray && a.bytes == b.bytes && !a.isShared &&
      !cast<MemRefType>(a.array.getType()).hasStaticShape() &&
      getOwner(a.array, Owner::First) == Owner::Both) {
    for (auto [i, j] : llvm::zip_equal(a.indices, b.indices))
      question.meetings.push_back(
          {get(i, Owner::First), get(j, Owner::Second), 1, 1});
    return;
  }
  question.meetings.push_back({getByteAddress(a, Owner::First),
                               getByteAddress(b, Owner::Second), a.bytes,
                               b.bytes});
}
