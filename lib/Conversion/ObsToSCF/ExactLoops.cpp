//===- SignedLoops.cpp - Loops with signed comparisons --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignedLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::obs;

static bool isNaturalConstant(Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant >= 0;
}

static void makeSigned(scf::ForOp loop) {
  loop.setUnsignedCmp(false);
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  if (isNaturalConstant(from) && isNaturalConstant(to))
    return;
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value step = loop.getStep(), counter = loop.getInductionVar();
  Type type = counter.getType(), index = builder.getIndexType();
  auto extend = [&](Value value) {
    return type == index
               ? value
               : arith::IndexCastUIOp::create(builder, loc, index, value);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, from, to);
  Value length = arith::SubIOp::create(builder, loc, to, from);
  Value count =
      arith::CeilDivUIOp::create(builder, loc, extend(length), extend(step));
  loop.setUpperBound(arith::SelectOp::create(builder, loc, runs, count, zero));
  loop.setLowerBound(zero);
  loop.setStep(arith::ConstantIndexOp::create(builder, loc, 1));
  counter.setType(index);

  builder.setInsertionPointToStart(loop.getBody());
  Operation *first = nullptr;
  Value number = counter;
  if (type != index) {
    number = arith::IndexCastUIOp::create(builder, loc, type, counter);
    first = number.getDefiningOp();
  }
  Value passed = arith::MulIOp::create(builder, loc, number, step);
  Value value = arith::AddIOp::create(builder, loc, from, passed);
  counter.replaceUsesWithIf(value, [&](OpOperand &use) {
    return use.getOwner() != first && use.getOwner() != passed.getDefiningOp();
  });
}

void obs::makeLoopsSigned(Operation *root) {
  root->walk([](scf::ForOp loop) {
    if (loop.getUnsignedCmp())
      makeSigned(loop);
  });
}
