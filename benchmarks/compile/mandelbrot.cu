// The kernels of examples/mandelbrot.mlir, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int escape(float zx, float zy, float cx, float cy, int steps) {
  int n = 0;
  for (; zx * zx + zy * zy <= 4 && n < steps; ++n) {
    float next = zx * zx - zy * zy + cx;
    zy = (zx + zx) * zy + cy;
    zx = next;
  }
  return n;
}

__global__ void mandelbrot(int *r, int height, int width, float x, float y,
                           float d, int steps) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < width && i < height)
    r[i * width + j] = escape(0, 0, x + (j - width / 2) * d,
                              y + (i - height / 2) * d, steps);
}

__global__ void julia(int *r, int height, int width, float x, float y, float d,
                      float cx, float cy, int steps) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < width && i < height)
    r[i * width + j] = escape(x + (j - width / 2) * d,
                              y + (i - height / 2) * d, cx, cy, steps);
}
