//===- RegisterAll.h - Dialects and passes of the tools ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REGISTERALL_H
#define OBSIDIAN_REGISTERALL_H

namespace mlir {
class DialectRegistry;

namespace obs {

/// Adds to `registry` the obs dialect, every upstream dialect that its programs
/// and their lowered forms contain, and the interfaces that inline them,
/// convert them to the LLVM dialect and translate them to LLVM IR.
void registerAllDialects(DialectRegistry &registry);

/// Registers the passes and pipelines of this project with the global registry.
/// Call it once.
void registerOwnPasses();

/// Registers the same, and upstream passes that are useful with them. Call it
/// once.
void registerAllPasses();

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_REGISTERALL_H
