//===- IndexEvaluation.cpp - Run index arithmetic on numbers --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluation.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// Bits of an integer or index type; nullopt for others and for wide integers.
static std::optional<unsigned> getWidth(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 0 || integer.getWidth() > 64)
    return std::nullopt;
  return integer.getWidth();
}

static uint64_t mask(uint64_t value, unsigned width) {
  return value & llvm::maskTrailingOnes<uint64_t>(width);
}

static int64_t extend(uint64_t value, unsigned width) {
  return llvm::SignExtend64(value, width);
}

/// True where a signed quotient has no value: the divisor is zero, or -1 for
/// the least number.
static bool divisionIsUndefined(int64_t a, int64_t b) {
  return b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1);
}

static uint64_t getBit(uint64_t value, uint64_t bit) {
  return (value >> bit) & 1;
}

namespace {
/// How to compute one operation.
struct Rule {
  bool (*evaluate)(const uint64_t *, unsigned, uint64_t, uint64_t &) = nullptr;
  uint64_t data = 0;
};
} // namespace

/// The results of these functions are masked to the result's width afterwards.
static Rule getRule(Operation *op) {
  return llvm::TypeSwitch<Operation *, Rule>(op)
      .Case([](arith::AddIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] + a[1];
          return true;
        }};
      })
      .Case([](arith::SubIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] - a[1];
          return true;
        }};
      })
      .Case([](arith::MulIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] * a[1];
          return true;
        }};
      })
      .Case([](arith::DivUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[1] ? a[0] / a[1] : 0;
          return a[1] != 0;
        }};
      })
      .Case([](arith::RemUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[1] ? a[0] % a[1] : 0;
          return a[1] != 0;
        }};
      })
      .Case([](arith::CeilDivUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[1] ? a[0] / a[1] + (a[0] % a[1] != 0) : 0;
          return a[1] != 0;
        }};
      })
      .Case([](arith::DivSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          int64_t x = extend(a[0], w), y = extend(a[1], w);
          if (divisionIsUndefined(x, y))
            return false;
          r = x / y;
          return true;
        }};
      })
      .Case([](arith::RemSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          int64_t x = extend(a[0], w), y = extend(a[1], w);
          if (divisionIsUndefined(x, y))
            return false;
          r = x % y;
          return true;
        }};
      })
      .Case([](arith::FloorDivSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          int64_t x = extend(a[0], w), y = extend(a[1], w);
          if (divisionIsUndefined(x, y))
            return false;
          r = x / y - (x % y != 0 && (x < 0) != (y < 0));
          return true;
        }};
      })
      .Case([](arith::CeilDivSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          int64_t x = extend(a[0], w), y = extend(a[1], w);
          if (divisionIsUndefined(x, y))
            return false;
          r = x / y + (x % y != 0 && (x < 0) == (y < 0));
          return true;
        }};
      })
      .Case([](arith::AndIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] & a[1];
          return true;
        }};
      })
      .Case([](arith::OrIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] | a[1];
          return true;
        }};
      })
      .Case([](arith::XOrIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] ^ a[1];
          return true;
        }};
      })
      .Case([](arith::ShLIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = a[1] < w ? a[0] << a[1] : 0;
          return a[1] < w;
        }};
      })
      .Case([](arith::ShRUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = a[1] < w ? a[0] >> a[1] : 0;
          return a[1] < w;
        }};
      })
      .Case([](arith::ShRSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = a[1] < w ? extend(a[0], w) >> a[1] : 0;
          return a[1] < w;
        }};
      })
      .Case([](arith::MinUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = std::min(a[0], a[1]);
          return true;
        }};
      })
      .Case([](arith::MaxUIOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = std::max(a[0], a[1]);
          return true;
        }};
      })
      .Case([](arith::MinSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = std::min(extend(a[0], w), extend(a[1], w));
          return true;
        }};
      })
      .Case([](arith::MaxSIOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = std::max(extend(a[0], w), extend(a[1], w));
          return true;
        }};
      })
      .Case([](arith::CmpIOp compare) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t data, uint64_t &r) {
                  r = arith::applyCmpPredicate(
                      static_cast<arith::CmpIPredicate>(data), APInt(w, a[0]),
                      APInt(w, a[1]));
                  return true;
                },
                static_cast<uint64_t>(compare.getPredicate())};
      })
      .Case([](arith::SelectOp) -> Rule {
        return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
          r = a[0] ? a[1] : a[2];
          return true;
        }};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([](auto) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = extend(a[0], w);
          return true;
        }};
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp, arith::TruncIOp>(
          [](auto) -> Rule {
            return {[](const uint64_t *a, unsigned, uint64_t, uint64_t &r) {
              r = a[0];
              return true;
            }};
          })
      .Case([](InsertZeroOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          if (a[1] >= w)
            return false;
          uint64_t low = llvm::maskTrailingOnes<uint64_t>(a[1]);
          r = (a[0] & low) | ((a[0] & ~low) << 1);
          return true;
        }};
      })
      .Case([](FlipOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          r = a[1] < w ? a[0] ^ (uint64_t(1) << a[1]) : 0;
          return a[1] < w;
        }};
      })
      .Case([](FlipLowOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          if (a[1] >= w)
            return false;
          r = a[0] ^ llvm::maskTrailingOnes<uint64_t>(a[1] + 1);
          return true;
        }};
      })
      .Case([](RotateOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          if (a[2] > w || a[1] >= a[2])
            return false;
          r = a[0] & ~llvm::maskTrailingOnes<uint64_t>(a[2]);
          for (uint64_t i = 0; i < a[2]; ++i)
            r |= getBit(a[0], i) << ((i + a[1]) % a[2]);
          return true;
        }};
      })
      .Case([](BitReverseOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          if (a[1] > w)
            return false;
          r = a[0] & ~llvm::maskTrailingOnes<uint64_t>(a[1]);
          for (uint64_t i = 0; i < a[1]; ++i)
            r |= getBit(a[0], i) << (a[1] - 1 - i);
          return true;
        }};
      })
      .Case([](BitSwapOp) -> Rule {
        return {[](const uint64_t *a, unsigned w, uint64_t, uint64_t &r) {
          if (a[1] >= w || a[2] >= w)
            return false;
          uint64_t differ = getBit(a[0], a[1]) ^ getBit(a[0], a[2]);
          r = a[0] ^ (differ << a[1]);
          if (a[1] != a[2])
            r ^= differ << a[2];
          else
            r = a[0];
          return true;
        }};
      })
      .Default([](Operation *) { return Rule(); });
}

std::optional<IndexFunction> IndexFunction::compile(Region &body) {
  if (!llvm::hasSingleElement(body))
    return std::nullopt;
  Block &block = body.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return std::nullopt;

  IndexFunction function;
  llvm::DenseMap<Value, unsigned> slotOf;
  auto addSlot = [&](Value value, uint64_t number) {
    slotOf[value] = function.slots.size();
    function.slots.push_back(number);
  };
  function.numArguments = block.getNumArguments();
  for (Value argument : block.getArguments()) {
    std::optional<unsigned> width = getWidth(argument.getType());
    if (!width)
      return std::nullopt;
    function.argumentWidths.push_back(*width);
    addSlot(argument, 0);
  }
  // Constants first, so that a run touches the slots of the steps only.
  auto addConstants = [&](ValueRange values) {
    for (Value value : values) {
      APInt constant;
      if (slotOf.contains(value) || value.getParentBlock() == &block ||
          !getWidth(value.getType()) ||
          !matchPattern(value, m_ConstantInt(&constant)))
        continue;
      addSlot(value, constant.getZExtValue());
    }
  };
  for (Operation &op : block) {
    APInt constant;
    if (op.getNumResults() == 1 && getWidth(op.getResult(0).getType()) &&
        matchPattern(&op, m_ConstantInt(&constant)))
      addSlot(op.getResult(0), constant.getZExtValue());
    addConstants(op.getOperands());
  }
  function.firstStepSlot = function.slots.size();
  auto findSlots = [&](ValueRange values, auto &result) {
    for (Value value : values) {
      auto slot = slotOf.find(value);
      if (slot == slotOf.end())
        return false;
      result.push_back(slot->second);
    }
    return true;
  };
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1)
      return std::nullopt;
    if (slotOf.contains(op.getResult(0)))
      continue;
    Rule rule = getRule(&op);
    std::optional<unsigned> resultWidth = getWidth(op.getResult(0).getType());
    if (!rule.evaluate || !resultWidth || op.getNumOperands() == 0)
      return std::nullopt;
    std::optional<unsigned> width = getWidth(op.getOperand(0).getType());
    Step step{rule.evaluate, width.value_or(0), *resultWidth, rule.data, {}};
    if (!width || !findSlots(op.getOperands(), step.operands))
      return std::nullopt;
    function.steps.push_back(std::move(step));
    addSlot(op.getResult(0), 0);
  }
  if (!findSlots(yield.getOperands(), function.yields))
    return std::nullopt;
  for (Value value : yield.getOperands())
    function.yieldWidths.push_back(*getWidth(value.getType()));
  return function;
}

std::optional<ArrayRef<int64_t>>
IndexFunction::run(ArrayRef<int64_t> arguments) {
  for (unsigned i = 0; i < numArguments; ++i)
    slots[i] = mask(arguments[i], argumentWidths[i]);
  unsigned slot = firstStepSlot;
  for (const Step &step : steps) {
    uint64_t operands[3] = {0, 0, 0}, result = 0;
    for (auto [i, operand] : llvm::enumerate(step.operands))
      operands[i] = slots[operand];
    if (!step.evaluate(operands, step.width, step.data, result))
      return std::nullopt;
    slots[slot++] = mask(result, step.resultWidth);
  }
  results.clear();
  for (auto [yield, width] : llvm::zip(yields, yieldWidths))
    results.push_back(extend(slots[yield], width));
  return ArrayRef<int64_t>(results);
}
