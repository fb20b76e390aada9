//===- LaneArrays.h - Arrays of warps in registers --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element e of an array of a warp is in register e / 32 of lane e % 32. Each
// lane stores the elements that it owns. It reads its own elements directly,
// and those of other lanes by shuffles, in which all lanes of the warp take
// part.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEARRAYS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEARRAYS_H

#include "OwnedArrays.h"

namespace mlir::obs {

/// The arrays of warps in `kernel` that can be in lanes, if their home is
/// `auto` or registers. They have at most 1024 elements, their owners can write
/// them, and the register of every read is known. Loops that the owners must
/// execute are marked `obs.distribution = owners`: other code must not depend
/// on the thread of an iteration. Rings for which one slot is sufficient are
/// reduced to it. For arrays that cannot be in lanes, `why` contains the access
/// that prevents it.
llvm::SmallPtrSet<Operation *, 8>
findLaneArrays(KernelOp kernel, llvm::DenseMap<Operation *, NotOwned> &why);

/// The extents of an array in lanes; empty for other memory.
using ShapeOf = llvm::function_ref<std::optional<ArrayRef<int64_t>>(Value)>;

/// The work of the lanes in one copy of the body of a loop.
struct LaneStep {
  /// The iteration that each lane runs, -1 for none.
  SmallVector<int64_t> iterations;
  /// If owners execute the iterations: the register that all of them write, and
  /// the write of the body that each lane keeps.
  std::optional<int64_t> ownedRegister;
  SmallVector<int> writes;
};

/// Lowers the accesses to such arrays.
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

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEARRAYS_H
