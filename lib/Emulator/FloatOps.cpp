//===- FloatOps.cpp - Operations on floats without a lowering to LLVM -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM computes bf16 through f32. So a fused multiply-add, and the conversion
// of a long integer to bf16, would round twice. The IR defines one rounding,
// and LLVM folds operations around the second one. So these operations become
// calls. Operations that LLVM computes inexactly for small numbers also become
// calls.
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/FloatingPointMode.h"

using namespace mlir;
using namespace mlir::obs::emulator;
using llvm::APFloat;

/// Integers of up to this number of bits are exact in f32.
static constexpr unsigned kExactWidth = 24;

template <typename SourceOp>
static void replaceByClassTest(SourceOp op, uint32_t classes) {
  OpBuilder builder(op);
  Value test = LLVM::IsFPClass::create(builder, op.getLoc(), op.getType(),
                                       op.getOperand(), classes);
  op.replaceAllUsesWith(test);
  op.erase();
}

/// Replaces `op` by a call with `args`, which returns the bits of the result.
static void replaceByCall(Operation *op, StringRef name, ValueRange args,
                          ModuleState &state) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  func::FuncOp callee =
      state.declare(name, args.getTypes(), builder.getI32Type(), true);
  Value bits = func::CallOp::create(builder, loc, callee, args).getResult(0);
  bits = arith::TruncIOp::create(builder, loc, builder.getI16Type(), bits);
  Value result = arith::BitcastOp::create(builder, loc, type, bits);
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
}

static void replaceFma(math::FmaOp op, ModuleState &state) {
  if (!op.getType().isBF16())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> args;
  for (Value operand : op->getOperands()) {
    Value bits =
        arith::BitcastOp::create(builder, loc, builder.getI16Type(), operand);
    args.push_back(
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), bits));
  }
  replaceByCall(op, hook::kFmaBFloat, args, state);
}

/// For f16 and bf16, the result of f32 is rounded, on all executors.
static void replaceRsqrt(math::RsqrtOp op) {
  Type type = op.getType();
  if (!type.isF16() && !type.isBF16())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(),
                                     op.getOperand());
  wide = math::RsqrtOp::create(builder, loc, wide);
  op.replaceAllUsesWith(
      arith::TruncFOp::create(builder, loc, type, wide).getResult());
  op.erase();
}

/// Calls libm, because LLVM's expansion, exp(x) - 1, has no correct digit near
/// 0.
static void replaceExpM1(math::ExpM1Op op, ModuleState &state) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  bool isDouble = type.isF64();
  Type wide = isDouble ? type : builder.getF32Type();
  Value value = op.getOperand();
  if (type != wide)
    value = arith::ExtFOp::create(builder, loc, wide, value);
  func::FuncOp callee =
      state.declare(isDouble ? "expm1" : "expm1f", wide, wide, true);
  value = func::CallOp::create(builder, loc, callee, value).getResult(0);
  if (type != wide)
    value = arith::TruncFOp::create(builder, loc, type, value);
  op.replaceAllUsesWith(value);
  op.erase();
}

/// `ExtendOp` extends integers with or without sign, as the conversion `op`
/// does.
template <typename ExtendOp>
static void replaceIntToFloat(Operation *op, StringRef name,
                              ModuleState &state) {
  Value value = op->getOperand(0);
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!op->getResult(0).getType().isBF16() || !type ||
      type.getWidth() <= kExactWidth || type.getWidth() > 64)
    return;
  OpBuilder builder(op);
  if (type.getWidth() < 64)
    value =
        ExtendOp::create(builder, op->getLoc(), builder.getI64Type(), value);
  replaceByCall(op, name, value, state);
}

void mlir::obs::emulator::convertFloatOps(ModuleOp module, ModuleState &state) {
  module.walk([&](Operation *op) {
    if (auto test = dyn_cast<math::IsInfOp>(op))
      replaceByClassTest(test, llvm::fcInf);
    else if (auto test = dyn_cast<math::IsNormalOp>(op))
      replaceByClassTest(test, llvm::fcNormal);
    else if (auto fma = dyn_cast<math::FmaOp>(op))
      replaceFma(fma, state);
    else if (auto rsqrt = dyn_cast<math::RsqrtOp>(op))
      replaceRsqrt(rsqrt);
    else if (auto expM1 = dyn_cast<math::ExpM1Op>(op))
      replaceExpM1(expM1, state);
    else if (isa<arith::SIToFPOp>(op))
      replaceIntToFloat<arith::ExtSIOp>(op, hook::kSignedToBFloat, state);
    else if (isa<arith::UIToFPOp>(op))
      replaceIntToFloat<arith::ExtUIOp>(op, hook::kUnsignedToBFloat, state);
  });
}

static uint32_t toBFloat(uint64_t value, bool isSigned) {
  APFloat result(APFloat::BFloat());
  result.convertFromAPInt(llvm::APInt(64, value), isSigned,
                          APFloat::rmNearestTiesToEven);
  return result.bitcastToAPInt().getZExtValue();
}

extern "C" {
uint32_t mlir::obs::emulator::obs_emu_fma_bfloat(uint32_t a, uint32_t b,
                                                 uint32_t c) {
  auto value = [](uint32_t bits) {
    return APFloat(APFloat::BFloat(), llvm::APInt(16, bits));
  };
  APFloat result = value(a);
  result.fusedMultiplyAdd(value(b), value(c), APFloat::rmNearestTiesToEven);
  return result.bitcastToAPInt().getZExtValue();
}
uint32_t mlir::obs::emulator::obs_emu_signed_to_bfloat(int64_t value) {
  return toBFloat(value, /*isSigned=*/true);
}
uint32_t mlir::obs::emulator::obs_emu_unsigned_to_bfloat(uint64_t value) {
  return toBFloat(value, /*isSigned=*/false);
}
}
