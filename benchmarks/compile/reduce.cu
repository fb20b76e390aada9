// The kernel of examples/reduce.mlir with CUB, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cub/block/block_reduce.cuh>

__global__ void reduce(const int *a, int *r, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage shared;
  int items[4];
  for (int k = 0; k < 4; ++k) {
    int i = blockIdx.x * 512 + k * 128 + threadIdx.x;
    items[k] = i < n ? a[i] : 0;
  }
  int sum = Reduce(shared).Sum(items);
  if (threadIdx.x == 0)
    r[blockIdx.x] = sum;
}
