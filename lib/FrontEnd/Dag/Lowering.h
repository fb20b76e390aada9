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

/// How one kernel shares its work: the instances of `level` run the outer
/// `prefix` loops of its nest side by side. Each instance shares the sums that
/// depend on these loops only, and the inner loops. With level thread and all
/// loops, each thread computes one element.
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

/// The choices of a program.
struct Plan {
  /// Whether a Build or Reduce is stored, where this is not the default.
  std::map<Node *, bool> stores;
  /// The schedules of stored arrays that do not have the default.
  std::map<Node *, Schedule> schedules;
  /// Extents and ints of the function are the numbers of `Graph::estimate`: the
  /// module is for reports only.
  bool isEstimate = false;
};

/// What can be chosen: the arrays and values that may be stored, with the
/// default, and for each kernel the schedules, the default first.
struct Choices {
  std::vector<std::pair<Node *, bool>> stores;
  struct Kernel {
    Node *node = nullptr;
    std::string name;
    std::vector<int64_t> extents; ///< As estimated.
    std::vector<Schedule> schedules;
    Schedule taken;
    double reads = 1; ///< Of a collective of the grid, for each element.
  };
  std::vector<Kernel> kernels;
};

/// Makes a module of the graph as `plan` says. Null after an error. Writes what
/// else could be chosen to `choices`.
OwningOpRef<ModuleOp> lower(Graph &graph, StringRef name, const Plan &plan,
                            Choices &choices);

/// The plan with the lowest score, or candidate `number` if that is not
/// negative. Prints all candidates, their scores and the reason to `explain`.
Plan search(Graph &graph, StringRef name, int number, raw_ostream *explain);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H
