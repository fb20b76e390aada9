//===- Options.h - The command line of obs-run ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_OPTIONS_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_OPTIONS_H

#include "Obsidian/Interpreter/Slots.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::obs::run {

using interpreter::HostValue;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

enum class Executor { Interpret, Emulate, Cuda };

struct Options {
  bool help = false;
  bool version = false;
  std::string program;
  std::string entry;
  Executor device = Executor::Interpret;
  std::optional<int> gpu;
  std::optional<int64_t> threads, blocks;
  SmallVector<std::string> arguments;
  SmallVector<std::string> outputs;
  /// Checks of the emulator. Bounds are always checked.
  bool checkBounds = false, checkRaces = false, checkUninit = false;
  bool randomSchedule = false;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> maxIterations;
  bool time = false;
  bool report = false;
  bool graph = false;
  bool deterministic = false;
  bool noTiles = false;
  bool plainCollectives = false;
  bool lineInfo = false;
  /// Products and sums are contracted without flags, too.
  bool contractsAll = false;
  bool runtimeChecks = false;
  int64_t repeat = 1;
};

/// Reads the command line. Options may stand anywhere, as `--name=value` or
/// `--name value`. A word that begins with a minus and a digit, such as `-3`,
/// is an argument of the program.
Expected<Options> parseOptions(ArrayRef<const char *> arguments);

/// The text of `--help`.
llvm::StringRef getHelpText();

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_OPTIONS_H
