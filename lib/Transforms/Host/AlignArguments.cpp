//===- AlignArguments.cpp - Alignment of kernel arguments -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The possible sources of values form a graph. Its edges go from a view to the
// memory that it is of, and from a choice to its operands. A value has at most
// the alignment of each value that it can reach, also around loops. So its
// alignment is the smallest of these.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSALIGNARGUMENTSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

/// The greatest power of two up to `widestAccess` that divides `number`.
static int64_t getFactor(int64_t number) {
  return number == 0 ? widestAccess : std::min(number & -number, widestAccess);
}

/// A power of two that is known to divide `number`.
static int64_t getFactor(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return getFactor(*constant);
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? std::min(getFactor(loop.getLowerBound()),
                          getFactor(loop.getStep()))
               : 1;
  }
  Operation *op = number.getDefiningOp();
  auto least = [](auto operands) {
    int64_t factor = widestAccess;
    for (Value operand : operands)
      factor = std::min(factor, getFactor(operand));
    return factor;
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](arith::MulIOp product) {
        return getFactor(getFactor(product.getLhs()) *
                         getFactor(product.getRhs()));
      })
      .Case([](arith::ShLIOp shift) {
        std::optional<int64_t> bits = getConstantIntValue(shift.getRhs());
        int64_t factor = getFactor(shift.getLhs());
        return bits && *bits < 5 ? getFactor(factor << *bits) : factor;
      })
      .Case([&](arith::SelectOp choice) {
        return least(choice->getOperands().drop_front());
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
            arith::MaxSIOp, arith::MaxUIOp, arith::IndexCastOp,
            arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
          [&](auto sum) { return least(sum->getOperands()); })
      .Default([](Operation *) { return 1; });
}

/// Bytes that the place where `memory` begins is a multiple of, as far as it is
/// decided by the operation that makes it.
static int64_t getOwnAlignment(Value memory) {
  int64_t bytes =
      getElementBytes(cast<MemRefType>(memory.getType()).getElementType());
  if (auto part = memory.getDefiningOp<PartOp>())
    return getFactor(getFactor(part.getOffset()) * bytes);
  if (auto view = memory.getDefiningOp<memref::ReinterpretCastOp>()) {
    OpFoldResult offset = view.getMixedOffsets().front();
    auto dynamic = dyn_cast<Value>(offset);
    return getFactor((dynamic ? getFactor(dynamic)
                              : getFactor(*getConstantIntValue(offset))) *
                     bytes);
  }
  if (auto argument = dyn_cast<BlockArgument>(memory))
    return isa<func::FuncOp, scf::ForOp, scf::WhileOp>(
               argument.getOwner()->getParentOp())
               ? widestAccess
               : bytes;
  return isa<gpu::AllocOp, memref::CastOp, arith::SelectOp, scf::ForOp,
             scf::WhileOp, scf::IfOp>(memory.getDefiningOp())
             ? widestAccess
             : bytes;
}

/// Bytes that the place where `memory` begins is a multiple of.
static int64_t getAlignment(Value memory) {
  llvm::SetVector<Value> reached;
  reached.insert(memory);
  int64_t alignment = widestAccess;
  for (unsigned next = 0; next < reached.size(); ++next) {
    Value value = reached[next];
    alignment = std::min(alignment, getOwnAlignment(value));
    reached.insert_range(getMemorySources(value));
  }
  return alignment;
}

namespace {
struct AlignArguments : obs::impl::ObsAlignArgumentsPassBase<AlignArguments> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<std::pair<Operation *, unsigned>, int64_t> alignments;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      Operation *kernel =
          symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr());
      for (auto [number, operand] :
           llvm::enumerate(launch.getKernelOperands())) {
        if (!isa_and_nonnull<gpu::GPUFuncOp>(kernel) ||
            !isa<MemRefType>(operand.getType()))
          continue;
        auto [entry, isNew] =
            alignments.try_emplace({kernel, number}, widestAccess);
        entry->second = std::min(entry->second, getAlignment(operand));
      }
    });
    Builder builder(&getContext());
    for (auto [argument, alignment] : alignments) {
      auto kernel = cast<gpu::GPUFuncOp>(argument.first);
      Type element =
          cast<MemRefType>(kernel.getArgument(argument.second).getType())
              .getElementType();
      // Every access has at least the alignment of its elements.
      if (element.isIntOrFloat() &&
          alignment * 8 > element.getIntOrFloatBitWidth())
        kernel.setArgAttr(argument.second,
                          LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(alignment));
    }
  }
};
} // namespace
