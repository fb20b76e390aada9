// Declarations that all files of the library of peers share.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OBSIDIAN_BENCHMARKS_PEERS_H
#define OBSIDIAN_BENCHMARKS_PEERS_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

/// Defines a peer. It enqueues its work on the default stream, and allocates
/// nothing there: `scratch` has `scratchSize` bytes. `p` are the arrays, inputs
/// first, and `n` the numbers, as works.py lists them. Returns 0, an error of
/// CUDA, 1000 and an error of cuBLAS, or 2000 and one of cuSPARSE.
#define PEER(name)                                                             \
  extern "C" int name(void *const *p, const int64_t *n, void *scratch,         \
                      size_t scratchSize)

/// Array `i` of a peer.
#define ARRAY(type, i) static_cast<type *>(p[i])

inline int ceilDiv(int64_t a, int64_t b) {
  return static_cast<int>((a + b - 1) / b);
}

#endif
