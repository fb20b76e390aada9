//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes `.npy` files, versions 1.0 to 3.0: booleans, integers of 8
// to 64 bits and floats of 16 to 64 bits, little-endian and in C order, of any
// rank and extents. Signless integers are read from signed and unsigned
// integers, and written as signed integers. `index` is an integer of 64 bits.
// NumPy has no `bf16`: it is `uint16` with the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_NPY_H
#define OBSIDIAN_RUNTIME_NPY_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mlir::obs::runtime {

/// A `.npy` file in memory.
struct NpyArray {
  /// `b` (bool), `i`, `u` (integers), `f` (floats) or `V` (raw bytes).
  char kind = 'i';
  unsigned elementBytes = 0;
  SmallVector<int64_t> shape;
  /// The elements, in the bytes of `file`.
  ArrayRef<char> data;
  std::unique_ptr<llvm::MemoryBuffer> file;

  /// The name of the type in NumPy: `int32`, `float64`, `bool`.
  std::string getTypeName() const;
  /// True if the elements can be values of the scalar type `type`.
  bool holds(Type type) const;
};

/// Reads the file `path`. Errors begin with the path.
llvm::Expected<NpyArray> readNpy(StringRef path);

/// The same from memory; errors begin with `name`.
llvm::Expected<NpyArray> parseNpy(std::unique_ptr<llvm::MemoryBuffer> file,
                                  StringRef name);

/// The bytes of a file with an array of `elementType`, whose elements are
/// `data` in row-major order.
std::string formatNpy(Type elementType, ArrayRef<int64_t> shape,
                      ArrayRef<char> data);

/// The name in NumPy of the type that represents `elementType`.
std::string getNpyTypeName(Type elementType);

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_NPY_H
