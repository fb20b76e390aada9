// Peers from CUB: radix sorts.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cub/device/device_radix_sort.cuh>

PEER(cub_sort_u32) {
  return cub::DeviceRadixSort::SortKeys(
      scratch, scratchSize, ARRAY(const uint32_t, 0), ARRAY(uint32_t, 1),
      static_cast<int>(n[0]));
}

PEER(cub_sort_i32) {
  return cub::DeviceRadixSort::SortKeys(
      scratch, scratchSize, ARRAY(const int32_t, 0), ARRAY(int32_t, 1),
      static_cast<int>(n[0]));
}

PEER(cub_sort_u64) {
  return cub::DeviceRadixSort::SortKeys(
      scratch, scratchSize, ARRAY(const uint64_t, 0), ARRAY(uint64_t, 1),
      static_cast<int>(n[0]));
}

PEER(cub_sort_pairs) {
  return cub::DeviceRadixSort::SortPairs(
      scratch, scratchSize, ARRAY(const uint32_t, 0), ARRAY(uint32_t, 2),
      ARRAY(const uint32_t, 1), ARRAY(uint32_t, 3), static_cast<int>(n[0]));
}
