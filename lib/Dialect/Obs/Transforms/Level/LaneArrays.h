//===- LaneArrays.h - Arrays of warps in registers --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element e of an array of a warp lives in register e / 32 of lane e % 32. Each
// lane stores what it owns; it reads its own element, or that of another lane
// by a shuffle, which all lanes of the warp take part in.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LANEARRAYS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LANEARRAYS_H

#include "OwnedArrays.h"

namespace mlir::obs {

/// The arrays of warps in `kernel`, with no home or registers asked for, that
/// can live in lanes: of at most 1024 elements, which their owners can write,
/// and of which every read is known to find its register.
/// Loops that owners have to run are marked `obs.distribution = owners`:
/// nothing else may rely on who runs which iteration.
/// Rings of which one slot is enough lose the other one.
/// `why` gets, for arrays that cannot, the access that prevents it.
llvm::SmallPtrSet<Operation *, 8>
findLaneArrays(KernelOp kernel, llvm::DenseMap<Operation *, NotOwned> &why);

/// The extents of an array in lanes; nothing for other memory.
using ShapeOf = llvm::function_ref<std::optional<ArrayRef<int64_t>>(Value)>;

/// The work of the lanes in one copy of a loop's body.
struct LaneStep {
  /// The iteration that each lane runs, -1 for none.
  SmallVector<int64_t> iterations;
  /// If owners run the iterations: the register that all of them write, and
  /// which of the writes of the body each lane keeps.
  std::optional<int64_t> ownedRegister;
  SmallVector<int> writes;
};

/// Lowers the accesses to such arrays.
class LaneMapper {
public:
  explicit LaneMapper(OpBuilder &builder) : builder(builder) {}

  /// Says which registers, `memref<R x T>`, hold the array that was allocated
  /// with the extents `shape`.
  void addArray(Value registers, ArrayRef<int64_t> shape) {
    arrays[registers] = llvm::to_vector(shape);
  }
  bool contains(Value memory) const { return arrays.contains(memory); }
  /// True if `leaf` reads or writes one of the arrays.
  bool uses(scf::ForallOp leaf) const;

  /// Puts the code of `leaf` for lane `lane` in front of it.
  void mapLeaf(scf::ForallOp leaf, Value lane);
  /// Replaces a read by the whole warp.
  void mapUniformLoad(memref::LoadOp load);

private:
  struct Table;

  std::optional<ArrayRef<int64_t>> getShape(Value memory) const;
  Value buildIteration(const LaneStep &step, Value lane);
  void keepOwned(const LaneStep &step, Value lane);
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
  /// The leaf that is being lowered, and the step of it.
  scf::ForallOp leaf;
  LaneStep step;
  /// The values that the body writes to each array, in order.
  llvm::MapVector<Value, SmallVector<Value>> written;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LANEARRAYS_H
