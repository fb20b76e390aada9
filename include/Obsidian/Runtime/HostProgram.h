//===- HostProgram.h - Runs host functions on a device ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the plan of an artefact. Compilation would not make it faster,
// because the host waits for the device most of the time. Work that does not
// depend on the arguments is done once for each function.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_HOSTPROGRAM_H
#define OBSIDIAN_RUNTIME_HOSTPROGRAM_H

#include "Obsidian/Artefact/Artefact.h"
#include "Obsidian/Runtime/Device.h"
#include "Obsidian/Runtime/MemoryRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <vector>

namespace mlir::obs::runtime {

/// One launch of a kernel.
struct LaunchRecord {
  /// Valid as long as the program.
  StringRef kernel;
  LaunchShape shape;
  /// The time on the device; only if times were requested.
  std::optional<double> milliseconds;
  /// Only if the device has counters.
  std::optional<LaunchCounters> counters;
};

/// The builtin type with this text, such as `i32`; null if it is not the type
/// of a scalar.
Type getScalarType(MLIRContext &context, StringRef text);

/// An artefact on one device. The device must outlive this object and the
/// arrays that it returns.
class HostProgram {
public:
  /// Prepares `artefact`, whose kernels `device` has loaded, with types of
  /// `context`. An error names the step that cannot be executed.
  static Expected<HostProgram>
  create(std::shared_ptr<const artefact::Artefact> artefact, Device &device,
         MLIRContext &context);
  /// Loads all kernels of `module`, a module after `obs-to-gpu`, onto `device`.
  static Expected<HostProgram> create(ModuleOp module, Device &device);
  HostProgram(HostProgram &&);
  ~HostProgram();

  /// Runs the function `entry`. Array arguments are memory of the device, in
  /// which the writes of the function remain. Array results are also memory of
  /// the device. All other memory that the function allocated is freed when
  /// this returns, even after an error. Errors begin with the location
  /// `file:line:col:` of the failed operation.
  Expected<SmallVector<RuntimeValue>> run(StringRef entry,
                                          ArrayRef<RuntimeValue> arguments);

  /// The same, but does not wait for the device at the end.
  Expected<SmallVector<RuntimeValue>> start(StringRef entry,
                                            ArrayRef<RuntimeValue> arguments);

  /// Records the work of the function on the device, with these arguments, and
  /// returns its results. A replay of the work writes the results to the same
  /// memory. Fails if the host reads or writes memory of the device in between.
  Expected<SmallVector<RuntimeValue>>
  record(StringRef entry, ArrayRef<RuntimeValue> arguments, WorkHandle &work);

  /// Measures the time of each launch. A launch then waits for its kernel.
  void setTiming(bool enable) { timing = enable; }

  /// The output of `obs.print`; standard output unless set.
  void setOutput(raw_ostream &os) { output = &os; }

  /// The launches of all runs so far, in order.
  ArrayRef<LaunchRecord> getLaunches() const { return launches; }
  void clearLaunches() { launches.clear(); }

private:
  class Code;
  HostProgram(std::shared_ptr<const artefact::Artefact> artefact,
              Device &device);
  Expected<Code *> findEntry(StringRef entry, ArrayRef<RuntimeValue> arguments);

  std::shared_ptr<const artefact::Artefact> artefact;
  Device *device;
  bool timing = false;
  raw_ostream *output = &llvm::outs();
  std::vector<LaunchRecord> launches;
  std::vector<std::unique_ptr<Code>> functions;
};

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_HOSTPROGRAM_H
