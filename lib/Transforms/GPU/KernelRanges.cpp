//===- KernelRanges.cpp - Ranges of integers in a kernel ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRanges.h"

#include "Obsidian/Dialect/Obs/Analysis/IntegerRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace mlir::obs;
using dataflow::IntegerValueRangeLattice;

/// The most blocks of a launch, in the first dimension.
static constexpr uint64_t kMaxBlocks = INT32_MAX;

/// The number of times that the range of a value that goes around a loop may
/// grow before it is taken to be anything.
static constexpr unsigned kPatience = 4;

static ConstantIntRanges unsignedRange(uint64_t min, uint64_t max) {
  return ConstantIntRanges::fromUnsigned(APInt(64, min), APInt(64, max));
}

/// The range that the function declares for `value`, if it is an argument.
static std::optional<ConstantIntRanges> getGivenRange(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  if (!function || argument.getArgNumber() >= function.getNumArguments())
    return std::nullopt;
  auto range = function.getArgAttrOfType<LLVM::ConstantRangeAttr>(
      argument.getArgNumber(), LLVM::LLVMDialect::getRangeAttrName());
  if (!range || range.getLower().sge(range.getUpper()))
    return std::nullopt;
  return ConstantIntRanges::fromSigned(range.getLower(), range.getUpper() - 1);
}

/// True if `value` is an argument that a view of another one has as an
/// extent.
static bool isExtent(Value value) {
  if (!isa<BlockArgument>(value) || !value.getType().isIndex())
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto view = dyn_cast<memref::ReinterpretCastOp>(user);
    return view && isa<BlockArgument>(view.getSource()) &&
           llvm::is_contained(view.getSizes(), value);
  });
}

/// The range of a result on NVIDIA's GPUs, if it is tighter than the one of
/// upstream for GPUs in general.
static std::optional<ConstantIntRanges> limitOf(Operation *op) {
  if (isa<gpu::BlockIdOp>(op))
    return unsignedRange(0, kMaxBlocks - 1);
  if (isa<gpu::GridDimOp>(op))
    return unsignedRange(1, kMaxBlocks);
  if (isa<gpu::LaneIdOp>(op))
    return unsignedRange(0, 31);
  return std::nullopt;
}

void KernelRangeAnalysis::setToEntryState(IntegerValueRangeLattice *lattice) {
  if (auto range = getGivenRange(lattice->getAnchor()))
    return propagateIfChanged(lattice,
                              lattice->join(IntegerValueRange(*range)));
  if (!isExtent(lattice->getAnchor()))
    return IntegerRangeAnalysis::setToEntryState(lattice);
  propagateIfChanged(
      lattice, lattice->join(IntegerValueRange(unsignedRange(0, INT64_MAX))));
}

LogicalResult KernelRangeAnalysis::visitOperation(
    Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
    ArrayRef<IntegerValueRangeLattice *> results) {
  auto inferrable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferrable)
    return IntegerRangeAnalysis::visitOperation(op, operands, results);
  SmallVector<IntegerValueRange> ranges;
  for (const IntegerValueRangeLattice *operand : operands)
    ranges.push_back(operand->getValue());
  if (isa<arith::CeilDivSIOp>(op) && !ranges.front().isUninitialized() &&
      hasWrongRange(op, ranges.front().getValue())) {
    setAllToEntryStates(results);
    return success();
  }
  std::optional<ConstantIntRanges> limit = limitOf(op);
  inferrable.inferResultRangesFromOptional(
      ranges, [&](Value value, const IntegerValueRange &inferred) {
        auto result = dyn_cast<OpResult>(value);
        if (!result)
          return;
        IntegerValueRange range = inferred;
        if (limit && !range.isUninitialized())
          range = range.getValue().intersection(*limit);
        join(results[result.getResultNumber()], range);
      });
  return success();
}

void KernelRangeAnalysis::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<IntegerValueRangeLattice *> lattices, unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !loop.getUnsignedCmp())
    return IntegerRangeAnalysis::visitNonControlFlowArguments(
        op, successor, lattices, firstIndex);
  setAllToEntryStates(lattices.take_front(firstIndex));
}

void KernelRangeAnalysis::join(IntegerValueRangeLattice *lattice,
                               const IntegerValueRange &range) {
  Value value = lattice->getAnchor();
  IntegerValueRange before = lattice->getValue();
  ChangeResult changed = lattice->join(range);
  bool grew = !before.isUninitialized() && !(lattice->getValue() == before);
  bool carried = llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
  if (grew && carried) {
    unsigned times = ++growths[value];
    if (times == kPatience &&
        ConstantIntRanges::getStorageBitwidth(value.getType()) == 64)
      changed |= lattice->join(IntegerValueRange(unsignedRange(0, INT32_MAX)));
    else if (times > kPatience)
      changed |= lattice->join(IntegerValueRange::getMaxRange(value));
  }
  propagateIfChanged(lattice, changed);
}

Value obs::resolveExtent(Value value) {
  auto dim = value.getDefiningOp<memref::DimOp>();
  auto view = dim ? dim.getSource().getDefiningOp<memref::ReinterpretCastOp>()
                  : nullptr;
  std::optional<unsigned> number =
      view ? getKnownDimension(dim) : std::optional<unsigned>();
  auto size = number ? dyn_cast<Value>(view.getMixedSizes()[*number]) : Value();
  return size ? size : value;
}
