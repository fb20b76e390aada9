//===- RegisterAll.h - What the tools of the project register ---*- C++ -*-===//
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
/// and their lowered forms contain, and the interfaces through which those are
/// inlined, converted to the LLVM dialect and translated to LLVM IR.
void registerAllDialects(DialectRegistry &registry);

/// Registers the passes and pipelines of this project with the global registry.
/// Call it once.
void registerOwnPasses();

/// The same, and the upstream passes that are of use beside them. Call it once.
void registerAllPasses();

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_REGISTERALL_H
