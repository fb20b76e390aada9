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

/// True if a contract covers the pair: both accesses are of one array, and one
/// of these is true.
///
/// - Both are writes of one store, in one force, whose contract is `any` or
///   `disjoint`.
/// - Both have the contract `any`, and what one of them reads only decides
///   whether its thread stores to the element.
bool hasContract(const PendingAccess &pending, const MemoryAccess &second);

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_CONTRACTS_H
