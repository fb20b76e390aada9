//===- RowFolds.h - Reductions of rows, and what they read ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of rows are stored: `ArrayBuilder::reduce` builds one unit for
// each row, whose push array has one element. The passes over whole functions
// find these reductions, and the places at which they read other arrays.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_ROWFOLDS_H
#define OBSIDIAN_LIB_FRONTEND_ROWFOLDS_H

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace mlir::obs {

/// The index of an array in each dimension: the dimension of the row program
/// with the same index, `fixed` for a constant, or `unknown`. The last
/// dimension of a row program is the position in the row.
using Place = SmallVector<int64_t>;
constexpr int64_t unknown = -1, fixed = -2;

/// A stored array with one element for each row.
struct RowFold {
  ForceOp force;
  DistributeOp rows;
  /// The components of the element, in the body of `rows`.
  SmallVector<Value> element;
  /// The number of elements of a row.
  int64_t length;

  Value getResult() const { return ForceOp(force).getResults().front(); }
  ArrayRef<int64_t> getExtents() const {
    return getArrayExtents(getResult().getType());
  }
};

/// The fold that a force stores; std::nullopt for other forces.
std::optional<RowFold> getRowFold(ForceOp force);

/// The product of static extents.
int64_t countElements(ArrayRef<int64_t> extents);

/// Erases the arrays of `block` that no operation reads, also stored ones.
void eraseUnused(Block &block);

/// The operands of forces that read an array, also through arrays that are not
/// stored; std::nullopt if there are other readers. Leaves out operations for
/// which `isIgnored` returns true.
std::optional<SmallVector<OpOperand *>>
findStores(Value array, function_ref<bool(Operation *)> isIgnored = {});

/// True if each element of an array that is not stored is the fold of a row.
bool isOfFolds(Value array);

/// The places at which the elements of rows read arrays in memory.
class RowReads {
public:
  /// `rank` is the number of dimensions that count rows. If folds are arrays,
  /// an array of folds counts as an array in memory.
  explicit RowReads(unsigned rank, bool foldsAreArrays = false)
      : rank(rank), foldsAreArrays(foldsAreArrays) {}

  /// The reads of the element at the place (0, 1, ...) of an array.
  void readElement(Value array);
  /// The reads of one iteration of a fold.
  void readFold(RowFold fold);

  llvm::MapVector<Value, std::set<Place>> places;

private:
  int64_t getDim(Value index) const;
  void readRegion(Region &region, bool isRowProgram = false);
  /// The reads of a region whose arguments are indices.
  void readRegion(Region &region, ArrayRef<int64_t> place);
  void read(Value array, Place place);

  unsigned rank;
  bool foldsAreArrays;
  llvm::DenseMap<Value, int64_t> dims;
  std::set<std::pair<void *, Place>> seen;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_FRONTEND_ROWFOLDS_H
