//===- Sites.cpp - Names of the kinds of sites ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeABI.h"

using namespace mlir::obs::emulator;

/// In the order of the enumeration.
static constexpr llvm::StringLiteral kNames[] = {
    "load",       "store",         "sync_load",    "sync_store",
    "atomic",     "block_barrier", "warp_barrier", "shuffle_xor",
    "shuffle_up", "shuffle_down",  "shuffle_idx",  "multiply",
    "printf",     "assert",        "arithmetic",   "loop",
    "return"};

llvm::StringRef mlir::obs::emulator::stringifySiteKind(SiteKind kind) {
  return kNames[static_cast<unsigned>(kind)];
}

bool mlir::obs::emulator::parseSiteKind(llvm::StringRef name, SiteKind &kind) {
  for (unsigned i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) {
      kind = static_cast<SiteKind>(i);
      return true;
    }
  return false;
}
