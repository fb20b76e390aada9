//===- KernelNames.h - Names of kernels -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A symbol is unique in its module. If another kernel or a host function has
// the name that the source gives to a kernel, the kernel gets another symbol.
// An attribute keeps the name in the source until kernels with equal code are
// merged.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_HOST_KERNELNAMES_H
#define OBSIDIAN_TRANSFORMS_HOST_KERNELNAMES_H

#include "mlir/IR/SymbolTable.h"

namespace mlir::obs {

/// The name in the source, on an `obs.kernel` and on a `gpu.func`.
constexpr StringLiteral kernelEntryAttrName = "entry";
constexpr StringLiteral entryAttrName = "obs.entry";

/// Marks both if the source has no name: the kernel is named after the
/// function.
constexpr StringLiteral unnamedAttrName = "obs.unnamed";

/// The name of `kernel` in the source, from the attribute `name`, or its symbol
/// if there is no such attribute.
inline StringRef getSourceName(SymbolOpInterface kernel, StringRef name) {
  auto entry = kernel->getAttrOfType<StringAttr>(name);
  return entry ? entry.getValue() : kernel.getName();
}

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_HOST_KERNELNAMES_H
