//===- LaneMapper.h - Accesses to arrays of warps in registers --*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEMAPPER_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEMAPPER_H

#include "LaneArrays.h"

namespace mlir::obs {

/// Lowers the accesses to arrays of warps in registers (LaneArrays.h).
class LaneMapper {
public:
  explicit LaneMapper(OpBuilder &builder) : builder(builder) {}

  /// Sets the registers, `memref<R x T>`, of the array that was allocated with
  /// the extents `shape`.
  void addArray(Value registers, ArrayRef<int64_t> shape) {
    arrays[registers] = llvm::to_vector(shape);
  }
  bool contains(Value memory) const { return arrays.contains(memory); }
  /// True if `leaf` reads or writes one of the arrays.
  bool uses(scf::ForallOp leaf) const;

  /// Builds the code of `leaf` for lane `number` before the leaf.
  void mapLeaf(scf::ForallOp leaf, Value number);
  /// Replaces a read by the whole warp.
  void mapUniformLoad(memref::LoadOp load);

private:
  struct Table;

  std::optional<ArrayRef<int64_t>> getShape(Value memory) const;
  Value buildIteration();
  Value hasBit(unsigned bit);
  void keepOwned();
  Value constant(int64_t value);
  void emitBlock(Block &block, Value active, IRMapping &mapping);
  void emitOp(Operation &op, Value active, IRMapping &mapping);
  void emitIf(scf::IfOp branch, Value active, IRMapping &mapping);
  Value emitLoad(memref::LoadOp load, IRMapping &mapping);
  void emitStore(memref::StoreOp store, Value active, IRMapping &mapping);
  Value shuffle(Value value, Value index, const Table &table);
  Value linearize(Value memory, ValueRange indices, IRMapping &mapping);

  OpBuilder &builder;
  Location loc = UnknownLoc::get(builder.getContext());
  llvm::DenseMap<Value, SmallVector<int64_t>> arrays;
  /// The leaf that is being lowered, the number of the lane, and the step.
  scf::ForallOp leaf;
  Value lane;
  LaneStep step;
  /// The values that the body writes to each array, in order.
  llvm::MapVector<Value, SmallVector<Value>> written;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEMAPPER_H
