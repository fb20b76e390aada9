//===- Patterns.h - Patterns of convert-kernels-to-nvvm ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_CONVERSION_KERNELSTONVVM_PATTERNS_H
#define OBSIDIAN_LIB_CONVERSION_KERNELSTONVVM_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::obs {

/// Atomic operations on memrefs, with scopes.
void populateAtomicsToNVVMPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns);

/// True for an `or` with 0, which only reads.
bool isAtomicLoad(memref::AtomicRMWOp op);

/// The number of elements between the address at the indices of an access and
/// the element that it accesses.
using DistanceMap = llvm::DenseMap<Operation *, int64_t>;

/// Removes constants that are added to indices of loads and stores. Returns the
/// distances instead.
DistanceMap splitDistances(gpu::GPUModuleOp module);

/// Loads and stores with these distances.
void populateAccessesToNVVMPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    const DistanceMap &distances);

/// Operations of `math` that NVPTX has instructions for.
void populateMathToNVVMPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns);

/// Products of small matrices by the lanes of a warp.
void populateMmaToNVVMPatterns(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns);

/// True for an operation that becomes a call of a function in libdevice.
bool needsLibdevice(Operation *op);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_CONVERSION_KERNELSTONVVM_PATTERNS_H
