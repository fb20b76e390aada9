//===- PartToLLVM.h - Parts of device memory in LLVM ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_CONVERSION_PARTTOLLVM_H
#define OBSIDIAN_CONVERSION_PARTTOLLVM_H

namespace mlir {
class DialectRegistry;

namespace obs {

/// Adds `obs.part` to upstream's conversions to LLVM (`convert-to-llvm`,
/// `gpu-to-llvm`). It is the only operation of the dialect that remains in host
/// functions. The aligned pointer of the descriptor moves. The allocated
/// pointer, which is freed, stays.
void registerConvertPartToLLVMInterface(DialectRegistry &registry);

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_CONVERSION_PARTTOLLVM_H
