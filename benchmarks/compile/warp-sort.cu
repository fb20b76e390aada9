// The kernel of examples/warp-sort.mlir with CUB, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <climits>
#include <cub/warp/warp_merge_sort.cuh>

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void warpSort(const int *a, int *r, int n) {
  using Sort = cub::WarpMergeSort<int, 1, 32>;
  __shared__ typename Sort::TempStorage shared[4];
  int i = blockIdx.x * 128 + threadIdx.x;
  int key[1] = {i < n ? a[i] : INT_MAX};
  Sort(shared[threadIdx.x / 32]).Sort(key, Less());
  if (i < n)
    r[i] = key[0];
}
