//===- Meetings.h - Threads that reach the same element ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_MEETINGS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_MEETINGS_H

#include "ReachedElements.h"
#include <map>
#include <memory>

namespace mlir::obs {

/// For pairs of accesses to one buffer, determines which two threads can reach
/// the same element.
class Meetings {
public:
  explicit Meetings(Workers workers) : workers(workers), model(workers) {}

  /// The smallest instance that always contains both threads: one thread, a
  /// warp or the block; empty if no element is reached by both.
  std::optional<Level> get(const Access &before, const Access &after);

private:
  /// An operation in any iteration of the loops around it.
  struct Side {
    AccessEvaluator evaluator;
    std::optional<ReachedElements> elements;
  };
  /// The operations of an access.
  struct Group {
    SmallVector<Operation *> members;
    /// The group of the first access with the same indices.
    Operation *representative = nullptr;
    /// The elements that any operation reaches.
    std::optional<ReachedElements> elements;
  };

  std::optional<Level> compute(const Access &before, const Access &after);
  std::optional<Level> computePair(const Access &before, const Access &after,
                                   Level worst);
  std::optional<Level> compare(const Access &before, const Side &first,
                               const Side &second, Level worst);
  std::optional<Level> compareTurns(const Access &before, const Side &first,
                                    const Side &second, Level worst);
  std::optional<Level> meet(const ReachedElements &a, const ReachedElements &b,
                            Operation *stale, Level worst);
  int64_t getModulus(const TermSum::Terms &a, const TermSum::Terms &b,
                     Operation *stale) const;
  std::optional<Level> relateAccesses(const Access &before, const Access &after,
                                      Level worst);
  Side &getSide(const Access &access);
  Side &getLastTurn(const Access &access);
  bool fixLastTurns(Access access, AccessEvaluator &evaluator);
  Group &getGroup(const Access &access);

  Workers workers;
  IndexModel model;
  llvm::DenseMap<Operation *, std::unique_ptr<Side>> sides;
  /// By the operation and the loop that has ended.
  llvm::DenseMap<std::pair<Operation *, Operation *>, std::unique_ptr<Side>>
      lastTurns;
  llvm::DenseMap<Operation *, std::unique_ptr<Group>> groups;
  /// By the block, the indices and the extents of the array.
  std::map<SmallVector<const void *>, Operation *> representatives;
  /// By the operations and the loops that are stale and that have ended.
  llvm::DenseMap<std::tuple<Operation *, Operation *, Operation *, Operation *>,
                 std::optional<Level>>
      known;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_MEETINGS_H
