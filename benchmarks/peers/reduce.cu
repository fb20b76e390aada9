// Peers from CUB: sums of each element type.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cub/device/device_reduce.cuh>

/// The sum of n[0] elements.
template <typename T>
static int reduce(void *const *p, const int64_t *n, void *scratch,
                  size_t scratchSize) {
  return cub::DeviceReduce::Sum(scratch, scratchSize, ARRAY(const T, 0),
                                ARRAY(T, 1), static_cast<int>(n[0]));
}

PEER(cub_reduce_i8) { return reduce<int8_t>(p, n, scratch, scratchSize); }
PEER(cub_reduce_i16) { return reduce<int16_t>(p, n, scratch, scratchSize); }
PEER(cub_reduce_i32) { return reduce<int32_t>(p, n, scratch, scratchSize); }
PEER(cub_reduce_i64) { return reduce<int64_t>(p, n, scratch, scratchSize); }
PEER(cub_reduce_f32) { return reduce<float>(p, n, scratch, scratchSize); }
PEER(cub_reduce_f64) { return reduce<double>(p, n, scratch, scratchSize); }
