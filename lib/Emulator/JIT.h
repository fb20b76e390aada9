//===- JIT.h - Machine code for converted kernels ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_JIT_H
#define OBSIDIAN_LIB_EMULATOR_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::obs::emulator {

/// Machine code of a module in the LLVM dialect for this machine, linked with
/// the runtime of the emulator and the C library.
class JIT {
public:
  static llvm::Expected<JIT> compile(ModuleOp module);
  JIT(JIT &&);
  ~JIT();

  /// The address of a function or global.
  llvm::Expected<void *> lookup(llvm::StringRef name);

  /// The most bytes of stack that the values of one function can take.
  size_t getFrameBytes() const { return frameBytes; }

private:
  JIT(std::unique_ptr<llvm::orc::LLJIT> lljit, size_t frameBytes);

  size_t frameBytes;
  std::unique_ptr<llvm::orc::LLJIT> lljit;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_JIT_H
