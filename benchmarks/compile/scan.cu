// The kernel of examples/scan.mlir with CUB, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cub/block/block_scan.cuh>

__global__ void scan(const int *a, int *r, int n) {
  using Scan = cub::BlockScan<int, 256>;
  __shared__ typename Scan::TempStorage shared;
  int items[4], begin = blockIdx.x * 1000, end = min(begin + 1000, n);
  for (int k = 0; k < 4; ++k) {
    int i = begin + 4 * threadIdx.x + k;
    items[k] = i < end ? a[i] : 0;
  }
  Scan(shared).InclusiveSum(items, items);
  for (int k = 0; k < 4; ++k) {
    int i = begin + 4 * threadIdx.x + k;
    if (i < end)
      r[i] = items[k];
  }
}
