// Peers written by hand, as a textbook does it, and what measures the limits
// of the machine.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// Copies n[0] bytes.
PEER(copy) {
  return cudaMemcpyAsync(p[1], p[0], n[0], cudaMemcpyDeviceToDevice);
}

__global__ void spinFor(unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

/// Keeps the stream busy for n[0] nanoseconds, while the host enqueues what is
/// measured.
PEER(spin) {
  spinFor<<<1, 1>>>(static_cast<unsigned long long>(n[0]));
  return cudaGetLastError();
}

__global__ void chainsOfFma(float *out, int rounds) {
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = threadIdx.x + i;
  float a = 0.999f, b = out[0];
  for (int k = 0; k < rounds; ++k) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      x[i] = fmaf(x[i], a, b);
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += x[i];
  if (sum == 42)
    out[1] = sum;
}

/// n[0] blocks of 256 threads compute n[1] times 8 FMAs each.
PEER(fma_rate) {
  chainsOfFma<<<static_cast<int>(n[0]), 256>>>(ARRAY(float, 0),
                                               static_cast<int>(n[1]));
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float tail =
      0.398942280f * expf(-0.5f * d * d) * k *
      (0.319381530f +
       k * (-0.356563782f +
            k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1 - tail : tail;
}

__global__ void priceOptions(const float *prices, const float *strikes,
                             const float *years, float *calls, float *puts,
                             int count, float r, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float s = prices[i], x = strikes[i], t = years[i];
  float spread = v * sqrtf(t);
  float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / spread;
  float n1 = normal(d1), n2 = normal(d1 - spread);
  float later = x * expf(-r * t);
  calls[i] = s * n1 - later * n2;
  puts[i] = later * (1 - n2) - s * (1 - n1);
}

/// One option for each thread, r = 0.02, v = 0.3.
PEER(nvcc_black_scholes) {
  priceOptions<<<ceilDiv(n[0], 256), 256>>>(
      ARRAY(const float, 0), ARRAY(const float, 1), ARRAY(const float, 2),
      ARRAY(float, 3), ARRAY(float, 4), static_cast<int>(n[0]), 0.02f, 0.3f);
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// Images and matrices
//===----------------------------------------------------------------------===//

__global__ void transposeTiles(const int *in, int *out, int height, int width) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) {
    int y = blockIdx.y * 32 + r;
    if (x < width && y < height)
      tile[r][threadIdx.x] = in[static_cast<size_t>(y) * width + x];
  }
  __syncthreads();
  int column = blockIdx.y * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) {
    int row = blockIdx.x * 32 + r;
    if (column < height && row < width)
      out[static_cast<size_t>(row) * height + column] = tile[threadIdx.x][r];
  }
}

/// n[0] x n[1] elements.
PEER(nvcc_transpose) {
  int height = static_cast<int>(n[0]), width = static_cast<int>(n[1]);
  transposeTiles<<<dim3(ceilDiv(width, 32), ceilDiv(height, 32)),
                   dim3(32, 8)>>>(ARRAY(const int, 0), ARRAY(int, 1), height,
                                  width);
  return cudaGetLastError();
}

template <typename T, int Size> struct Weights {
  T at[Size][Size];
};

/// Pixels whose neighbours are all inside of the image; the others are not
/// written.
template <typename T, int Size>
__global__ void convolve(const T *in, T *out, int height, int width,
                         Weights<T, Size> weights) {
  constexpr int reach = Size / 2;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < reach || y < reach || x >= width - reach || y >= height - reach)
    return;
  T sum = 0;
  for (int u = 0; u < Size; ++u)
    for (int v = 0; v < Size; ++v)
      sum += weights.at[u][v] *
             in[static_cast<size_t>(y + u - reach) * width + x + v - reach];
  out[static_cast<size_t>(y) * width + x] = sum;
}

/// n[0] x n[1] pixels, and the weights from n[2] on.
template <typename T, int Size> int runConvolution(void *const *p,
                                                   const int64_t *n) {
  int height = static_cast<int>(n[0]), width = static_cast<int>(n[1]);
  Weights<T, Size> weights;
  for (int i = 0; i < Size * Size; ++i)
    weights.at[i / Size][i % Size] = static_cast<T>(n[2 + i]);
  convolve<<<dim3(ceilDiv(width, 32), ceilDiv(height, 8)), dim3(32, 8)>>>(
      ARRAY(const T, 0), ARRAY(T, 1), height, width, weights);
  return cudaGetLastError();
}

PEER(nvcc_convolution_3_f32) { return runConvolution<float, 3>(p, n); }
PEER(nvcc_convolution_5_f32) { return runConvolution<float, 5>(p, n); }
PEER(nvcc_convolution_3_i32) { return runConvolution<int, 3>(p, n); }
PEER(nvcc_convolution_5_i32) { return runConvolution<int, 5>(p, n); }

__global__ void drawJulia(int *out, int height, int width, float d, float cx,
                          float cy, int steps) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float zx = (x - width / 2) * d, zy = (y - height / 2) * d;
  int count = 0;
  while (zx * zx + zy * zy <= 4 && count < steps) {
    float next = zx * zx - zy * zy + cx;
    zy = (zx + zx) * zy + cy;
    zx = next;
    ++count;
  }
  out[static_cast<size_t>(y) * width + x] = count;
}

/// n[0] x n[1] pixels of the square from -1.5 to 1.5, at most n[2] steps,
/// c = -0.8 + 0.156 i.
PEER(nvcc_julia) {
  int height = static_cast<int>(n[0]), width = static_cast<int>(n[1]);
  drawJulia<<<dim3(ceilDiv(width, 32), ceilDiv(height, 8)), dim3(32, 8)>>>(
      ARRAY(int, 0), height, width, 3.0f / width, -0.8f, 0.156f,
      static_cast<int>(n[2]));
  return cudaGetLastError();
}

/// One step of Jacobi's iteration.
__global__ void relax(const float *in, float *out, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  size_t i = static_cast<size_t>(y) * width + x;
  bool isInner = x > 0 && y > 0 && x < width - 1 && y < height - 1;
  out[i] = isInner ? ((in[i - width] + in[i + width]) + (in[i - 1] + in[i + 1])) *
                         0.25f
                   : in[i];
}

/// Five steps on n[0] x n[1] points, as a CUDA graph that is launched again and
/// again: arrays are the points, two others, and the graph is kept for them.
PEER(graph_jacobi) {
  struct Key {
    void *in, *a, *b;
    int64_t height, width;
    bool operator==(const Key &other) const {
      return in == other.in && a == other.a && b == other.b &&
             height == other.height && width == other.width;
    }
  };
  static Key last = {};
  static cudaGraphExec_t graph = nullptr;
  Key key = {p[0], p[1], p[2], n[0], n[1]};
  if (!graph || !(key == last)) {
    int height = static_cast<int>(n[0]), width = static_cast<int>(n[1]);
    cudaStream_t stream;
    cudaGraph_t captured;
    if (graph)
      cudaGraphExecDestroy(graph);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    const float *from = ARRAY(const float, 0);
    for (int step = 0; step < 5; ++step) {
      float *to = ARRAY(float, 1 + step % 2);
      relax<<<dim3(ceilDiv(width, 32), ceilDiv(height, 8)), dim3(32, 8), 0,
              stream>>>(from, to, height, width);
      from = to;
    }
    cudaStreamEndCapture(stream, &captured);
    cudaError_t status = cudaGraphInstantiate(&graph, captured, 0);
    cudaGraphDestroy(captured);
    cudaStreamDestroy(stream);
    if (status)
      return status;
    last = key;
  }
  return cudaGraphLaunch(graph, nullptr);
}

//===----------------------------------------------------------------------===//
// Bodies and points
//===----------------------------------------------------------------------===//

__global__ void attractBodies(const float *x, const float *y, const float *z,
                              const float *mass, float *ax, float *ay,
                              float *az, int count, float e) {
  __shared__ float4 near[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float px = 0, py = 0, pz = 0, sx = 0, sy = 0, sz = 0;
  if (i < count)
    px = x[i], py = y[i], pz = z[i];
  for (int begin = 0; begin < count; begin += 256) {
    int j = begin + threadIdx.x;
    near[threadIdx.x] = j < count ? make_float4(x[j], y[j], z[j], mass[j])
                                  : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      float4 body = near[k];
      float dx = body.x - px, dy = body.y - py, dz = body.z - pz;
      float square = dx * dx + dy * dy + dz * dz + e;
      float s = body.w / (square * sqrtf(square));
      sx += s * dx, sy += s * dy, sz += s * dz;
    }
    __syncthreads();
  }
  if (i < count)
    ax[i] = sx, ay[i] = sy, az[i] = sz;
}

/// n[0] bodies, e = 1/16; the formula of n_body.py.
PEER(nvcc_n_body) {
  attractBodies<<<ceilDiv(n[0], 256), 256>>>(
      ARRAY(const float, 0), ARRAY(const float, 1), ARRAY(const float, 2),
      ARRAY(const float, 3), ARRAY(float, 4), ARRAY(float, 5), ARRAY(float, 6),
      static_cast<int>(n[0]), 0.0625f);
  return cudaGetLastError();
}

/// Labels of points, and the sums and counts of each centre: in shared memory
/// first.
__global__ void labelPoints(const int *xs, const int *ys, const int *cx,
                            const int *cy, int *labels, int *sums, int count,
                            int centres) {
  extern __shared__ int shared[];
  int *x = shared, *y = x + centres, *own = y + centres;
  for (int c = threadIdx.x; c < centres; c += blockDim.x) {
    x[c] = cx[c], y[c] = cy[c];
    own[c] = own[centres + c] = own[2 * centres + c] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    int px = xs[i], py = ys[i], best = 0;
    unsigned least = 0x7fffffff;
    for (int c = 0; c < centres; ++c) {
      int dx = px - x[c], dy = py - y[c];
      unsigned distance = dx * dx + dy * dy;
      if (distance < least)
        best = c, least = distance;
    }
    labels[i] = best;
    atomicAdd(&own[best], px);
    atomicAdd(&own[centres + best], py);
    atomicAdd(&own[2 * centres + best], 1);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < 3 * centres; c += blockDim.x)
    if (own[c])
      atomicAdd(&sums[c], own[c]);
}

__global__ void moveCentres(const int *cx, const int *cy, const int *sums,
                            int *x, int *y, int centres) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= centres)
    return;
  int count = sums[2 * centres + c];
  x[c] = count ? sums[c] / count : cx[c];
  y[c] = count ? sums[centres + c] / count : cy[c];
}

/// A step of k-means: n[0] points, n[1] centres, n[2] blocks.
PEER(nvcc_k_means) {
  int count = static_cast<int>(n[0]), centres = static_cast<int>(n[1]);
  int *sums = static_cast<int *>(scratch);
  cudaMemsetAsync(sums, 0, 3 * centres * sizeof(int));
  labelPoints<<<static_cast<int>(n[2]), 256, 5 * centres * sizeof(int)>>>(
      ARRAY(const int, 0), ARRAY(const int, 1), ARRAY(const int, 2),
      ARRAY(const int, 3), ARRAY(int, 6), sums, count, centres);
  moveCentres<<<ceilDiv(centres, 256), 256>>>(
      ARRAY(const int, 2), ARRAY(const int, 3), sums, ARRAY(int, 4),
      ARRAY(int, 5), centres);
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// A bitonic sorting network over global memory
//===----------------------------------------------------------------------===//

constexpr int Tile = 1024;

__device__ void compare(int &a, int &b, bool isUp) {
  if ((a > b) == isUp) {
    int old = a;
    a = b;
    b = old;
  }
}

/// Columns of comparators at strides below `Tile`, in shared memory: all stages
/// up to `Tile` if `size` is 0, otherwise the last columns of the stage `size`.
__global__ void sortTiles(const int *in, int *out, unsigned size) {
  __shared__ int keys[Tile];
  unsigned t = threadIdx.x, begin = blockIdx.x * Tile;
  keys[t] = in[begin + t];
  keys[t + Tile / 2] = in[begin + t + Tile / 2];
  for (unsigned run = size ? size : 2; run <= (size ? size : Tile); run *= 2)
    for (unsigned stride = min(run, Tile) / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (stride - 1));
      compare(keys[i], keys[i + stride], ((begin + i) & run) == 0);
    }
  __syncthreads();
  out[begin + t] = keys[t];
  out[begin + t + Tile / 2] = keys[t + Tile / 2];
}

__global__ void compareFar(int *keys, unsigned size, unsigned stride) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = 2 * t - (t & (stride - 1));
  int a = keys[i], b = keys[i + stride];
  compare(a, b, (i & size) == 0);
  keys[i] = a;
  keys[i + stride] = b;
}

/// n[0] keys; a power of two, and at least 1024.
PEER(nvcc_bitonic_sort) {
  unsigned count = static_cast<unsigned>(n[0]);
  int *out = ARRAY(int, 1);
  sortTiles<<<count / Tile, Tile / 2>>>(ARRAY(const int, 0), out, 0);
  for (unsigned size = 2 * Tile; size && size <= count; size *= 2) {
    for (unsigned stride = size / 2; stride >= Tile; stride /= 2)
      compareFar<<<count / 512, 256>>>(out, size, stride);
    sortTiles<<<count / Tile, Tile / 2>>>(out, out, size);
  }
  return cudaGetLastError();
}
