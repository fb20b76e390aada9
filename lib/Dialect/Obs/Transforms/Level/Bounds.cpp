//===- Bounds.cpp - Bounds of indices -------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

/// Deeper arithmetic than this is not looked into.
static constexpr unsigned maxDepth = 16;
/// Larger numbers bound nothing, so sums and products of bounds do not wrap.
static constexpr int64_t huge = int64_t(1) << 31;

using Bound = std::optional<int64_t>;

static Bound limit(int64_t value) {
  return value < -huge || value > huge ? Bound() : Bound(value);
}

/// `a` combined with `b` where both are known.
static Bound both(Bound a, Bound b,
                  function_ref<int64_t(int64_t, int64_t)> combine) {
  return a && b ? limit(combine(*a, *b)) : Bound();
}

/// The better of two bounds of which one is enough.
static Bound either(Bound a, Bound b,
                    function_ref<int64_t(int64_t, int64_t)> combine) {
  return a && b ? Bound(combine(*a, *b)) : a ? a : b;
}

static Bounds compute(Value value, unsigned depth) {
  if (Bound constant = getConstantIntValue(value)) {
    Bound bound = limit(*constant);
    return {bound, bound};
  }
  if (depth == maxDepth)
    return {};
  auto get = [&](Value operand) { return compute(operand, depth + 1); };
  auto smaller = [](int64_t x, int64_t y) { return std::min(x, y); };
  auto larger = [](int64_t x, int64_t y) { return std::max(x, y); };
  auto less = [](int64_t x, int64_t y) { return x - y; };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return {};
    return {get(loop.getLowerBound()).min,
            both(get(loop.getUpperBound()).max, 1, less)};
  }
  Operation *op = value.getDefiningOp();
  if (isa<memref::DimOp>(op))
    return {0, std::nullopt};
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    Bounds a = get(choice.getTrueValue()), b = get(choice.getFalseValue());
    return {both(a.min, b.min, smaller), both(a.max, b.max, larger)};
  }
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return {0, op->getOperand(0).getType().isInteger(1) ? Bound(1) : Bound()};
  if (op->getNumOperands() != 2 || !value.getType().isIndex())
    return {};
  Bounds a = get(op->getOperand(0)), b = get(op->getOperand(1));
  bool positive = a.min && *a.min >= 0 && b.min && *b.min >= 0;
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case([&](arith::AddIOp) -> Bounds {
        auto add = [](int64_t x, int64_t y) { return x + y; };
        return {both(a.min, b.min, add), both(a.max, b.max, add)};
      })
      .Case([&](arith::SubIOp) -> Bounds {
        return {both(a.min, b.max, less), both(a.max, b.min, less)};
      })
      .Case([&](arith::MulIOp) -> Bounds {
        auto multiply = [](int64_t x, int64_t y) { return x * y; };
        if (!positive)
          return {};
        return {both(a.min, b.min, multiply), both(a.max, b.max, multiply)};
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) -> Bounds {
        return {both(a.min, b.min, smaller), either(a.max, b.max, smaller)};
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) -> Bounds {
        return {either(a.min, b.min, larger), both(a.max, b.max, larger)};
      })
      // Unsigned operations are only used on what is not negative.
      .Case([&](arith::DivUIOp) -> Bounds {
        auto divide = [](int64_t x, int64_t y) { return x / y; };
        if (!b.min || *b.min <= 0)
          return {0, a.max};
        return {0, both(a.max, b.min, divide)};
      })
      .Case([&](arith::RemUIOp) -> Bounds { return {0, both(b.max, 1, less)}; })
      .Case([&](arith::ShLIOp) -> Bounds {
        return positive ? Bounds{a.min, std::nullopt} : Bounds();
      })
      .Case([&](arith::ShRUIOp) -> Bounds { return {0, a.max}; })
      .Case([&](arith::AndIOp) -> Bounds {
        return positive ? Bounds{0, either(a.max, b.max, smaller)} : Bounds();
      })
      .Default([](Operation *) { return Bounds(); });
}

Bounds obs::getBounds(Value value) { return compute(value, 0); }
