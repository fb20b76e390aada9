//===- Lowering.h - From the graph of a Dag program to obs ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H
#define OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H

#include "Graph.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <set>

namespace mlir::obs::dag {

/// The schedule of one kernel. The instances of `level` execute the iterations
/// of the outer `prefix` loops of its nest in parallel. The threads of each
/// instance share the reductions that depend on these loops only, and the inner
/// loops. With level thread and all loops, each thread computes one element.
struct Schedule {
  Level level = Level::Thread;
  unsigned prefix = 0;
  /// A matrix product by tiles in shared memory.
  bool isTiled = false;

  bool operator==(const Schedule &other) const {
    return level == other.level && prefix == other.prefix &&
           isTiled == other.isTiled;
  }
};

/// The selected choices of a program.
struct Plan {
  /// True if a Build or Reduce is stored, false if not. Contains only nodes
  /// that differ from the default.
  std::map<Node *, bool> stores;
  /// The schedules of stored arrays that do not have the default.
  std::map<Node *, Schedule> schedules;
  /// Extents and ints of the function are the numbers of `Graph::estimate`. The
  /// module is used for reports only.
  bool isEstimate = false;
};

/// The possible choices: the arrays and values that may be stored, with the
/// default, and the schedules of each kernel, the default first.
struct Choices {
  std::vector<std::pair<Node *, bool>> stores;
  struct Kernel {
    Node *node = nullptr;
    std::string name;
    std::vector<int64_t> extents; ///< As estimated.
    std::vector<Schedule> schedules;
    Schedule taken;
    double reads = 1; ///< Per element of a collective of level grid.
  };
  std::vector<Kernel> kernels;
};

/// Builds a module of the graph with the choices of `plan`. Null after an
/// error. Writes the other possible choices to `choices`.
OwningOpRef<ModuleOp> lower(Graph &graph, const Plan &plan, Choices &choices);

/// The plan with the lowest score, or candidate `number` if that is not
/// negative. Prints all candidates, their scores and the reason to `explain`.
Plan search(Graph &graph, int number, raw_ostream *explain);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H
