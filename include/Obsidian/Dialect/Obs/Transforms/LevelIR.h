//===- LevelIR.h - Queries on level IR --------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scf {
class ForallOp;
} // namespace mlir::scf

namespace mlir::obs {
class MapAttr;

/// Marks tables that are in constant memory, or should be:
/// an `obs.constant` that the
/// program asks to be there, a `memref.global`, and a `memref.get_global` of
/// which the lanes of a warp always read one element.
constexpr llvm::StringLiteral constantAttrName = "obs.constant";
/// The constant memory of a module of kernels, in bytes.
constexpr int64_t constantMemoryBytes = 1 << 16;

/// The alloc, kernel argument or table that `memory` is (a part of); null if
/// that is not known.
Value getRoot(Value memory);

/// The map that spreads the iterations of a leaf loop. Null if the loop is not
/// valid level IR (`obs-verify-levels` reports the reason).
MapAttr getLeafMap(scf::ForallOp leaf);

/// Each warp has a slice of an array of warps in shared memory. It begins at a
/// multiple of this number of bytes.
constexpr int64_t sliceAlignment = 16;
/// Bytes from one slice of such an array to the next.
int64_t getSliceBytes(MemRefType type);

/// "file.mlir:3:5", or "?" without a location in a file.
std::string getPlace(Location location);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H
