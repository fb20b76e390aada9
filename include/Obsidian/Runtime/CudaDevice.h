//===- CudaDevice.h - Kernels on an NVIDIA GPU ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_CUDADEVICE_H
#define OBSIDIAN_RUNTIME_CUDADEVICE_H

#include "Obsidian/Runtime/CudaDriver.h"
#include "Obsidian/Runtime/Device.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <vector>

namespace mlir::obs::runtime {

/// A GPU, used through the CUDA driver API. It uses the primary context of the
/// device and a separate stream, so other users of CUDA are not disturbed.
class CudaDevice : public Device {
public:
  /// Compiles a `gpu.module` to PTX text for a chip such as `sm_90`.
  using Compiler = std::function<Expected<std::string>(Operation *gpuModule,
                                                       StringRef chip)>;

  /// Opens GPU `index`, or the one that OBS_DEVICE names, or the first.
  /// `compile` may be empty if only loadPTX is used.
  static Expected<std::unique_ptr<CudaDevice>> create(std::optional<int> index,
                                                      Compiler compile);
  ~CudaDevice() override;

  /// Functions of the caller for memory, which is freed on the same stream.
  struct Allocator {
    std::function<Expected<DevicePtr>(uint64_t bytes)> allocate;
    std::function<void(DevicePtr)> free;
  };
  void useAllocator(Allocator foreign) { allocator = std::move(foreign); }
  /// From now on, all work runs on the stream `foreign` of the caller, or on
  /// the stream of this object if it is null. Waits for the old stream before,
  /// unless an allocator is in use, because freed memory is reused in the order
  /// of one stream.
  Error useStream(cuda::Stream foreign);

  std::string getName() const override { return name; }
  /// `sm_90`, from the compute capability.
  std::string getChip() const override;

  Error copyToDevice(DevicePtr target, const void *source,
                     uint64_t bytes) override;
  Error copyToHost(void *target, DevicePtr source, uint64_t bytes) override;
  Error copyOnDevice(DevicePtr target, DevicePtr source,
                     uint64_t bytes) override;
  Error fill(DevicePtr target, uint64_t pattern, unsigned elementBytes,
             uint64_t count) override;
  Error loadModule(Operation *gpuModule) override;
  /// Loads PTX text (or a cubin) under the name `module`.
  Error loadPTX(StringRef module, StringRef image);
  Expected<KernelHandle> getKernel(StringRef module, StringRef name) override;
  Error launch(KernelHandle kernel, const LaunchShape &shape,
               ArrayRef<void *> parameters) override;
  Error synchronize() override;
  Error startTimer() override;
  Expected<double> stopTimer() override;
  Error beginRecording() override;
  Expected<WorkHandle> endRecording() override;
  Error replay(WorkHandle work) override;
  uint64_t getNumSteps(WorkHandle work) const override {
    return recorded[work].numSteps;
  }

protected:
  Expected<DevicePtr> doAllocate(uint64_t bytes) override;
  Expected<DevicePtr> doAllocateTemporary(uint64_t bytes) override;
  Expected<DevicePtr> doAllocateNumber(uint64_t bytes) override;
  Error doFree(DevicePtr pointer) override;

private:
  struct Kernel {
    std::string name;
    cuda::Function function;
    /// The current limit of the function for dynamic shared memory.
    uint64_t allowedSharedBytes;
    /// Limits for a block; 0 if the driver does not return them.
    int maxThreads, fixedSharedBytes;
    bool isRunning;
  };

  struct Recorded {
    cuda::Graph graph;
    cuda::GraphExec exec;
    uint64_t numSteps;
    /// Memory that the work uses and that contains no array.
    SmallVector<DevicePtr> memory;
  };

  CudaDevice(const cuda::Driver &driver, Compiler compile)
      : driver(driver), compile(std::move(compile)) {}
  Error initialize(int index);
  /// The driver, with the context of this device made current.
  const cuda::Driver &enter() const;
  int getAttribute(int attribute) const;
  /// Success, or an error with `doing`, `: ` and the text of the driver. It
  /// names the kernels that may be the cause.
  Error check(cuda::Result result, const Twine &doing);
  /// Fails while work is recorded, because it is not executed yet. `doing`
  /// names the operation in the message.
  Error checkNotRecording(const Twine &doing) const;
  /// Returns kept memory that no array uses to the driver. True if there was
  /// such memory.
  bool releaseSpares();
  Error checkShape(const Kernel &kernel, const LaunchShape &shape) const;
  /// True if `pointer` is in `slots`.
  bool isInSlots(DevicePtr pointer) const {
    auto begin = reinterpret_cast<DevicePtr>(slots);
    return pointer >= begin && pointer < begin + numSlots * slotBytes;
  }
  bool isInArena(DevicePtr pointer) const {
    return arena.begin && pointer >= arena.begin &&
           pointer < arena.begin + arenaBytes;
  }
  /// Notes that the work so far may have written all arrays.
  void touch() { arena.touched = arena.used; }

  const cuda::Driver &driver;
  Compiler compile;
  std::string name;
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  /// The stream in use, and the stream that this object created.
  cuda::Stream stream = nullptr, ownStream = nullptr;
  std::optional<Allocator> allocator;
  cuda::Event timerStart = nullptr, timerStop = nullptr;
  int major = 0, minor = 0;
  llvm::StringMap<cuda::Module> modules;
  /// The sizes of allocated arrays, and freed memory that is kept for an array
  /// of the same size. The driver waits for the GPU when it frees memory. So a
  /// program that allocates in a loop calls the driver in its first iterations
  /// only.
  llvm::DenseMap<DevicePtr, uint64_t> sizes;
  llvm::DenseMap<uint64_t, SmallVector<DevicePtr, 2>> spares;
  /// Memory of the host for a few numbers that kernels write and the host
  /// reads: a copy from the GPU takes longer than the wait for the kernel. A
  /// freed slot is `usedSlots` until no kernel can write it.
  static constexpr uint64_t numSlots = 64, slotBytes = 64;
  void *slots = nullptr;
  SmallVector<DevicePtr, 0> freeSlots, usedSlots;
  /// With an allocator of the caller: one piece of memory for the short
  /// temporary arrays of a program, from the first one until the last one is
  /// freed. Places are not used again. The first array that is filled with
  /// zeros is filled to the end of the memory, so the following arrays are
  /// already filled. Other memory has exact sizes, so that tools find accesses
  /// out of bounds.
  static constexpr uint64_t arenaBytes = 1 << 15, arenaAlignment = 256;
  struct Arena {
    DevicePtr begin = 0;
    /// Offsets: the end of the arrays, the end of those that may have been
    /// written, and the beginning of the zeros. The number of live arrays.
    uint64_t used = 0, touched = 0, zeros = arenaBytes, live = 0;
    /// True if the memory is a piece of a ZeroPool, and not of the allocator.
    bool isPooled = false;
  };
  Arena arena;
  /// Memory that is zero from `used` on, for the arenas of the programs of one
  /// stream. A fill takes longer than a short kernel waits for, so one fill is
  /// for many programs. Each program gets another piece. When there is no piece
  /// left, the stream fills the memory again, after the programs before.
  struct ZeroPool {
    static constexpr uint64_t bytes = 32 * arenaBytes;
    unsigned long long streamId = 0;
    DevicePtr begin = 0;
    uint64_t used = bytes;
  };
  /// Streams that come and go must not use up memory.
  static constexpr size_t maxZeroPools = 4;
  SmallVector<ZeroPool, 1> zeroPools;
  /// A piece of memory that is zero when the stream has executed the work so
  /// far; 0 if there is none. A recorded program is executed again, and needs a
  /// fill of its own.
  DevicePtr takeZeros();
  std::vector<Kernel> kernels;
  bool isRecording = false;
  std::vector<Recorded> recorded;
  /// Limits for a launch; 0 if the driver does not return them. They are read
  /// once.
  int maxThreads = 0, maxBlocks[3] = {0, 0, 0}, maxSharedBytes = 0;
  /// True if a kernel that waits itself can start early.
  bool mayOverlap = false;
  /// Kernels that were launched since the last wait.
  SmallVector<KernelHandle> running;
  void clearRunning();
};

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_CUDADEVICE_H
