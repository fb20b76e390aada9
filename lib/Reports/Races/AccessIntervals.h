//===- AccessIntervals.h - Accesses with no barrier between -----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the control flow of a kernel and finds the pairs of accesses that two
// threads can make without a barrier between them.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_ACCESSINTERVALS_H
#define OBSIDIAN_REPORTS_RACES_ACCESSINTERVALS_H

#include "PairModel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs::races {

/// The accesses of each operation of a kernel that has some.
using AccessMap = llvm::MapVector<Operation *, SmallVector<MemoryAccess, 1>>;

class AccessIntervals {
public:
  /// `visit` is called once for each pair of accesses and each relation of the
  /// iterations of their loops. A pair can consist of one access twice.
  using Visitor = llvm::function_ref<void(const PendingAccess &first,
                                          const MemoryAccess &second)>;

  AccessIntervals(gpu::GPUFuncOp kernel, Between between,
                  const AccessMap &accesses, Uniformity &uniformity,
                  const Ranges &ranges, Visitor visit)
      : kernel(kernel), between(between), accesses(accesses),
        uniformity(uniformity), ranges(ranges), visit(visit),
        barriers(findBarriers(kernel, between)) {
    for (Operation *barrier : barriers)
      for (Operation *op = barrier->getParentOp(); op != kernel;
           op = op->getParentOp())
        holders.insert(op);
  }

  /// Fails, with a diagnostic, if a thread can miss a barrier at which other
  /// threads wait.
  LogicalResult run();

private:
  using State = SmallVector<PendingAccess>;

  LogicalResult runBlock(Block &block, State &state);
  LogicalResult runOperation(Operation &op, State &state);
  LogicalResult runIf(scf::IfOp op, State &state);
  LogicalResult runLoop(LoopLikeOpInterface loop, State &state);
  void passPartial(NVVM::SyncWarpOp sync, State &state);
  void access(const MemoryAccess &access, State &state);

  gpu::GPUFuncOp kernel;
  Between between;
  const AccessMap &accesses;
  Uniformity &uniformity;
  const Ranges &ranges;
  Visitor visit;
  /// The operations at which the threads wait for each other, and those that
  /// have such an operation in their regions.
  llvm::DenseSet<Operation *> barriers, holders;
  /// The surrounding loops that contain barriers, outermost first.
  SmallVector<Operation *> loops;
  /// Pairs that were visited.
  SmallVector<std::pair<PendingAccess, Operation *>> visited;
  llvm::DenseMap<std::pair<Operation *, Operation *>, SmallVector<unsigned>>
      visitedPairs;
};

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_ACCESSINTERVALS_H
