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

/// Lets upstream's conversions to LLVM (`convert-to-llvm`, `gpu-to-llvm`)
/// convert `obs.part`, the one operation of the dialect that is left in host
/// functions, so that these can be compiled: the aligned pointer of the
/// descriptor moves, the allocated one, which is freed, stays.
void registerConvertPartToLLVMInterface(DialectRegistry &registry);

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_CONVERSION_PARTTOLLVM_H
