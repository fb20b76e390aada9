//===- MemoryOps.cpp - Meaning of operations on memrefs -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

/// Fresh memory (alloc, alloca).
LogicalResult interpreter::runAlloc(Frame &frame, const Instruction &inst) {
  auto type = cast<MemRefType>(inst.op->getResult(0).getType());
  std::shared_ptr<Memory> memory =
      allocateMemory(frame.machine, inst.op->getLoc(), type.getElementType(),
                     frame.getMixed(inst, 0, type.getShape()));
  if (!memory)
    return failure();
  auto reference = std::make_shared<Reference>();
  reference->memory = memory;
  frame.set(inst, 0, Datum(reference));
  return success();
}

/// Does nothing: memory is freed when nothing refers to it.
LogicalResult interpreter::runDealloc(Frame &, const Instruction &) {
  return success();
}

/// The same memory, if it has the extents of the type.
LogicalResult interpreter::runCast(Frame &frame, const Instruction &inst) {
  std::shared_ptr<Memory> memory = frame.getMemory(inst, 0);
  auto type = dyn_cast<MemRefType>(inst.op->getResult(0).getType());
  if (!type || failed(verifyCompatibleShape(type.getShape(), memory->extents)))
    return frame.trap(inst, "the memory has extents " +
                                formatIndex(memory->extents) +
                                ", which the type does not allow");
  frame.set(inst, 0, frame.get(inst, 0));
  return success();
}

/// An extent of memory.
LogicalResult interpreter::runMemoryDim(Frame &frame, const Instruction &inst) {
  std::shared_ptr<Memory> memory = frame.getMemory(inst, 0);
  int64_t dim = frame.getInt(inst, 1);
  if (dim < 0 || dim >= static_cast<int64_t>(memory->extents.size()))
    return frame.trap(inst, "the memory has no dimension " + Twine(dim));
  frame.set(
      inst, 0,
      Scalar::fromInt(inst.op->getResult(0).getType(), memory->extents[dim]));
  return success();
}

/// The position in `memory`, operand number `operand`, of the index that
/// follows it. Traps if the index is out of range.
static FailureOr<int64_t> getPosition(Frame &frame, const Instruction &inst,
                                      unsigned operand, const Memory &memory) {
  IndexVector index = frame.getIndex(inst, operand + 1, memory.extents.size());
  if (isInRange(index, memory.extents))
    return linearize(index, memory.extents);
  return frame.trap(inst, "index " + formatIndex(index) +
                              " is outside of memory with extents " +
                              formatIndex(memory.extents));
}

/// Reads one element.
LogicalResult interpreter::runLoad(Frame &frame, const Instruction &inst) {
  std::shared_ptr<Memory> memory = frame.getMemory(inst, 0);
  FailureOr<int64_t> position = getPosition(frame, inst, 0, *memory);
  if (failed(position))
    return failure();
  if (!memory->defined[*position])
    return frame.trap(
        inst, "element " +
                  formatIndex(frame.getIndex(inst, 1, memory->extents.size())) +
                  " of the memory was never written");
  frame.set(inst, 0, Scalar(memory->elementType, memory->bits[*position]));
  return success();
}

/// Writes one element.
LogicalResult interpreter::runStore(Frame &frame, const Instruction &inst) {
  std::shared_ptr<Memory> memory = frame.getMemory(inst, 1);
  FailureOr<int64_t> position = getPosition(frame, inst, 1, *memory);
  if (failed(position))
    return failure();
  memory->bits[*position] = frame.get(inst, 0).scalar.bits;
  memory->defined[*position] = true;
  ++memory->version;
  ++frame.machine.numChanges;
  return success();
}
