//===- AccessFlow.h - Memory accesses between barriers ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses to memory that the threads of a block (or the lanes of a warp)
// may have made since their last barrier: a forward analysis over structured
// control flow, used to place barriers and to find buffers that can share
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSFLOW_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSFLOW_H

#include "Accesses.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
template <>
struct DenseMapInfo<mlir::obs::Access> {
  static mlir::obs::Access getKey(mlir::Operation *op) {
    mlir::obs::Access access;
    access.op = op;
    return access;
  }
  static mlir::obs::Access getEmptyKey() {
    return getKey(DenseMapInfo<mlir::Operation *>::getEmptyKey());
  }
  static mlir::obs::Access getTombstoneKey() {
    return getKey(DenseMapInfo<mlir::Operation *>::getTombstoneKey());
  }
  // Few accesses of one operation are in a set.
  static unsigned getHashValue(const mlir::obs::Access &access) {
    return DenseMapInfo<mlir::Operation *>::getHashValue(access.op);
  }
  static bool isEqual(const mlir::obs::Access &a, const mlir::obs::Access &b) {
    return a == b;
  }
};
} // namespace llvm

namespace mlir::obs {

/// Accesses in the order in which they were found first. There may be
/// thousands.
using PendingAccesses = llvm::SmallSetVector<Access, 32>;

/// The analysis. It calls the visitor for every statement with its accesses and
/// those since the last barrier. It may call the visitor several times, with
/// more accesses of the second kind. If a barrier stands directly before the
/// statement, the visitor returns its scope. One object can run several times
/// over code that does not change, and is faster from the second time on.
class AccessFlow {
public:
  using Visitor = function_ref<std::optional<Level>(Operation *statement,
                                                    ArrayRef<Access> accesses,
                                                    ArrayRef<Access> pending)>;

  /// For the threads of an instance of `scope`. `withWarpArrays` includes
  /// arrays that belong to one warp.
  AccessFlow(Level scope, bool withWarpArrays)
      : scope(scope), reader(scope, withWarpArrays) {}

  /// Analyses the code of a kernel, at block scope.
  void run(KernelOp kernel, Visitor visit);
  /// Analyses a whole loop over warps, at warp scope.
  void run(scf::ForOp warps, Visitor visit);

private:
  void run(Block &block, PendingAccesses &pending);
  void runFor(scf::ForOp loop, PendingAccesses &pending);
  void runWhile(scf::WhileOp loop, PendingAccesses &pending);
  void runIf(scf::IfOp branch, PendingAccesses &pending);
  void statement(Operation *op, PendingAccesses &pending);
  void wait(Level barrier, PendingAccesses &pending);
  bool indexesBy(Operation *op, Value buffer, Value slot);
  PendingAccesses enter(const PendingAccesses &pending, ValueRange from,
                        ValueRange to, Operation *loop);
  PendingAccesses leave(const PendingAccesses &pending, ValueRange from,
                        ValueRange to, Region &region);
  PendingAccesses getCarried(const PendingAccesses &pending, Operation *loop);
  IndexRange getRangeAt(Value number, Operation *op);
  int64_t getLeastStep(scf::ForOp loop);
  std::optional<int64_t> getMostLength(scf::ForOp loop);
  bool runsOnce(scf::ForOp loop);
  bool runsNever(scf::ForOp loop);
  bool isRepeatedAtOnce(scf::ForOp loop);

  Level scope;
  AccessReader reader;
  /// The bounds of numbers at an operation.
  llvm::DenseMap<std::pair<Value, Operation *>, IndexRange> ranges;
  /// Not null while the analysis runs.
  Visitor visit;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSFLOW_H
