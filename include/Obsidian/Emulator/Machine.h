//===- Machine.h - Runs GPU kernels on the CPU ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator compiles the kernels of a `gpu.module` for the CPU and runs them
// with the semantics of the GPU: every logical thread is a fiber, and barriers,
// shuffles and atomics have the effect that they have on a GPU. Errors of the
// kernel (an access out of bounds, a barrier that not all threads reach, a
// deadlock) end the launch with a message that begins with the source location
// and the kind:
//
//   prog.mlir:12:9: out-of-bounds: ...
//
// The kinds are out-of-bounds, misaligned-access, divergent-barrier,
// divergent-shuffle, bad-shuffle, deadlock, endless-loop, assertion-failed, and
// the kinds that observers report (Checker.h).
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_MACHINE_H
#define OBSIDIAN_EMULATOR_MACHINE_H

#include "Obsidian/Emulator/AccessObserver.h"
#include "Obsidian/Emulator/DeviceMemory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace mlir {
namespace gpu {
class GPUModuleOp;
} // namespace gpu

namespace obs::emulator {

/// The order in which blocks and threads run.
enum class Schedule {
  /// Blocks 0, 1, 2, ... one after the other, threads in order up to the next
  /// barrier. More blocks become resident only while all resident ones spin.
  Ticket,
  /// Blocks in a random order, several at once. Threads are interleaved at
  /// barriers and atomics, and sometimes at plain accesses. The seed determines
  /// the order.
  Random
};

/// Options for the compilation and execution of kernels.
struct MachineOptions {
  Schedule schedule = Schedule::Ticket;
  uint64_t seed = 0;
  /// A launch is a deadlock if threads spin for this many iterations while no
  /// thread ends, passes a barrier, or changes memory by an atomic operation.
  uint64_t stepBudget = uint64_t(1) << 18;
  /// A loop without a bound is endless if the threads together execute more
  /// than this number of iterations of such loops, while no thread ends, passes
  /// a barrier, or changes memory by an atomic operation.
  uint64_t maxIterations = uint64_t(1) << 31;
  /// The maximum number of threads that are started and not ended. At least one
  /// block runs, even if it has more threads.
  unsigned maxResidentThreads = 16384;
  /// Stack of a thread without its `memref.alloca`s, in bytes.
  size_t stackBytes = 64 * 1024;
  /// Reports accesses of `memref.alloca` to observers. Such arrays are then not
  /// in registers.
  bool watchPrivate = false;
  /// Receives the text of each `gpu.printf`; if unset, it is printed on
  /// standard output.
  std::function<void(llvm::StringRef)> print;
};

/// Counters of a launch. A barrier counts once for all threads that pass it
/// together; atomics and bytes count for each thread. Accesses of
/// `memref.alloca` are not counted.
struct LaunchStats {
  uint64_t blocks = 0;
  uint64_t threads = 0;
  uint64_t blockBarriers = 0;
  uint64_t warpBarriers = 0;
  /// Exchanges of a whole warp.
  uint64_t shuffles = 0;
  uint64_t atomics = 0;
  uint64_t globalBytesLoaded = 0;
  uint64_t globalBytesStored = 0;
  uint64_t sharedBytesLoaded = 0;
  uint64_t sharedBytesStored = 0;
};

/// The compiled kernels of one `gpu.module`, and the machine that runs them. A
/// machine is for one thread of the host at a time.
class Machine {
public:
  /// Compiles all kernels of `module`. The module is not changed, and not
  /// needed afterwards. Several machines may share one `memory`. If it is null,
  /// the machine has its own memory. The error contains the text of the
  /// diagnostics, with locations.
  static llvm::Expected<std::unique_ptr<Machine>>
  create(gpu::GPUModuleOp module, MachineOptions options = {},
         std::shared_ptr<DeviceMemory> memory = nullptr);
  ~Machine();

  /// `DeviceMemory::allocate` and `DeviceMemory::free` of this machine's
  /// memory.
  llvm::Expected<void *> allocate(size_t bytes);
  llvm::Error free(void *address);
  DeviceMemory &memory();
  std::shared_ptr<DeviceMemory> sharedMemory();

  /// Options may change between launches, except `watchPrivate`: later changes
  /// of this one have no effect.
  MachineOptions &options();

  /// Adds a check that watches all later launches. Not owned.
  void addObserver(AccessObserver *observer);

  /// Runs a kernel until it ends. As for cuLaunchKernel, `params` contains a
  /// pointer to the value of each argument: a device pointer for a memref, an
  /// int64_t for an index, and the value itself for a scalar (one byte for i1).
  /// If the grid has no blocks, nothing runs. On success, `stats` contains the
  /// counts.
  llvm::Error launch(llvm::StringRef kernel, Dim3 grid, Dim3 block,
                     size_t sharedBytes, llvm::ArrayRef<void *> params,
                     LaunchStats *stats = nullptr);

private:
  struct Impl;
  explicit Machine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace obs::emulator
} // namespace mlir

#endif // OBSIDIAN_EMULATOR_MACHINE_H
