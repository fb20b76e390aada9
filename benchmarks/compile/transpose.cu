// The kernels of examples/transpose.mlir, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void transpose(const int *a, int *r, int height, int width) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    if (x < width && first + k < height)
      tile[k][threadIdx.x] = a[(first + k) * width + x];
  __syncthreads();
  int column = first + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    int row = blockIdx.x * 32 + k;
    if (column < height && row < width)
      r[row * height + column] = tile[threadIdx.x][k];
  }
}

__global__ void transposeSwizzled(const int *a, int *r, int height, int width) {
  __shared__ int tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += blockDim.y)
    if (x < width && first + k < height)
      tile[k][threadIdx.x ^ k] = a[(first + k) * width + x];
  __syncthreads();
  int column = first + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    int row = blockIdx.x * 32 + k;
    if (column < height && row < width)
      r[row * height + column] = tile[threadIdx.x][k ^ threadIdx.x];
  }
}
