//===- HostProgram.h - Runs host functions over a device --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host side of a lowered program is a `func.func` that allocates device
// memory, launches kernels and copies. It is interpreted. It waits for the
// device most of the time, so compilation would not make it faster.
//
// Executed are `arith` and `math` on scalars, `scf.{for,if,while}`,
// `memref.{alloca,load,store,dim,cast,reinterpret_cast,subview}`,
// `gpu.{alloc,dealloc,memcpy,memset,launch_func}` without async tokens,
// `cf.assert`, `obs.print` and `func.return`. Anything else is an error.
// `memref.alloca`, `load` and `store` are of host memory, `gpu.alloc` of device
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_HOSTPROGRAM_H
#define OBSIDIAN_RUNTIME_HOSTPROGRAM_H

#include "Obsidian/Runtime/Device.h"
#include "Obsidian/Runtime/MemoryRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace mlir::obs::runtime {

/// One launch of a kernel.
struct LaunchRecord {
  std::string kernel;
  LaunchShape shape;
  /// Time on the device; only where timing was asked for.
  std::optional<double> milliseconds;
  /// Only where the device counts.
  std::optional<LaunchCounters> counters;
};

/// A module after `obs-to-gpu`, ready to run on one device. The module and the
/// device must outlive it, and the device the arrays that come from it.
class HostProgram {
public:
  /// Loads all kernels of `module` onto `device`.
  static llvm::Expected<HostProgram> create(ModuleOp module, Device &device);

  /// Runs the function `entry`. Array arguments are memory of the device, and
  /// what the function writes into them stays written; array results are
  /// memory of the device too. All other memory that the function allocated is
  /// freed when this returns, also with an error. Errors begin with
  /// `file:line:col:` of the op that failed.
  llvm::Expected<SmallVector<RuntimeValue>>
  run(StringRef entry, ArrayRef<RuntimeValue> arguments);

  /// The same, but does not wait for the device at the end.
  llvm::Expected<SmallVector<RuntimeValue>>
  start(StringRef entry, ArrayRef<RuntimeValue> arguments);

  /// Records the work of the function on the device, with these arguments, and
  /// returns its results. A replay of the work writes the results to the same
  /// memory. Fails if the host reads or writes memory of the device in between.
  llvm::Expected<SmallVector<RuntimeValue>>
  record(StringRef entry, ArrayRef<RuntimeValue> arguments, WorkHandle &work);

  /// Has each launch timed, which makes it wait for the kernel.
  void setTiming(bool enable) { timing = enable; }

  /// The output of `obs.print`; standard output unless set.
  void setOutput(raw_ostream &os) { output = &os; }

  /// The launches of all runs so far, in order.
  ArrayRef<LaunchRecord> getLaunches() const { return launches; }
  void clearLaunches() { launches.clear(); }

private:
  class Executor;
  /// Runs the function without waiting for the device at the end.
  llvm::Expected<SmallVector<RuntimeValue>>
  execute(func::FuncOp func, ArrayRef<RuntimeValue> arguments);
  llvm::Expected<func::FuncOp> findEntry(StringRef entry,
                                         ArrayRef<RuntimeValue> arguments);
  HostProgram(ModuleOp module, Device &device)
      : module(module), device(&device) {}

  ModuleOp module;
  Device *device;
  bool timing = false;
  raw_ostream *output = &llvm::outs();
  std::vector<LaunchRecord> launches;
  struct Kernel {
    KernelHandle handle;
    /// Bytes that each parameter is a multiple of, as the compiler took it.
    SmallVector<uint64_t> alignments;
  };
  llvm::DenseMap<Attribute, Kernel> kernels;
};

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_HOSTPROGRAM_H
