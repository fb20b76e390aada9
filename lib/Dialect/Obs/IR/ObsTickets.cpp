//===- ObsTickets.cpp - Numbers that blocks draw from a counter -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;

LogicalResult TicketOp::verify() {
  MemRefType counters = getCounters().getType(), cell = getCell().getType();
  Type count = counters.getElementType();
  if ((!count.isInteger(32) && !count.isInteger(64)) ||
      counters.getRank() != int64_t(getIndices().size()))
    return emitOpError("[ticket-counter] draws from one element of type i32 or "
                       "i64, with one index for each dimension; not from ")
           << counters << " with " << getIndices().size() << " indices";
  if (cell.getRank() != 0 || !cell.getElementType().isIndex())
    return emitOpError("[ticket-cell] passes the number on through a memref of "
                       "one index, not through ")
           << cell;
  return success();
}

void TicketOp::buildDraw(OpBuilder &builder) {
  Location loc = getLoc();
  Value one = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(getCounters().getType().getElementType(), 1));
  Value old =
      memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::addi, one,
                                  getCounters(), getIndices());
  Value ticket =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), old);
  memref::StoreOp::create(builder, loc, ticket, getCell(), ValueRange());
}

void TicketOp::replaceByRead(OpBuilder &builder) {
  Value ticket =
      memref::LoadOp::create(builder, getLoc(), getCell(), ValueRange());
  replaceAllUsesWith(ticket);
  erase();
}
