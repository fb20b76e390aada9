//===- ExpandTickets.cpp - Tickets become accesses and a barrier ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Transforms/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {
#define GEN_PASS_DEF_EXPANDTICKETSPASS
#include "Obsidian/Transforms/GPU/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// Waits for all threads of a block of `threads` threads.
static void buildBarrier(OpBuilder &builder, Location loc, int64_t threads) {
  if (threads > warpSize) {
    gpu::BarrierOp::create(builder, loc);
  } else if (threads > 1) {
    auto lanes =
        static_cast<int32_t>(llvm::maskTrailingOnes<uint32_t>(threads));
    Value mask = arith::ConstantOp::create(builder, loc,
                                           builder.getI32IntegerAttr(lanes));
    NVVM::SyncWarpOp::create(builder, loc, mask);
  }
}

static void expand(TicketOp op, int64_t threads) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, zero);
  scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &b, Location) {
    op.buildDraw(b);
    scf::YieldOp::create(b, loc);
  });
  buildBarrier(builder, loc, threads);
  op.replaceByRead(builder);
}

void obs::expandTickets(Operation *kernel, int64_t threads) {
  kernel->walk([&](TicketOp op) { expand(op, threads); });
}

namespace {
struct ExpandTickets : obs::impl::ExpandTicketsPassBase<ExpandTickets> {
  void runOnOperation() override {
    // A block of unknown size has the most threads.
    DenseI32ArrayAttr size = getOperation().getKnownBlockSizeAttr();
    expandTickets(getOperation(), size ? size[0] : maxThreads);
  }
};
} // namespace
