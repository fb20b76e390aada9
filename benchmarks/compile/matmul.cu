// The kernel of examples/matmul.mlir, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void matmul(const float *a, const float *b, float *c, int m, int n,
                       int k) {
  __shared__ float x[16][16], y[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    x[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0;
    y[ty][tx] = t + ty < k && column < n ? b[(t + ty) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += x[ty][i] * y[i][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}
