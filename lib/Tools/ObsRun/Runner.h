//===- Runner.h - The executors of obs-run ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_RUNNER_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_RUNNER_H

#include "Obsidian/Interpreter/Interpreter.h"
#include "Obsidian/Runtime/HostProgram.h"
#include "Options.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace mlir::obs::run {

/// Runs one function of a program, any number of times.
class Runner {
public:
  virtual ~Runner();

  /// The interpreter for `entry` of a program as it was written.
  static std::unique_ptr<Runner> createInterpreter(func::FuncOp entry);

  /// The emulator or a GPU. Lowers `module`, which is changed, unless it has
  /// kernels already.
  static Expected<std::unique_ptr<Runner>>
  createOnDevice(ModuleOp module, StringRef entry, const Options &options);

  /// The name of the device, for messages.
  virtual std::string getName() const = 0;

  /// Runs the function on copies of `arguments`.
  virtual Expected<std::vector<HostValue>>
  run(ArrayRef<HostValue> arguments) = 0;

  /// The launches of the last run; none on the interpreter.
  virtual ArrayRef<runtime::LaunchRecord> getLaunches() const { return {}; }

  /// For runs as a CUDA graph: the number of launches, fills and copies in it.
  virtual std::optional<uint64_t> getNumGraphSteps() const {
    return std::nullopt;
  }

  /// The seed of later runs in random order.
  virtual void setSeed(uint64_t seed) {}
};

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_RUNNER_H
