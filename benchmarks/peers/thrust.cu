// Peers from Thrust: sort, and sort with unique. Both work in place.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <new>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

namespace {
/// Gives parts of the scratch memory, so that no time is that of cudaMalloc.
struct Arena {
  using value_type = char;
  char *next, *end;

  char *allocate(std::ptrdiff_t size) {
    char *result = next;
    next += (size + 255) / 256 * 256;
    if (next > end)
      throw std::bad_alloc();
    return result;
  }
  void deallocate(char *, size_t) {}
};
} // namespace

static Arena makeArena(void *scratch, size_t size) {
  char *begin = static_cast<char *>(scratch);
  return {begin, begin + size};
}

PEER(thrust_sort_i32) {
  Arena arena = makeArena(scratch, scratchSize);
  int *keys = ARRAY(int, 0);
  thrust::sort(thrust::cuda::par(arena), keys, keys + n[0]);
  return cudaGetLastError();
}

/// Sorted keys without repetitions. The host gets their number in the memory
/// that p[1] points to.
PEER(thrust_sort_unique_i32) {
  Arena arena = makeArena(scratch, scratchSize);
  int *keys = ARRAY(int, 0);
  thrust::sort(thrust::cuda::par(arena), keys, keys + n[0]);
  int *end = thrust::unique(thrust::cuda::par(arena), keys, keys + n[0]);
  *ARRAY(int64_t, 1) = end - keys;
  return cudaGetLastError();
}
