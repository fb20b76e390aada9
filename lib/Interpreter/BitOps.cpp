//===- BitOps.cpp - Meaning of the index arithmetic on bits ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

static bool getBit(uint64_t value, uint64_t bit) { return value >> bit & 1; }

static uint64_t withBit(uint64_t value, uint64_t bit, bool set) {
  uint64_t mask = uint64_t(1) << bit;
  return set ? value | mask : value & ~mask;
}

/// The number of bits of the values.
static unsigned getWidth(const Instruction &inst) {
  return getScalarWidth(inst.op->getResult(0).getType());
}

/// Sets the result to `fn` of the first operand and the parameters after it.
/// Traps unless each parameter is at most its limit.
template <typename Fn>
static LogicalResult setBits(Frame &frame, const Instruction &inst,
                             ArrayRef<uint64_t> limits, Fn fn) {
  Scalar value = frame.get(inst, 0).scalar;
  SmallVector<uint64_t, 2> parameters;
  for (auto [i, limit] : llvm::enumerate(limits)) {
    uint64_t parameter = frame.get(inst, i + 1).scalar.bits;
    if (parameter > limit)
      return frame.trap(inst, "'" + inst.op->getName().getStringRef() +
                                  "' operand " + Twine(i + 1) + " is " +
                                  Twine(parameter) + ", more than " +
                                  Twine(limit));
    parameters.push_back(parameter);
  }
  frame.set(inst, 0, Scalar(value.type, fn(value.bits, parameters)));
  return success();
}

/// Bits below `bit` stay, `bit` becomes 0, the others move up by one.
LogicalResult interpreter::runInsertZero(Frame &frame,
                                         const Instruction &inst) {
  return setBits(frame, inst, {getWidth(inst) - 1},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   uint64_t low = value & ((uint64_t(1) << p[0]) - 1);
                   return (value - low) * 2 + low;
                 });
}

/// Inverts `bit`.
LogicalResult interpreter::runFlip(Frame &frame, const Instruction &inst) {
  return setBits(frame, inst, {getWidth(inst) - 1},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   return withBit(value, p[0], !getBit(value, p[0]));
                 });
}

/// Inverts bits 0 to `bit`.
LogicalResult interpreter::runFlipLow(Frame &frame, const Instruction &inst) {
  return setBits(frame, inst, {getWidth(inst) - 1},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   for (uint64_t i = 0; i <= p[0]; ++i)
                     value = withBit(value, i, !getBit(value, i));
                   return value;
                 });
}

/// Bit i of the low `width` bits moves to bit (i + amount) mod width.
LogicalResult interpreter::runRotate(Frame &frame, const Instruction &inst) {
  uint64_t width = frame.get(inst, 2).scalar.bits;
  return setBits(frame, inst, {width ? width - 1 : 0, getWidth(inst)},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   uint64_t result = value;
                   for (uint64_t i = 0; i < p[1]; ++i)
                     result =
                         withBit(result, (i + p[0]) % p[1], getBit(value, i));
                   return result;
                 });
}

/// Bit i of the low `width` bits moves to bit width - 1 - i.
LogicalResult interpreter::runReverseBits(Frame &frame,
                                          const Instruction &inst) {
  return setBits(frame, inst, {getWidth(inst)},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   uint64_t result = value;
                   for (uint64_t i = 0; i < p[0]; ++i)
                     result = withBit(result, p[0] - 1 - i, getBit(value, i));
                   return result;
                 });
}

/// Exchanges two bits.
LogicalResult interpreter::runSwap(Frame &frame, const Instruction &inst) {
  return setBits(frame, inst, {getWidth(inst) - 1, getWidth(inst) - 1},
                 [](uint64_t value, ArrayRef<uint64_t> p) {
                   uint64_t result = withBit(value, p[0], getBit(value, p[1]));
                   return withBit(result, p[1], getBit(value, p[0]));
                 });
}
