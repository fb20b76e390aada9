// The peer of scatter-privatisation.py for counts: DeviceHistogram of CUB.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cub/device/device_histogram.cuh>

/// Enqueues the counts of `n` keys below `bins`. Without `scratch` only sets
/// the bytes that it takes. Returns an error of CUDA, or 0.
extern "C" int count(void *scratch, size_t *size, const int *keys, int n,
                     int *counts, int bins) {
  return cub::DeviceHistogram::HistogramEven(scratch, *size, keys, counts,
                                             bins + 1, 0, bins, n);
}
