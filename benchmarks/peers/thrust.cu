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

/// Calls `work` with the policy of Thrust: with memory of its own, or of the
/// scratch memory.
template <typename Work>
static int run(bool isGiven, void *scratch, size_t size, Work work) {
  char *begin = static_cast<char *>(scratch);
  Arena arena = {begin, begin + size};
  if (isGiven)
    work(thrust::cuda::par(arena));
  else
    work(thrust::device);
  return cudaGetLastError();
}

// n[1] says if scratch memory is used. The host gets the number of keys in the
// memory that p[1] points to.

PEER(thrust_sort_i32) {
  int *keys = ARRAY(int, 0);
  *ARRAY(int64_t, 1) = n[0];
  return run(n[1], scratch, scratchSize, [&](auto policy) {
    thrust::sort(policy, keys, keys + n[0]);
  });
}

/// Sorted keys without repetitions.
PEER(thrust_sort_unique_i32) {
  int *keys = ARRAY(int, 0);
  return run(n[1], scratch, scratchSize, [&](auto policy) {
    thrust::sort(policy, keys, keys + n[0]);
    *ARRAY(int64_t, 1) = thrust::unique(policy, keys, keys + n[0]) - keys;
  });
}
