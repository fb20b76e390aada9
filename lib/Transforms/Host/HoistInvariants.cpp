//===- HoistInvariants.cpp - Move invariant code out of loops -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSHOISTINVARIANTSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// A remainder that moves out of `loop` divides by 1 if there is no iteration.
static void guardDivisor(Operation *remainder, scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = remainder->getLoc();
  Value divisor = remainder->getOperand(1);
  Value runs =
      arith::CmpIOp::create(builder, loc,
                            loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  Value one = arith::ConstantOp::create(builder, loc,
                                        builder.getOneAttr(divisor.getType()));
  remainder->setOperand(
      1, arith::SelectOp::create(builder, loc, runs, divisor, one));
}

namespace {
struct HoistInvariants
    : obs::impl::ObsHoistInvariantsPassBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first, so that code leaves all loops.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      auto counted = dyn_cast<scf::ForOp>(*loop);
      // The operations of its body are executed.
      std::optional<APInt> turns = loop.getStaticTripCount();
      bool isExecuted = turns && !turns->isZero();
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [&](Operation *op, Region *) {
            return isMemoryEffectFree(op) && isSpeculatable(op) &&
                   (counted || isExecuted || canSpeculate(op));
          },
          [&](Operation *op, Region *) {
            if (!isExecuted && isa<arith::RemSIOp, arith::RemUIOp>(op) &&
                !canSpeculate(op))
              guardDivisor(op, counted);
            loop.moveOutOfLoop(op);
          });
    });
  }
};
} // namespace
