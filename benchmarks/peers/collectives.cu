// Peers from CUB: reductions and scans with maps, compaction and histograms.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

/// The sum of squares.
PEER(cub_reduce_squares_f32) {
  auto squares =
      thrust::make_transform_iterator(ARRAY(const float, 0), Square());
  return cub::DeviceReduce::Sum(scratch, scratchSize, squares, ARRAY(float, 1),
                                static_cast<int>(n[0]));
}

struct Odd {
  __host__ __device__ int operator()(int x) const { return 2 * x + 1; }
};
struct Flip {
  __host__ __device__ int operator()(int x) const { return x ^ 0x55; }
};

/// A scan with a map before and one after it.
PEER(cub_scan_maps_i32) {
  auto in = thrust::make_transform_iterator(ARRAY(const int, 0), Odd());
  auto out = thrust::make_transform_output_iterator(ARRAY(int, 1), Flip());
  return cub::DeviceScan::InclusiveSum(scratch, scratchSize, in, out,
                                       static_cast<int>(n[0]));
}

/// The function x -> m x + c, modulo 2^32.
struct Affine {
  uint32_t m, c;
};
struct MakeAffine {
  __host__ __device__ Affine
  operator()(thrust::tuple<uint32_t, uint32_t> mc) const {
    return {thrust::get<0>(mc), thrust::get<1>(mc)};
  }
};
struct Then {
  __host__ __device__ Affine operator()(Affine f, Affine g) const {
    return {f.m * g.m, g.m * f.c + g.c};
  }
};
struct AtOne {
  __host__ __device__ uint32_t operator()(Affine f) const { return f.m + f.c; }
};

/// The scan of large_scan.py, from two arrays to one.
PEER(cub_scan_affine) {
  auto pairs = thrust::make_transform_iterator(
      thrust::make_zip_iterator(thrust::make_tuple(
          ARRAY(const uint32_t, 0), ARRAY(const uint32_t, 1))),
      MakeAffine());
  auto out = thrust::make_transform_output_iterator(ARRAY(uint32_t, 2), AtOne());
  return cub::DeviceScan::InclusiveScan(scratch, scratchSize, pairs, out,
                                        Then(), static_cast<int>(n[0]));
}

/// The same scan of pairs that lie side by side, and without a map.
PEER(cub_scan_affine_pairs) {
  return cub::DeviceScan::InclusiveScan(
      scratch, scratchSize, ARRAY(const Affine, 0), ARRAY(Affine, 1), Then(),
      static_cast<int>(n[0]));
}

struct Below {
  int limit;
  __host__ __device__ bool operator()(int x) const { return x < limit; }
};

/// Elements below n[1], and their number.
PEER(cub_select_i32) {
  return cub::DeviceSelect::If(scratch, scratchSize, ARRAY(const int, 0),
                               ARRAY(int, 1), ARRAY(int, 2),
                               static_cast<int>(n[0]),
                               Below{static_cast<int>(n[1])});
}

/// The number of occurrences of each number below n[1].
PEER(cub_histogram_i32) {
  int bins = static_cast<int>(n[1]);
  return cub::DeviceHistogram::HistogramEven(
      scratch, scratchSize, ARRAY(const int, 0), ARRAY(int, 1), bins + 1, 0,
      bins, static_cast<int>(n[0]));
}
