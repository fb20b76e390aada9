//===- PairModel.cpp - Two accesses as a query about numbers --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairModel.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

void PairModel::start(const PendingAccess &pending, const MemoryAccess &later,
                      Between between) {
  query = OverlapQuery();
  query.between = between;
  query.threads = threads;
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
}

OverlapQuery PairModel::ask(const PendingAccess &pending,
                            const MemoryAccess &later, Between between,
                            ValueRange unequal) {
  start(pending, later, between);
  query.firstThread = getThread(Owner::First);
  query.secondThread = getThread(Owner::Second);
  if (between == Between::Blocks) {
    getBlock(Owner::First);
    getBlock(Owner::Second);
  }
  query.isComplete = pending.isCertain;
  query.masks = pending.masks;
  addGuards(*pending.access, Owner::First);
  addGuards(later, Owner::Second);
  addDimensions(*pending.access, later);
  if (!unequal.empty()) {
    IndexExpr areEqual = constant(1);
    for (Value value : unequal)
      areEqual = areEqual & compare(Compare::Equal, get(value, Owner::First),
                                    get(value, Owner::Second));
    query.conditions.push_back(negate(areEqual));
  }
  return std::move(query);
}

/// One thread is sufficient for the query, so any pair of threads is used.
void PairModel::startOneThread(const PendingAccess &pending) {
  start(pending, *pending.access, Between::Warps);
  query.isOneThread = true;
  query.firstThread = getThread(Owner::First);
  addGuards(*pending.access, Owner::First);
}

OverlapQuery PairModel::askOtherThread(const MemoryAccess &access) {
  PendingAccess pending;
  pending.access = &access;
  startOneThread(pending);
  query.conditions.push_back(
      negate(compare(Compare::Equal, query.firstThread, constant(0))));
  return std::move(query);
}

OverlapQuery PairModel::askBounds(const MemoryAccess &access) {
  PendingAccess pending;
  pending.access = &access;
  assumesBounds = false;
  startOneThread(pending);
  IndexExpr isInBounds = constant(1);
  for (const IndexExpr &bound : getBounds(access, Owner::First))
    isInBounds = isInBounds & bound;
  query.conditions.push_back(negate(isInBounds));
  assumesBounds = true;
  return std::move(query);
}

IndexExpr PairModel::makeUnknown(Unknown unknown) {
  query.unknowns.push_back(unknown);
  return IndexExpr::symbol(query.unknowns.size() - 1, unknown.range);
}

IndexExpr PairModel::getThread(Owner side) {
  auto &lane = lanes[static_cast<unsigned>(side)];
  if (query.between != Between::Lanes) {
    if (!lane)
      lane = makeUnknown({side, IndexRange{0, threads - 1}});
    return *lane;
  }
  if (!warp)
    warp = makeUnknown({Owner::Both, IndexRange{0, (threads - 1) / warpSize}});
  if (!lane) {
    lane = makeUnknown({side, IndexRange{0, std::min(threads, warpSize) - 1}});
    // The last warp has fewer lanes.
    if (threads > warpSize && threads % warpSize != 0)
      query.conditions.push_back(compare(Compare::Less,
                                         *warp * constant(warpSize) + *lane,
                                         constant(threads)));
  }
  return *warp * constant(warpSize) + *lane;
}

IndexExpr PairModel::getBlock(Owner side) {
  if (query.between != Between::Blocks)
    side = Owner::Both;
  auto &block = blocks[static_cast<unsigned>(side)];
  if (!block)
    block = makeUnknown({side, IndexRange{0, (int64_t(1) << 31) - 2}, true});
  return *block;
}

/// The owner of a leaf `value` in the access of `side`.
Owner PairModel::getOwner(Value value, Owner side) {
  if (!uniformity.isUniform(value, query.between))
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

/// True if `value` is one number for all blocks and all iterations.
bool PairModel::isOneInLaunch(Value value) {
  llvm::SetVector<Value> parts;
  parts.insert(value);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Value part = parts[i];
    if (!uniformity.isUniform(part, Between::Blocks))
      return false;
    bool isInLoop = false;
    for (Operation *op = part.getParentRegion()->getParentOp(); op != kernel;
         op = op->getParentOp())
      isInLoop |= isa<LoopLikeOpInterface>(op);
    if (!isInLoop)
      continue;
    Operation *op = part.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    parts.insert_range(op->getOperands());
  }
  return true;
}

/// The operation of which `value` is the ticket, if all blocks draw from one
/// counter.
TicketOp PairModel::getTicket(Value value) {
  auto ticket = value.getDefiningOp<TicketOp>();
  auto isOne = [&](Value v) { return isOneInLaunch(v); };
  return ticket && isOne(ticket.getCounters()) &&
                 llvm::all_of(ticket.getIndices(), isOne)
             ? ticket
             : TicketOp();
}

IndexExpr PairModel::getUnknown(Value value, Owner side) {
  Owner owner = getOwner(value, side);
  if (owner == Owner::Both && side != Owner::Both) {
    auto found = known.find({value, unsigned(Owner::Both)});
    if (found != known.end())
      return found->second;
  }
  Unknown unknown{owner, ranges.get(value)};
  bool isParameter = isa<BlockArgument>(value) &&
                     value.getParentBlock() == &kernel.getBody().front();
  unknown.isData = !isParameter && !value.getDefiningOp<gpu::GridDimOp>();
  if (query.between == Between::Blocks)
    unknown.ticket = getTicket(value);
  if (unknown.ticket)
    unknown.owner = owner = side;
  IndexExpr result = makeUnknown(unknown);
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
        // A dimension that there is not has no meaning.
        if (!view || !index || *index < 0 || *index >= view.getType().getRank())
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
      .Case<scf::ForOp, scf::WhileOp>([&](auto) {
        if (std::optional<IndexExpr> last = getLoopResult(result, side))
          return *last;
        auto counted = dyn_cast<scf::ForOp>(op);
        if (std::optional<IndexExpr> slot =
                counted ? getLastSlot(counted, result.getResultNumber(), side)
                        : std::nullopt)
          return *slot;
        return getUnknown(value, side);
      })
      .Default([&](Operation *) { return computeArith(result, side); });
}

bool races::hasData(const OverlapQuery &query, const IndexExpr &expr) {
  return llvm::any_of(collectLeaves(expr, Kind::Symbol),
                      [&](const IndexExpr &leaf) {
                        return query.unknowns[leaf.getId()].isData;
                      });
}

static bool isNatural(const IndexExpr &expr) {
  std::optional<IndexRange> range = expr.getRange();
  return range && range->min >= 0;
}

/// The unsigned value of the low `bits` bits.
static IndexExpr extendZeros(const IndexExpr &expr, unsigned bits) {
  return expr & constant(llvm::maskTrailingOnes<uint64_t>(bits));
}

/// A result as a number of `type`: one bit is 0 or 1, all others have signs.
/// Types of 64 bits are left to `mayWrap`.
IndexExpr PairModel::wrapTo(const IndexExpr &expr, Type type) {
  if (!type.isIntOrIndex() || getBits(type) >= 64)
    return expr;
  int64_t half = type.isInteger(1) ? 0 : int64_t(1) << (getBits(type) - 1);
  int64_t most = llvm::maskTrailingOnes<uint64_t>(getBits(type)) - half;
  std::optional<IndexRange> range = expr.getRange();
  if (range && range->min >= -half && range->max <= most)
    return expr;
  return extendZeros(expr + constant(half), getBits(type)) - constant(half);
}

/// The number of `type` that a cast makes of `expr`. Unlike arithmetic, a cast
/// may be there to cut bits off; only what 32 bits do not hold is taken to fit
/// where nothing else is known.
IndexExpr PairModel::narrow(const IndexExpr &expr, Type type) {
  unsigned bits = getBits(type);
  if (bits >= 64 || (bits == 32 && !expr.getRange()))
    return expr;
  IndexExpr low = extendZeros(expr, bits);
  if (type.isInteger(1))
    return low;
  int64_t half = int64_t(1) << (bits - 1);
  std::optional<IndexRange> range = expr.getRange();
  return range && range->min >= -half && range->max < half
             ? expr
             : extendZeros(expr + constant(half), bits) - constant(half);
}

/// The number that `sum` puts together again: n / d * d + n % d = n, for all
/// numbers without a sign.
static Value getDivided(arith::AddIOp sum) {
  if (!sum)
    return {};
  for (unsigned i : {0, 1}) {
    auto product = sum->getOperand(i).getDefiningOp<arith::MulIOp>();
    auto rest = sum->getOperand(1 - i).getDefiningOp<arith::RemUIOp>();
    if (!product || !rest)
      continue;
    for (unsigned j : {0, 1}) {
      auto quotient = product->getOperand(j).getDefiningOp<arith::DivUIOp>();
      if (quotient && quotient->getOperands() == rest->getOperands() &&
          product->getOperand(1 - j) == rest.getRhs())
        return rest.getLhs();
    }
  }
  return {};
}

/// The value of `operand` as an unsigned operation reads it. Nothing for one of
/// 64 bits that may be negative.
std::optional<IndexExpr> PairModel::getNatural(Value operand, Owner side) {
  if (Value whole = getDivided(operand.getDefiningOp<arith::AddIOp>()))
    operand = whole;
  IndexExpr expr = get(operand, side);
  std::optional<IndexRange> range = ranges.get(operand);
  if (isNatural(expr) || (range && range->min >= 0))
    return expr;
  if (unsigned bits = getBits(operand.getType()); bits < 64)
    return extendZeros(expr, bits);
  return std::nullopt;
}

/// True for arithmetic on numbers with small bounds whose result does not fit
/// 64 bits.
static bool mayWrap(const IndexExpr &expr) {
  auto isSmall = [](const IndexExpr &operand) {
    constexpr int64_t huge = int64_t(1) << 48;
    std::optional<IndexRange> range = operand.getRange();
    return operand.getConstant() ||
           (range && range->min > -huge && range->max < huge);
  };
  bool isSum = llvm::is_contained({Kind::Add, Kind::Sub, Kind::Mul, Kind::Shl},
                                  expr.getKind());
  // For a shift by an unknown number, a condition requires that it fits.
  if (expr.getKind() == Kind::Shl && !expr.getOperands()[1].getConstant())
    return false;
  return isSum && !expr.getRange() && llvm::all_of(expr.getOperands(), isSmall);
}

IndexExpr PairModel::computeArith(OpResult result, Owner side) {
  IndexExpr expr = computeUnwrapped(result, side);
  if (result.getType().isIntOrIndex() && getBits(result.getType()) >= 64 &&
      mayWrap(expr))
    return getUnknown(result, side);
  return wrapTo(expr, result.getType());
}

IndexExpr PairModel::computeUnwrapped(OpResult result, Owner side) {
  Operation *op = result.getOwner();
  auto operand = [&](unsigned i) { return get(op->getOperand(i), side); };
  auto binary = [&](Kind kind) {
    return IndexExpr::binary(kind, operand(0), operand(1));
  };
  auto unknown = [&] { return getUnknown(result, side); };
  auto natural = [&](Kind kind) {
    std::optional<IndexExpr> a = getNatural(op->getOperand(0), side);
    std::optional<IndexExpr> b = getNatural(op->getOperand(1), side);
    return a && b ? IndexExpr::binary(kind, *a, *b) : unknown();
  };
  return llvm::TypeSwitch<Operation *, IndexExpr>(op)
      .Case([&](arith::AddIOp sum) {
        Value whole = getDivided(sum);
        return whole ? get(whole, side) : binary(Kind::Add);
      })
      .Case([&](arith::SubIOp) { return binary(Kind::Sub); })
      .Case([&](arith::MulIOp) { return binary(Kind::Mul); })
      .Case([&](arith::DivUIOp) {
        // All lanes of a warp have the same quotient by the warp's size.
        APInt divisor;
        if (query.between == Between::Lanes &&
            op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>() &&
            matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
            divisor.getZExtValue() % warpSize == 0 && !divisor.isZero()) {
          getThread(side);
          return IndexExpr::binary(Kind::FloorDiv, *warp,
                                   constant(divisor.getZExtValue() / warpSize));
        }
        return natural(Kind::FloorDiv);
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::RemSIOp>([&](auto) {
        if (std::optional<IndexExpr> quotient = getQuotient(op, side))
          return *quotient;
        return unknown();
      })
      .Case([&](arith::RemUIOp) {
        APInt divisor;
        if (query.between == Between::Lanes &&
            op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>() &&
            matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
            divisor == warpSize) {
          getThread(side);
          return *lanes[static_cast<unsigned>(side)];
        }
        // For a power of two, the remainder is the low bits, for either sign.
        if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
            divisor.isPowerOf2() && !isNatural(operand(0)))
          return operand(0) & constant(divisor.getZExtValue() - 1);
        return natural(Kind::Mod);
      })
      .Case([&](arith::CeilDivUIOp) {
        std::optional<IndexExpr> a = getNatural(op->getOperand(0), side);
        std::optional<IndexExpr> b = getNatural(op->getOperand(1), side);
        if (!a || !b)
          return unknown();
        return IndexExpr::binary(Kind::FloorDiv, *a + *b - constant(1), *b);
      })
      .Case([&](arith::AndIOp) { return binary(Kind::And); })
      .Case([&](arith::OrIOp) { return binary(Kind::Or); })
      .Case([&](arith::XOrIOp) { return binary(Kind::Xor); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) {
        std::optional<IndexExpr> shifted = operand(0);
        if (isa<arith::ShRUIOp>(op))
          shifted = getNatural(op->getOperand(0), side);
        if (!shifted || (isa<arith::ShRSIOp>(op) && !isNatural(*shifted)))
          return unknown();
        std::optional<IndexRange> range = shifted->getRange();
        IndexExpr amount = getShift(op->getOperand(1), side);
        bool isLeft = isa<arith::ShLIOp>(op);
        // A power of two does not wrap.
        if (isLeft && range && range->min > 0 && !amount.getConstant())
          query.conditions.push_back(
              compare(Compare::LessEqual, amount, constant(62)));
        return IndexExpr::binary(isLeft ? Kind::Shl : Kind::Shr, *shifted,
                                 amount);
      })
      // With a sign, true is -1, and less than false.
      .Case([&](arith::MinSIOp) {
        return binary(op->getResult(0).getType().isInteger(1) ? Kind::Max
                                                              : Kind::Min);
      })
      .Case([&](arith::MaxSIOp) {
        return binary(op->getResult(0).getType().isInteger(1) ? Kind::Min
                                                              : Kind::Max);
      })
      .Case([&](arith::MinUIOp) { return natural(Kind::Min); })
      .Case([&](arith::MaxUIOp) { return natural(Kind::Max); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](auto) {
        bool isBit = op->getOperand(0).getType().isInteger(1);
        return isBit ? constant(0) - operand(0)
                     : narrow(operand(0), op->getResult(0).getType());
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto) {
        return narrow(getNatural(op->getOperand(0), side).value_or(operand(0)),
                      op->getResult(0).getType());
      })
      .Case([&](arith::SelectOp) {
        return IndexExpr::select(Compare::Equal, operand(0), constant(0),
                                 operand(2), operand(1));
      })
      .Case([&](arith::CmpIOp cmp) {
        std::optional<IndexExpr> truth = compareNumbers(
            cmp, operand(0), operand(1), constant(1), constant(0));
        return truth ? *truth : unknown();
      })
      .Default([&](Operation *) { return unknown(); });
}

/// A signed division or remainder. Nothing where the divisor may not be
/// positive.
std::optional<IndexExpr> PairModel::getQuotient(Operation *op, Owner side) {
  IndexExpr a = get(op->getOperand(0), side), b = get(op->getOperand(1), side);
  std::optional<IndexRange> divisor = b.getRange(), dividend = a.getRange();
  if (!divisor || divisor->min <= 0)
    return std::nullopt;
  auto divide = [&](IndexExpr x) {
    return IndexExpr::binary(Kind::FloorDiv, x, b);
  };
  if (isa<arith::FloorDivSIOp>(op))
    return divide(a);
  if (isa<arith::CeilDivSIOp>(op))
    return divide(a + b - constant(1));
  // Towards zero.
  IndexExpr quotient = divide(a);
  if (!dividend || dividend->min < 0)
    quotient =
        IndexExpr::select(Compare::Less, a, constant(0),
                          constant(0) - divide(constant(0) - a), quotient);
  else if (isa<arith::RemSIOp>(op))
    return IndexExpr::binary(Kind::Mod, a, b);
  return isa<arith::RemSIOp>(op) ? a - quotient * b : quotient;
}

/// The amount of a shift. An amount of the width or more has no meaning. So if
/// it comes from unknown numbers, it is one of few values. Its operands are
/// kept beside the query.
IndexExpr PairModel::getShift(Value amount, Owner side) {
  IndexExpr shift = get(amount, side);
  std::optional<IndexRange> range = shift.getRange();
  constexpr int64_t many = 1024;
  if (range && range->min > -many && range->max < many)
    return shift;
  Owner owner = getOwner(amount, side);
  auto [found, isNew] = shifts.try_emplace({amount, unsigned(owner)}, shift);
  if (isNew) {
    query.shifts.push_back({unsigned(query.unknowns.size()), shift});
    found->second =
        makeUnknown({owner, IndexRange{0, 63}, false, /*isData=*/true});
  }
  return found->second;
}

/// The conditions under which `side` makes `access`.
void PairModel::addGuards(const MemoryAccess &access, Owner side) {
  if (access.isByFirstThread)
    query.conditions.push_back(
        compare(Compare::Equal, getThread(side), constant(0)));
  for (Operation *op = access.op; op != kernel; op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      IndexExpr condition = get(branch.getCondition(), side);
      bool isThen = op->getParentRegion() == &branch.getThenRegion();
      query.conditions.push_back(isThen ? condition : negate(condition));
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      getTurn(loop, side);
    } else if (isa<scf::WhileOp>(parent)) {
      // It is not known whether a while loop has this iteration.
      query.isComplete = false;
    }
  }
}
