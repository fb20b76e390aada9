// A kernel of examples/mandelbrot.mlir, for compile_time.py.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void mandelbrot(int *r, int height, int width, float x, float y,
                           float d, int steps) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= width || i >= height)
    return;
  float cx = x + (j - width / 2) * d, cy = y + (i - height / 2) * d;
  float zx = 0, zy = 0;
  int n = 0;
  for (; zx * zx + zy * zy <= 4 && n < steps; ++n) {
    float next = zx * zx - zy * zy + cx;
    zy = (zx + zx) * zy + cy;
    zx = next;
  }
  r[i * width + j] = n;
}
