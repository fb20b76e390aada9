//===- Contracts.h - Pairs of accesses that a contract covers ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two threads may access one byte if both accesses have a contract that allows
// it, and the code around them does what the contract says.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_CONTRACTS_H
#define OBSIDIAN_REPORTS_RACES_CONTRACTS_H

#include "PairModel.h"

namespace mlir::obs::races {

inline bool isPublished(const MemoryAccess &access) {
  return access.contract == WriteMark::Published;
}

/// True if a contract covers the pair, in blocks of `threads` threads: both
/// accesses are of one array, and one of these is true.
///
/// - Both are writes of one store, in one force, whose contract is `any` or
///   `disjoint`.
/// - Both have the contract `any`, and what one of them reads only decides
///   whether its thread stores to the element.
/// - One is a `published` write before a release fence, which an atomic
///   operation follows. The other one is a `published` read after an acquire
///   fence, and an atomic operation before this fence decides whether the
///   thread comes to the read. It is assumed that it comes there only if the
///   element was released.
bool hasContract(const PendingAccess &pending, const MemoryAccess &second,
                 int64_t threads);

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_CONTRACTS_H
