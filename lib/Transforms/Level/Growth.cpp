//===- Growth.cpp - Differences of values between neighbours --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic wraps around, and the analysis is correct for all numbers: blocks
// of 2^k numbers from a multiple of 2^k on do not contain the place where
// numbers wrap, with or without a sign.
//
//===----------------------------------------------------------------------===//

#include "Growth.h"
#include "Accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

bool Group::isDense() const {
  return !isCommon() && getMost() - getLeast() < int64_t(values.size());
}

bool Group::isOneByOne() const {
  for (auto [distance, value] : llvm::enumerate(values))
    if (value - values.front() != int64_t(distance))
      return false;
  return true;
}

bool Group::isAligned() const {
  return int64_t(1) << bits >= int64_t(values.size()) &&
         getLeast() % int64_t(values.size()) == 0;
}

Growths::Growths(Value counter, Block *body, int64_t items, bool assumesRows)
    : counter(counter), body(body), items(items), assumesRows(assumesRows) {
  // The tests that a group needs must not depend on the order of questions.
  body->walk([&](Operation *op) {
    for (Value result : op->getResults())
      get(result);
  });
}

Group Growths::getAll(int64_t number, unsigned bits) const {
  return {SmallVector<int64_t, 4>(items, number), bits};
}

bool Growths::isOutside(Value value) const {
  return !body->getParent()->isAncestor(value.getParentRegion());
}

std::optional<Group> Growths::get(Value value) {
  auto [found, isNew] = known.try_emplace(value, std::nullopt);
  if (!isNew)
    return found->second;
  std::optional<Group> group = compute(value);
  return known[value] = group;
}

std::optional<Group> Growths::compute(Value value) {
  if (value == counter) {
    Group group{{}, unsigned(llvm::Log2_64(items))};
    llvm::append_range(group.values, llvm::seq<int64_t>(items));
    return group;
  }
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return getAll(*number, Group::allBits);
  // A fraction of the length of a row, such as its middle.
  if (auto quotient = value.getDefiningOp<arith::DivUIOp>();
      quotient && getConstantIntValue(quotient.getRhs()) &&
      lengths.contains(quotient.getLhs()) && isMultiple(value, true))
    return getAll(0, llvm::Log2_64(items));
  if (isOutside(value))
    return getAll(0, 0);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
                   isCommon(loop.getLowerBound()) && isCommon(loop.getStep())
               ? std::optional(getAll(0, 0))
               : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  // No iteration writes an element that another one reads. So all iterations
  // read the same value if they read the same element.
  auto load = dyn_cast<memref::LoadOp>(op);
  bool isShared = load && isOutside(load.getMemRef());
  if (op->getNumRegions() != 0 || (!isMemoryEffectFree(op) && !isShared))
    return std::nullopt;
  if (std::optional<Group> group = combine(op))
    return group;
  bool isEqual = llvm::all_of(op->getOperands(),
                              [&](Value operand) { return isCommon(operand); });
  return isEqual ? std::optional(getAll(0, 0)) : std::nullopt;
}

/// The results of operations that the analysis knows; empty for others.
std::optional<Group> Growths::combine(Operation *op) {
  if (op->getNumOperands() == 3)
    return choose(op);
  if (op->getNumOperands() != 2)
    return std::nullopt;
  if (isa<arith::CmpIOp>(op))
    return compare(op);
  Value left = op->getOperand(0), right = op->getOperand(1);
  std::optional<int64_t> number = getConstantIntValue(right);
  bool isShift = isa<arith::ShRUIOp>(op) && number && *number >= 0 &&
                 *number < Group::allBits;
  bool isMask = isa<arith::AndIOp>(op) && number && *number >= 0 &&
                llvm::isPowerOf2_64(*number + 1);
  bool isClear = isa<arith::AndIOp>(op) && number && *number < 0 &&
                 llvm::isPowerOf2_64(-uint64_t(*number));
  if (isShift || isMask || isClear || isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    if (isShift)
      number = int64_t(1) << *number;
    if (isMask)
      number = *number + 1;
    if (isClear)
      number = -uint64_t(*number);
    if (!canBuild(op->getResult(0)))
      return std::nullopt;
    std::optional<Group> result = divide(
        left, right, number, isShift || isClear || isa<arith::DivUIOp>(op));
    if (isClear && result)
      for (int64_t &value : result->values)
        value *= *number;
    if (result && !isCommon(left))
      keys.push_back(op);
    return result;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Group> a = get(left), b = get(right);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op) && !a->isKnown())
    std::swap(a, b);
  if (isa<arith::MulIOp>(op) && (!a->isKnown() || !a->isCommon()))
    return std::nullopt;
  Group result{{}, std::min(a->bits, b->bits)};
  for (auto [x, y] : llvm::zip_equal(a->values, b->values)) {
    uint64_t ux = x, uy = y;
    result.values.push_back(isa<arith::MulIOp>(op)   ? ux * uy
                            : isa<arith::AddIOp>(op) ? ux + uy
                                                     : ux - uy);
  }
  if (isa<arith::MulIOp>(op) && !b->isKnown())
    result.bits = std::min<unsigned>(
        b->bits + llvm::countr_zero(uint64_t(a->values.front())),
        Group::allBits - 1);
  return result;
}

/// The quotient, or else the remainder, of `dividend` by `divisor`, which is
/// `number` if this is known.
std::optional<Group> Growths::divide(Value dividend, Value divisor,
                                     std::optional<int64_t> number,
                                     bool isQuotient) {
  std::optional<Group> group = get(dividend);
  if (!group || group->isCommon() || !isCommon(divisor) ||
      group->getLeast() < 0 || group->getMost() >= int64_t(1) << group->bits ||
      (number && *number <= 0))
    return std::nullopt;
  // The group is in a block of 2^span numbers.
  unsigned span = llvm::Log2_64_Ceil(group->getMost() + 1);
  if (number && llvm::isPowerOf2_64(*number) && *number <= int64_t(1) << span) {
    unsigned shift = llvm::Log2_64(*number);
    for (int64_t &value : group->values)
      value = isQuotient ? value >> shift : value & (*number - 1);
    group->bits = isQuotient ? group->bits - shift : Group::allBits;
    return group;
  }
  bool isOfCounter = dividend == counter;
  bool fits =
      number ? *number % (int64_t(1) << span) == 0
             : int64_t(1) << span <= items && isMultiple(divisor, isOfCounter);
  if (!fits && !(assumesRows && isOfCounter))
    return std::nullopt;
  if (isQuotient)
    return getAll(0, 0);
  group->bits = std::min<unsigned>(
      group->bits, fits && number ? llvm::countr_zero(uint64_t(*number))
                                  : llvm::Log2_64(items));
  return group;
}

/// True if `length` must be a multiple of `items`, which the user of the
/// analysis tests before the loop. A test that seldom holds would make other
/// groups slow, so only lengths of rows are tested, and fractions of them.
bool Growths::isMultiple(Value length, bool isOfCounter) {
  auto quotient = length.getDefiningOp<arith::DivUIOp>();
  bool isFraction = quotient && getConstantIntValue(quotient.getRhs()) &&
                    lengths.contains(quotient.getLhs());
  if ((!isOfCounter && !isFraction) || (!assumesRows && !isOutside(length)))
    return false;
  lengths.insert(length);
  return true;
}

/// A comparison that is the same for the whole group. Numbers below a limit
/// that is in no block with both kinds of numbers are such.
std::optional<Group> Growths::compare(Operation *op) {
  auto comparison = cast<arith::CmpIOp>(op);
  std::optional<Group> a = get(comparison.getLhs()),
                       b = get(comparison.getRhs());
  if (!a || !b || a->isCommon() == b->isCommon())
    return std::nullopt;
  using arith::CmpIPredicate;
  CmpIPredicate predicate = comparison.getPredicate();
  bool includesEqual =
      llvm::is_contained({CmpIPredicate::sle, CmpIPredicate::ule,
                          CmpIPredicate::sgt, CmpIPredicate::ugt},
                         predicate);
  if (a->isCommon()) {
    std::swap(a, b);
    includesEqual = llvm::is_contained({CmpIPredicate::slt, CmpIPredicate::ult,
                                        CmpIPredicate::sge, CmpIPredicate::uge},
                                       predicate);
  }
  unsigned bits = std::min(a->bits, b->bits);
  if (a->getLeast() < 0 || a->getMost() >= int64_t(1) << bits ||
      !canBuild(comparison))
    return std::nullopt;
  int64_t mask = (int64_t(1) << bits) - 1;
  int64_t limit = (b->values.front() + includesEqual) & mask;
  bool isEquality =
      llvm::is_contained({CmpIPredicate::eq, CmpIPredicate::ne}, predicate);
  bool isSame = limit > a->getMost() ||
                (isEquality ? limit < a->getLeast() : limit <= a->getLeast());
  if (!isSame)
    return std::nullopt;
  keys.push_back(op);
  return getAll(0, 0);
}

/// A choice between two values with equal differences.
std::optional<Group> Growths::choose(Operation *op) {
  if (!isa<arith::SelectOp>(op) || !isCommon(op->getOperand(0)))
    return std::nullopt;
  std::optional<Group> a = get(op->getOperand(1)), b = get(op->getOperand(2));
  if (!a || !b)
    return std::nullopt;
  uint64_t distance = b->values.front() - a->values.front();
  for (auto [x, y] : llvm::zip_equal(a->values, b->values))
    if (uint64_t(y) - uint64_t(x) != distance)
      return std::nullopt;
  a->bits = std::min({a->bits, b->bits, unsigned(llvm::countr_zero(distance)),
                      Group::allBits - 1});
  return a;
}

std::optional<Group> Growths::getElement(Operation *access) {
  auto [memory, indices] = getIndexedMemory(access);
  auto type = cast<MemRefType>(memory.getType());
  Group element = getAll(0, Group::allBits);
  // The distance of two elements; 0 if only its low bits are known, which are
  // zero.
  int64_t stride = 1;
  unsigned zeros = 0;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    std::optional<Group> group = get(indices[d]);
    if (!group || (stride == 0 && !group->isCommon()))
      return std::nullopt;
    if (stride != 0)
      for (auto [sum, value] : llvm::zip_equal(element.values, group->values))
        sum = uint64_t(sum) + uint64_t(value) * uint64_t(stride);
    if (stride == 0 || !group->isKnown())
      element.bits =
          std::min(element.bits, (stride != 0 ? group->bits : 0) + zeros);
    if (type.isDynamicDim(d)) {
      zeros += d == type.getRank() - 1 ? llvm::Log2_64(items) : 0;
      stride = 0;
    } else if (type.getDimSize(d) > 0) {
      stride *= type.getDimSize(d);
      zeros += llvm::countr_zero(uint64_t(type.getDimSize(d)));
    }
  }
  return element;
}

SmallVector<GroupAccess> Growths::getAccesses() {
  SmallVector<GroupAccess> accesses;
  body->walk([&](Operation *op) {
    if (!isa<memref::LoadOp, memref::StoreOp>(op))
      return;
    std::optional<Group> element = getElement(op);
    accesses.push_back({op, element, element && element->isDense()});
  });
  return accesses;
}

bool Growths::isDigit(Value value) {
  if (value == counter)
    return true;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::DivUIOp, arith::RemUIOp>(op) &&
         isDigit(op->getOperand(0));
}

bool Growths::canBuild(Value value) {
  if (value == counter || isOutside(value))
    return true;
  auto found = buildable.find(value);
  if (found != buildable.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  // A division in a branch may be one by zero elsewhere.
  bool result = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                (op->getBlock() == body || canSpeculate(op)) &&
                llvm::all_of(op->getOperands(),
                             [&](Value operand) { return canBuild(operand); });
  return buildable[value] = result;
}

Value Growths::buildFirst(OpBuilder &builder, Value value, IRMapping &map) {
  if (map.contains(value) || isOutside(value))
    return map.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    buildFirst(builder, operand, map);
  builder.clone(*op, map);
  return map.lookup(value);
}
