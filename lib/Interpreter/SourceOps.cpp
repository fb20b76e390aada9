//===- SourceOps.cpp - Meaning of the operations that make arrays ---------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

/// Element i is the value in memory at i when the view is made.
LogicalResult interpreter::runView(Frame &frame, const Instruction &inst) {
  SmallVector<std::shared_ptr<Memory>, 1> memories;
  SmallVector<uint64_t, 1> versions;
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    memories.push_back(frame.getMemory(inst, i));
    versions.push_back(memories[i]->version);
    if (failed(checkSameExtents(frame, inst, memories[i]->extents,
                                memories[0]->extents)))
      return failure();
  }
  Machine &machine = frame.machine;
  Location loc = inst.op->getLoc();
  auto read = [=, &machine](Location reader, Index index, Data &out) {
    for (auto [memory, version] : llvm::zip(memories, versions)) {
      int64_t position = linearize(index, memory->extents);
      if (memory->version != version)
        return machine.trap(reader, "[R8-after] reads the view made at " +
                                        formatLocation(loc) +
                                        " after its memory has changed");
      if (!memory->defined[position])
        return machine.trapUnwritten(
            reader, "element " + formatIndex(index) +
                        " of the memory was never written (the view is made "
                        "at " +
                        formatLocation(loc) + ")");
      out.push_back(Scalar(memory->elementType, memory->bits[position]));
    }
    return success();
  };
  return frame.setPull(inst, 0, memories[0]->extents, read, /*isStored=*/true);
}

/// Element i is the i-th literal.
LogicalResult interpreter::runConstant(Frame &frame, const Instruction &inst) {
  auto op = cast<ConstantOp>(inst.op);
  auto type = cast<PullType>(op.getResult().getType());
  std::shared_ptr<const Store> &table = frame.machine.constants[op];
  if (!table) {
    auto values = op.getValue().tryGetValues<Attribute>();
    if (!values)
      return frame.trap(inst, "the literal has no elements that can be read");
    std::shared_ptr<Store> store = Store::create(
        frame.machine, op.getLoc(), type.getExtents(), type.getElementTypes());
    if (!store)
      return failure();
    int64_t position = 0;
    for (Attribute attr : *values) {
      llvm::Expected<Scalar> scalar = Scalar::fromAttr(attr);
      if (!scalar)
        return frame.trap(inst, llvm::toString(scalar.takeError()));
      store->define(position++, Datum(*scalar));
    }
    table = store;
  }
  std::shared_ptr<const Store> elements = table;
  auto read = [elements](Location, Index index, Data &out) {
    elements->read(linearize(index, elements->getExtents()), out);
    return success();
  };
  return frame.setPull(inst, 0, type.getExtents(), read);
}

/// Element i is i, wrapped to the element type.
LogicalResult interpreter::runIota(Frame &frame, const Instruction &inst) {
  auto type = cast<PullType>(inst.op->getResult(0).getType());
  Type elementType = type.getElementTypes().front();
  auto read = [elementType](Location, Index index, Data &out) {
    out.push_back(Scalar::fromInt(elementType, index.front()));
    return success();
  };
  return frame.setPull(inst, 0, frame.getMixed(inst, 0, type.getExtents()),
                       read);
}

/// Every element is the operands' value.
LogicalResult interpreter::runSplat(Frame &frame, const Instruction &inst) {
  auto type = cast<PullType>(inst.op->getResult(0).getType());
  unsigned count = type.getElementTypes().size();
  DataVector values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(frame.get(inst, i));
  auto read = [values](Location, Index, Data &out) {
    out.append(values.begin(), values.end());
    return success();
  };
  return frame.setPull(inst, 0, frame.getMixed(inst, count, type.getExtents()),
                       read);
}

/// Element i is the value that the region yields for i.
LogicalResult interpreter::runGenerate(Frame &frame, const Instruction &inst) {
  auto type = cast<PullType>(inst.op->getResult(0).getType());
  auto closure = makeClosure(frame, inst);
  Machine &machine = frame.machine;
  auto read = [closure, &machine](Location, Index index, Data &out) {
    return (*closure)(machine.fromIndex(index), out);
  };
  return frame.setPull(inst, 0, frame.getMixed(inst, 0, type.getExtents()),
                       computeOnce(machine, read));
}
