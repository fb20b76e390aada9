//===- Limits.h - Limits that all supported GPUs share ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_LIMITS_H
#define OBSIDIAN_DIALECT_OBS_IR_LIMITS_H

#include <cstdint>

namespace mlir::obs {

/// Threads of a warp.
constexpr int64_t warpSize = 32;

/// The maximum number of threads of a block.
constexpr int64_t maxThreads = 1024;

/// Bytes of the widest access of a thread.
constexpr int64_t widestAccess = 16;

/// The maximum number of elements of an array, more than fits into any memory.
/// Their size in bytes, and sums of several such sizes, fit into 64 bits.
constexpr int64_t maxElements = int64_t(1) << 48;

/// More elements than the shared memory and the registers of a block have
/// bytes. Analyses that look at each element of an array of a block stop here.
constexpr int64_t maxBlockElements = int64_t(1) << 19;

/// The number of entries of a table in shared memory with a number for each
/// key, and so the maximum number of different keys of a partition.
constexpr int64_t maxKeyTable = 4096;

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_LIMITS_H
