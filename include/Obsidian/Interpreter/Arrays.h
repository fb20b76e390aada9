//===- Arrays.h - Values of the reference interpreter -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of the reference interpreter. A pull array consists of extents and
// a function from an index to elements. A push array consists of extents and a
// program that takes a writer. Memory consists of elements, each with a bit
// that is set if the element was written.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_ARRAYS_H
#define OBSIDIAN_INTERPRETER_ARRAYS_H

#include "Obsidian/Interpreter/ScalarOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <memory>
#include <vector>

namespace mlir::obs::interpreter {

/// Base class of all values that are not scalars.
struct Object {
  virtual ~Object() = default;
};

/// The run-time value of one SSA value: a scalar, or an object.
struct Datum {
  Scalar scalar;
  std::shared_ptr<const Object> object;

  Datum() = default;
  Datum(Scalar scalar) : scalar(scalar) {}
  Datum(std::shared_ptr<const Object> object) : object(std::move(object)) {}
};

using DataRef = ArrayRef<Datum>;
using Data = SmallVectorImpl<Datum>;
/// Inline storage for the arguments or the yielded values of a region.
using DataVector = SmallVector<Datum, 2>;

using Index = ArrayRef<int64_t>;
using IndexVector = SmallVector<int64_t, 4>;

/// Appends the elements at an index, which is in range. The location is that of
/// the reader, for messages.
using ElementFn = std::function<LogicalResult(Location, Index, Data &)>;

struct PullArray : Object {
  IndexVector extents;
  ElementFn read;
  /// True if a read computes nothing: a result of a force, or a view.
  bool isStored = false;
};

/// Takes the elements at an index. The location is that of the write.
using WriteFn = llvm::function_ref<LogicalResult(Location, DataRef, Index)>;
using ProgramFn = std::function<LogicalResult(WriteFn)>;

struct PushArray : Object {
  IndexVector extents;
  ProgramFn run;
};

/// The memory that a memref points to.
struct Memory : Object {
  Type elementType;
  IndexVector extents;
  std::vector<uint64_t> bits;
  std::vector<bool> defined;
  /// Counts changes: a view of an older version is stale (rule R8).
  uint64_t version = 0;
};

/// A memref.
struct Reference : Object {
  std::shared_ptr<Memory> memory;
};

using PullPtr = std::shared_ptr<const PullArray>;
using PushPtr = std::shared_ptr<const PushArray>;

/// Product of the extents, or 2^63 - 1 if it is larger.
inline int64_t getNumElements(Index extents) {
  if (llvm::is_contained(extents, 0))
    return 0;
  int64_t count = 1;
  for (int64_t extent : extents)
    if (llvm::MulOverflow(count, extent, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

/// Row-major position of `index`.
inline int64_t linearize(Index index, Index extents) {
  int64_t position = 0;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    position = position * extents[dim] + index[dim];
  return position;
}

/// The index at a row-major position; 0 in a dimension without elements.
inline IndexVector delinearize(int64_t position, Index extents) {
  IndexVector index(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    int64_t divisor = std::max<int64_t>(extents[dim], 1);
    index[dim] = position % divisor;
    position /= divisor;
  }
  return index;
}

inline bool isInRange(Index index, Index extents) {
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (index[dim] < 0 || index[dim] >= extents[dim])
      return false;
  return true;
}

/// Calls `fn` for every index below `extents`, in row-major order.
LogicalResult forEachIndex(Index extents,
                           llvm::function_ref<LogicalResult(Index)> fn);

/// `[1, 2, 3]`
std::string formatIndex(Index index);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_ARRAYS_H
