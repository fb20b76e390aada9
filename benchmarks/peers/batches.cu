// Peers from CUB: sorts of batches of 512 keys, by a block or a warp each.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

/// Loads the batch of the block, sorts it by `sort`, and stores it.
template <int Threads, int Items, typename Sorter, typename Sort>
__device__ void sortBatch(const int *in, int *out, Sort sort) {
  using Load = cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_VECTORIZE>;
  using Store =
      cub::BlockStore<int, Threads, Items, cub::BLOCK_STORE_VECTORIZE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sorter::TempStorage sort;
    typename Store::TempStorage store;
  } shared;
  size_t begin = static_cast<size_t>(blockIdx.x) * Threads * Items;
  int keys[Items];
  Load(shared.load).Load(in + begin, keys);
  __syncthreads();
  sort(Sorter(shared.sort), keys);
  __syncthreads();
  Store(shared.store).Store(out + begin, keys);
}

template <int Threads, int Items>
__global__ void sortByMerging(const int *in, int *out) {
  using Sorter = cub::BlockMergeSort<int, Threads, Items>;
  sortBatch<Threads, Items, Sorter>(
      in, out, [](Sorter sorter, int(&keys)[Items]) { sorter.Sort(keys, Less()); });
}

template <int Threads, int Items>
__global__ void sortByDigits(const int *in, int *out) {
  using Sorter = cub::BlockRadixSort<int, Threads, Items>;
  sortBatch<Threads, Items, Sorter>(
      in, out, [](Sorter sorter, int(&keys)[Items]) { sorter.Sort(keys); });
}

/// Four warps in a block, a batch each.
__global__ void sortByWarps(const int *in, int *out) {
  using Sorter = cub::WarpMergeSort<int, 16, 32>;
  __shared__ typename Sorter::TempStorage shared[4];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  size_t begin = (static_cast<size_t>(blockIdx.x) * 4 + warp) * 512;
  int keys[16];
  for (int i = 0; i < 16; ++i)
    keys[i] = in[begin + i * 32 + lane];
  Sorter(shared[warp]).Sort(keys, Less());
  __syncwarp();
  for (int i = 0; i < 16; ++i)
    out[begin + lane * 16 + i] = keys[i];
}

// n[0] is a multiple of 512.

PEER(cub_batches_merge_128) {
  sortByMerging<128, 4>
      <<<ceilDiv(n[0], 512), 128>>>(ARRAY(const int, 0), ARRAY(int, 1));
  return cudaGetLastError();
}

PEER(cub_batches_merge_64) {
  sortByMerging<64, 8>
      <<<ceilDiv(n[0], 512), 64>>>(ARRAY(const int, 0), ARRAY(int, 1));
  return cudaGetLastError();
}

PEER(cub_batches_radix_128) {
  sortByDigits<128, 4>
      <<<ceilDiv(n[0], 512), 128>>>(ARRAY(const int, 0), ARRAY(int, 1));
  return cudaGetLastError();
}

PEER(cub_batches_radix_64) {
  sortByDigits<64, 8>
      <<<ceilDiv(n[0], 512), 64>>>(ARRAY(const int, 0), ARRAY(int, 1));
  return cudaGetLastError();
}

/// n[0] is a multiple of 2048.
PEER(cub_batches_warp) {
  sortByWarps<<<ceilDiv(n[0], 2048), 128>>>(ARRAY(const int, 0), ARRAY(int, 1));
  return cudaGetLastError();
}
