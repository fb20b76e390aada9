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

#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
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

  /// The iterations as a function of the lane, if it is linear over the bits of
  /// the lane.
  std::optional<BitLinearMap> fitIterations() const;
  /// The bit of the lane that determines which of two writes a lane keeps: 5 if
  /// all lanes keep the same write. Empty if no bit determines it.
  std::optional<unsigned> findDecidingBit() const;
};

/// The steps of `leaf` in which the owners execute all writes to arrays in
/// lanes; empty if this is not possible.
std::optional<SmallVector<LaneStep>> findLaneSteps(scf::ForallOp leaf,
                                                   ShapeOf shapeOf);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_LANEARRAYS_H
