// Peers from CUB: prefix sums of each element type.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cub/device/device_scan.cuh>

/// The inclusive prefix sums of n[0] elements.
template <typename T>
static int scan(void *const *p, const int64_t *n, void *scratch,
                size_t scratchSize) {
  return cub::DeviceScan::InclusiveSum(scratch, scratchSize, ARRAY(const T, 0),
                                       ARRAY(T, 1), static_cast<int>(n[0]));
}

PEER(cub_scan_i8) { return scan<int8_t>(p, n, scratch, scratchSize); }
PEER(cub_scan_i16) { return scan<int16_t>(p, n, scratch, scratchSize); }
PEER(cub_scan_i32) { return scan<int32_t>(p, n, scratch, scratchSize); }
PEER(cub_scan_i64) { return scan<int64_t>(p, n, scratch, scratchSize); }
PEER(cub_scan_f32) { return scan<float>(p, n, scratch, scratchSize); }
PEER(cub_scan_f64) { return scan<double>(p, n, scratch, scratchSize); }
