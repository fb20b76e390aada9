//===- Emitter.h - From fused programs to level IR --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EMITTER_H
#define OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EMITTER_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::obs {

/// The place of an array: one buffer for each element type, the indices that
/// stand before its own (the slot of a ring), and its extents.
struct StoredArray {
  SmallVector<Value> buffers;
  SmallVector<Value> prefix;
  SmallVector<Value> extents;
  /// Another value is in the same slot of a ring: no loop may take it over.
  bool isShared = false;
  /// The number of the force that updates the array in place, from 1; or 0.
  int64_t update = 0;
};

/// Writes the level IR of one kernel, operation by operation. Old values are
/// looked up in `values`, old arrays in `arrays`.
class Emitter {
public:
  explicit Emitter(KernelOp kernel)
      : builder(kernel.getContext()),
        symbols(kernel->getParentOfType<ModuleOp>()) {}

  /// Emits the body of the kernel into a new block that replaces it.
  LogicalResult run(KernelOp kernel);

private:
  // Emitter.cpp: programs.
  LogicalResult emitBlock(Block &block, Level level);
  LogicalResult emitOp(Operation &op, Level level);
  LogicalResult emitNested(Operation &op, Level level);
  LogicalResult emitPar(ParOp par, Level level);
  LogicalResult emitForce(ForceOp force, Level level);
  /// The place of the array after `onto` of `fill`, if `force` may write its
  /// result there; null otherwise.
  StoredArray *findPlaceOfOnto(ForceOp force, Value result, FillOp fill);
  /// Writes `fill` to `target`, which holds the array after `onto` already if
  /// `isInPlace` is set.
  LogicalResult emitFill(FillOp fill, const StoredArray &target, Level level,
                         bool isInPlace);
  LogicalResult emitWrite(WriteOp write);
  Value buildDiffers(Location loc, Value value, Value buffer,
                     ValueRange indices);
  Value buildChanges(Location loc, Attribute kind, Value value, Value buffer,
                     ValueRange indices);
  LogicalResult emitGet(GetOp get);
  LogicalResult emitConstant(ConstantOp constant);
  void emitCheck(Operation &op, Level level);
  /// Writes on `store` which loops are around the force that runs now.
  void markOuterLoops(memref::StoreOp store);
  /// Writes on `emitted` its number, if a write needs it.
  void markLoop(Operation *loop, Operation *emitted);

  // CarriedArrays.cpp: control flow over arrays.
  LogicalResult emitFor(scf::ForOp loop, Level level);
  LogicalResult emitWhile(scf::WhileOp loop, Level level);
  LogicalResult emitIf(scf::IfOp branch, Level level);
  /// The extents of arrays of this type, 0 in the place of dynamic ones.
  SmallVector<Value> buildStaticExtents(Location loc, PullType type);
  StoredArray allocateRing(Value array, Level level, Storage storage);
  /// The storage that the programs request for the array that a loop carries in
  /// the place of `init`.
  Storage getRingStorage(OpOperand &init);
  SmallVector<Value> findDestinations(Operation *loop,
                                      const StoredArray &stored);
  StoredArray enterRing(OpOperand &init, Level level);
  void leaveRing(Operation *loop, const StoredArray &result);
  /// The values that a loop at `level` starts from, given its `operands`; puts
  /// their arrays in `rings`.
  SmallVector<Value> enterLoop(MutableOperandRange operands, Level level,
                               SmallVectorImpl<StoredArray> &rings);
  /// `carried` stands for the values `from`, whose arrays are in `rings`.
  void mapCarried(ValueRange from, ArrayRef<StoredArray> rings,
                  ValueRange carried);
  /// Emits the body of `loop`, with the yielded values. Each of its arrays
  /// replaces one of `current`.
  LogicalResult emitTurn(Operation *loop, Block &body,
                         ArrayRef<StoredArray> current, Level level);
  StoredArray findLatest(const StoredArray &array, Block &body);
  llvm::DenseMap<Value, StoredArray> allocatePassed(scf::WhileOp loop,
                                                    Level level);
  /// The condition region of `loop`, which passes on arrays, those of `made` in
  /// their memory; puts where they are in `places`.
  LogicalResult emitCondition(scf::WhileOp loop,
                              const llvm::DenseMap<Value, StoredArray> &made,
                              SmallVectorImpl<StoredArray> &places,
                              Level level);
  FailureOr<StoredArray> storeNext(Value yielded, const StoredArray &current,
                                   Level level);

  /// A loop over all elements of `extents` at `level`.
  void emitLoop(Location loc, ValueRange extents, Level level,
                function_ref<void(ValueRange)> body);
  /// Copies `from` to `to`, at `level`.
  void emitCopy(Location loc, const StoredArray &from, const StoredArray &to,
                Level level);
  StoredArray allocate(Location loc, PullType type, ValueRange extents,
                       Level level, Storage storage, bool isRing);
  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  OpBuilder builder;
  ModuleOp symbols;
  IRMapping values;
  llvm::DenseMap<Value, StoredArray> arrays;
  /// The place that a force must write to because its result is the initial or
  /// next value of a ring.
  llvm::DenseMap<Value, StoredArray> destinations;
  /// The array that `obs.write` writes now.
  const StoredArray *target = nullptr;
  /// The force that runs the program of `target`.
  ForceOp running;
  /// The loops around forces whose writes have contracts.
  llvm::DenseMap<Operation *, int64_t> loopNumbers;
  /// The number of forces of the kernel that update an array in place.
  int64_t numUpdates = 0;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EMITTER_H
