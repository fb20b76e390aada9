//===- KernelRanges.h - Ranges of integers in a kernel ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_GPU_KERNELRANGES_H
#define OBSIDIAN_LIB_TRANSFORMS_GPU_KERNELRANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

namespace mlir::obs {

/// Upstream's analysis. In addition, it uses the limits of launches and the
/// fact that extents are not negative, and follows carried values for some
/// iterations.
class KernelRangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override;
  LogicalResult visitOperation(
      Operation *op,
      ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
      ArrayRef<dataflow::IntegerValueRangeLattice *> results) override;
  /// Upstream takes the bounds of a loop for numbers with a sign.
  void visitNonControlFlowArguments(
      Operation *op, const RegionSuccessor &successor,
      ArrayRef<dataflow::IntegerValueRangeLattice *> lattices,
      unsigned firstIndex) override;

private:
  void join(dataflow::IntegerValueRangeLattice *lattice,
            const IntegerValueRange &range);

  /// The number of times that the range of a value grew.
  DenseMap<Value, unsigned> growths;
};

/// The size of the view, if `value` is the extent of one that is known at
/// launch only; else `value`.
Value resolveExtent(Value value);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_GPU_KERNELRANGES_H
