//===- LevelIR.h - Queries on level IR --------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_LEVEL_LEVELIR_H
#define OBSIDIAN_TRANSFORMS_LEVEL_LEVELIR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::scf {
class ForallOp;
} // namespace mlir::scf

namespace mlir::obs {
class MapAttr;

/// The constant memory of a module of kernels, in bytes.
constexpr int64_t constantMemoryBytes = 1 << 16;

/// The alloc, kernel argument or table that `memory` is, or is a part of; null
/// if it is not known.
Value getRoot(Value memory);

/// A read or a write of elements of memory at one location in the code.
struct ElementAccess {
  enum class Kind { Read, Write, Atomic };
  /// nullopt for operations that do not access memory.
  static std::optional<ElementAccess> get(Operation *op);

  Operation *op;
  Kind kind;
  Value memory;
  ValueRange indices;
  Type element;
  /// The number of adjacent elements that one thread accesses at once.
  int64_t width;
};

/// The map that spreads the iterations of a leaf loop. Null if the loop is not
/// valid level IR (`obs-verify-levels` reports the reason).
MapAttr getLeafMap(scf::ForallOp leaf);
/// The number of iterations of a leaf loop, if it is known.
std::optional<int64_t> getIterations(scf::ForallOp leaf);

/// Each warp has a slice of an array of warps in shared memory. It begins at a
/// multiple of this number of bytes.
constexpr int64_t sliceAlignment = 16;
/// The number of bytes from one slice of such an array to the next one.
int64_t getSliceBytes(MemRefType type);

/// "file.mlir:3:5", or "?" if there is no location in a file.
std::string getPlace(Location location);
/// ", used from k.mlir:3:5 to k.mlir:9:3", the places of the first and the last
/// use of an array; "" if there is none.
std::string getLife(Operation *firstUser, Operation *lastUser);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_LEVEL_LEVELIR_H
