//===- RuntimeABI.h - Interface of generated code and runtime ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_RUNTIMEABI_H
#define OBSIDIAN_LIB_EMULATOR_RUNTIMEABI_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>

namespace mlir::obs::emulator {

constexpr unsigned kWarpSize = 32;

/// The state of a block that generated code reads, by offset.
struct BlockContext {
  uint64_t blockId[3];
  uint64_t blockDim[3];
  uint64_t gridDim[3];
  uint64_t numWarps;
  /// First the static shared memory of the kernel, then the dynamic one.
  char *shared;
  uint64_t dynamicSharedBytes;
};

/// The state of a thread that generated code reads, by offset.
struct ThreadContext {
  uint64_t threadId[3];
  uint64_t laneId;
  uint64_t warpId;
  const BlockContext *block;
  /// Second result of the last shuffle.
  uint32_t shuffleValid;
  /// Site of the `gpu.return` that ended the thread; written by the kernel.
  uint32_t exitSite;
  /// Counted by the kernel: iterations of loops around forces.
  uint64_t iteration;
  /// Set by the kernel when the thread enters an outermost loop or branch, if
  /// blocks of the kernel may be idle.
  uint32_t isActive;
};

/// A kernel after compilation.
using KernelFunction = void (*)(ThreadContext *, void *const *);

/// The operation at a site; `emulator.sites` has the names below.
enum class SiteKind : uint8_t {
  Load,
  Store,
  SyncLoad,
  SyncStore,
  Atomic,
  BlockBarrier,
  WarpBarrier,
  ShuffleXor,
  ShuffleUp,
  ShuffleDown,
  ShuffleIdx,
  Multiply,
  Printf,
  Assert,
  Arithmetic,
  Loop,
  Return
};

/// Bits of the ordering of an atomic access or a fence.
enum MemoryOrder : uint32_t { kAcquires = 1, kReleases = 2 };

llvm::StringRef stringifySiteKind(SiteKind kind);
/// Returns false if there is no kind of that name.
bool parseSiteKind(llvm::StringRef name, SiteKind &kind);

/// Attribute names of the converted module and its functions.
constexpr llvm::StringLiteral kSitesAttr = "emulator.sites";
constexpr llvm::StringLiteral kKernelAttr = "emulator.kernel";

/// The prefixes of the names of kernels and of globals in the converted module.
/// They keep these names apart from the functions of the C library.
constexpr llvm::StringLiteral kKernelPrefix = "kernel.";
constexpr llvm::StringLiteral kGlobalPrefix = "global.";

/// Names of the runtime functions that generated code calls.
namespace hook {
constexpr llvm::StringLiteral kAccess = "obs_emu_access";
constexpr llvm::StringLiteral kSyncAccess = "obs_emu_sync_access";
constexpr llvm::StringLiteral kIndexFailed = "obs_emu_index_failed";
constexpr llvm::StringLiteral kAssertFailed = "obs_emu_assert_failed";
constexpr llvm::StringLiteral kBlockBarrier = "obs_emu_block_barrier";
constexpr llvm::StringLiteral kWarpBarrier = "obs_emu_warp_barrier";
constexpr llvm::StringLiteral kShuffle = "obs_emu_shuffle";
constexpr llvm::StringLiteral kMultiply = "obs_emu_multiply";
constexpr llvm::StringLiteral kPrintf = "obs_emu_printf";
constexpr llvm::StringLiteral kPoll = "obs_emu_poll";
constexpr llvm::StringLiteral kFence = "obs_emu_fence";
constexpr llvm::StringLiteral kPrivateBegins = "obs_emu_private_begins";
constexpr llvm::StringLiteral kFmaBFloat = "obs_emu_fma_bfloat";
constexpr llvm::StringLiteral kSignedToBFloat = "obs_emu_signed_to_bfloat";
constexpr llvm::StringLiteral kUnsignedToBFloat = "obs_emu_unsigned_to_bfloat";
} // namespace hook

extern "C" {
/// Called before a plain load or store: checks bounds and alignment, and
/// counts.
void obs_emu_access(ThreadContext *thread, char *address, uint32_t site);
/// Called before an atomic or volatile access: does the same, and yields.
void obs_emu_sync_access(ThreadContext *thread, char *address, uint32_t site);
/// Reports that index `index` of dimension `dim` is not below `extent`. Does
/// not return.
void obs_emu_index_failed(ThreadContext *thread, uint32_t site, uint64_t dim,
                          int64_t index, int64_t extent);
/// Does not return.
void obs_emu_assert_failed(ThreadContext *thread, uint32_t site);
void obs_emu_block_barrier(ThreadContext *thread, uint32_t site);
void obs_emu_warp_barrier(ThreadContext *thread, uint32_t site, uint32_t mask);
/// Exchanges `value`, which is extended to 64 bits, and sets `shuffleValid`.
uint64_t obs_emu_shuffle(ThreadContext *thread, uint32_t site, uint64_t value,
                         uint32_t offset, uint32_t width);
/// `elements` are those of a lane in `obs.mma`: 8 of `a`, 4 of `b`, and 4 of
/// `c`, which become those of the result.
void obs_emu_multiply(ThreadContext *thread, uint32_t site, float *elements);
/// `args` has 64 bits for each argument: a sign-extended integer, or the bits
/// of a double.
void obs_emu_printf(ThreadContext *thread, uint32_t site, const uint64_t *args);
/// Called once for each iteration of a loop without a bound.
void obs_emu_poll(ThreadContext *thread, uint32_t site);
/// `order` has the bits of MemoryOrder.
void obs_emu_fence(ThreadContext *thread, uint32_t order);
/// Called when a private array of `bytes` bytes is allocated.
void obs_emu_private_begins(ThreadContext *thread, char *base, uint64_t bytes);
/// The bits of `a * b + c`, rounded once. The operands are bits of bf16.
uint32_t obs_emu_fma_bfloat(uint32_t a, uint32_t b, uint32_t c);
/// The bits of the bf16 that is nearest to an integer.
uint32_t obs_emu_signed_to_bfloat(int64_t value);
uint32_t obs_emu_unsigned_to_bfloat(uint64_t value);
}

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_RUNTIMEABI_H
