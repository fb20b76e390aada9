//===- ExpandExchanges.cpp - Accesses, fences and barriers of exchanges ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Transforms/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {
#define GEN_PASS_DEF_EXPANDEXCHANGESPASS
#include "Obsidian/Transforms/GPU/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

using DescribeFn = llvm::function_ref<std::string(Location)>;

namespace {
/// Replaces one operation.
class Expander {
public:
  /// `threads` is the number of threads of a block. In level IR, `describe`
  /// names places.
  Expander(Operation *op, int64_t threads, DescribeFn describe)
      : op(op), builder(op), loc(op->getLoc()), threads(threads),
        describe(describe) {}

  void expand(CounterOpInterface counter);
  void expand(PublishOp publish);
  void expand(AwaitOp await);

private:
  Value getInteger(int64_t value, Type type) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  void fence(LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(builder, loc, ordering, "device");
  }
  void runFirstThread(llvm::function_ref<void()> body);
  void wait(Value cell);
  Value count(CounterOpInterface counter);
  Value getPlace(Value number, int64_t state);
  void replace(ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
  int64_t threads;
  DescribeFn describe;
};
} // namespace

void Expander::runFirstThread(llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (describe) {
    MLIRContext *context = builder.getContext();
    auto leaf = scf::ForallOp::create(
        builder, loc, ArrayRef<OpFoldResult>(builder.getIndexAttr(1)),
        ValueRange(),
        builder.getArrayAttr(
            MapAttr::get(context, Level::Block, Level::Thread)));
    setAttr<ObsDialect::DistributionAttrHelper>(
        leaf, DistributionAttr::get(context, Distribution::Striped));
    builder.setInsertionPointToStart(leaf.getBody());
  } else {
    Value zero = getInteger(0, builder.getIndexType());
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    auto branch = scf::IfOp::create(
        builder, loc, compare(arith::CmpIPredicate::eq, thread, zero),
        /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  body();
}

/// Lets all threads of the block wait for the store to `cell`.
void Expander::wait(Value cell) {
  if (describe) {
    std::string place = describe(loc);
    std::string why = "read after write of the array at " +
                      describe(cell.getLoc()) + ", written at " + place +
                      ", read at " + place;
    BarrierOp::create(builder, loc, Level::Block,
                      builder.getStrArrayAttr({why}));
  } else if (threads > warpSize) {
    gpu::BarrierOp::create(builder, loc);
  } else if (threads > 1) {
    auto lanes =
        static_cast<int32_t>(llvm::maskTrailingOnes<uint32_t>(threads));
    NVVM::SyncWarpOp::create(builder, loc,
                             getInteger(lanes, builder.getI32Type()));
  }
}

/// Increments the counter. Returns its value before, as an index.
Value Expander::count(CounterOpInterface counter) {
  Type type =
      cast<MemRefType>(counter.getCounters().getType()).getElementType();
  auto old = memref::AtomicRMWOp::create(
      builder, loc, arith::AtomicRMWKind::addi, getInteger(1, type),
      counter.getCounters(), counter.getIndices());
  if (auto threads = getAttr<ObsDialect::LeastThreadsAttrHelper>(counter))
    setAttr<ObsDialect::LeastThreadsAttrHelper>(old, threads);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), old);
}

void Expander::expand(CounterOpInterface counter) {
  auto arrive = dyn_cast<ArriveOp>(op);
  Value cell = counter.getCell(), number;
  auto countInOrder = [&] {
    if (arrive)
      fence(LLVM::AtomicOrdering::release);
    number = count(counter);
  };
  if (cell) {
    runFirstThread([&] {
      countInOrder();
      if (arrive)
        fence(LLVM::AtomicOrdering::acquire);
      memref::StoreOp::create(builder, loc, number, cell, ValueRange());
    });
    wait(cell);
    number = memref::LoadOp::create(builder, loc, cell, ValueRange());
  } else {
    countInOrder();
  }
  if (!arrive)
    return replace(number);
  Value isLast = compare(arith::CmpIPredicate::eq, number, arrive.getBefore());
  if (!cell) {
    auto branch = scf::IfOp::create(builder, loc, isLast,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    fence(LLVM::AtomicOrdering::acquire);
  }
  replace(isLast);
}

/// The index of the values of a result.
Value Expander::getPlace(Value number, int64_t state) {
  Type index = builder.getIndexType();
  Value first =
      builder.createOrFold<arith::MulIOp>(loc, number, getInteger(2, index));
  return builder.createOrFold<arith::AddIOp>(loc, first,
                                             getInteger(state - 1, index));
}

void Expander::expand(PublishOp publish) {
  Value place = getPlace(publish.getNumber(), publish.getState());
  for (auto [value, memory] :
       llvm::zip_equal(publish.getValues(), publish.getMemory()))
    memref::StoreOp::create(builder, loc, value, memory, place);
  fence(LLVM::AtomicOrdering::release);
  memref::AtomicRMWOp::create(
      builder, loc, arith::AtomicRMWKind::assign,
      getInteger(publish.getState(), builder.getI32Type()), publish.getFlags(),
      publish.getNumber());
  op->erase();
}

void Expander::expand(AwaitOp await) {
  Type i32 = builder.getI32Type();
  // An `or` with 0 is an atomic read.
  Value zero = getInteger(0, i32);
  auto loop = scf::WhileOp::create(
      builder, loc, i32, ValueRange(),
      [&](OpBuilder &b, Location, ValueRange) {
        Value flag =
            memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::ori, zero,
                                        await.getFlags(), await.getNumber());
        Value isEarly = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                              flag, await.getLeast());
        scf::ConditionOp::create(b, loc, isEarly, flag);
      },
      [&](OpBuilder &b, Location, ValueRange) {
        scf::YieldOp::create(b, loc);
      });
  fence(LLVM::AtomicOrdering::acquire);
  SmallVector<Value> found{loop.getResult(0)};
  Value isSecond =
      compare(arith::CmpIPredicate::eq, found.front(), getInteger(2, i32));
  Value place = arith::SelectOp::create(builder, loc, isSecond,
                                        getPlace(await.getNumber(), 2),
                                        getPlace(await.getNumber(), 1));
  for (Value memory : await.getMemory())
    found.push_back(memref::LoadOp::create(builder, loc, memory, place));
  replace(found);
}

static void expandAll(Operation *root, int64_t threads, DescribeFn describe) {
  root->walk([&](Operation *op) {
    Expander expander(op, threads, describe);
    if (auto counter = dyn_cast<CounterOpInterface>(op))
      expander.expand(counter);
    else if (auto publish = dyn_cast<PublishOp>(op))
      expander.expand(publish);
    else if (auto await = dyn_cast<AwaitOp>(op))
      expander.expand(await);
  });
}

void obs::expandExchanges(KernelOp kernel, DescribeFn describe) {
  expandAll(kernel, /*threads=*/0, describe);
}

void obs::expandExchanges(Operation *kernel, DenseI32ArrayAttr blockSize) {
  // A block of unknown size may have the most threads.
  expandAll(kernel, blockSize ? blockSize[0] : maxThreads,
            /*describe=*/{});
}

namespace {
struct ExpandExchanges : obs::impl::ExpandExchangesPassBase<ExpandExchanges> {
  void runOnOperation() override {
    expandExchanges(getOperation(), getOperation().getKnownBlockSizeAttr());
  }
};
} // namespace
