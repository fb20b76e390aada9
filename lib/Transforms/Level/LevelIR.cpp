//===- LevelIR.cpp - Queries on level IR ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Transforms/Level/LevelIR.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::obs;

Value obs::getRoot(Value memory) {
  memory = getUnderlyingMemory(memory);
  auto argument = dyn_cast<BlockArgument>(memory);
  bool isKnown =
      argument ? isa<KernelOp>(argument.getOwner()->getParentOp())
               : isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(
                     memory.getDefiningOp());
  return isKnown ? memory : Value();
}

std::optional<ElementAccess> ElementAccess::get(Operation *op) {
  using Result = std::optional<ElementAccess>;
  auto describe = [&](Kind kind, Value memory, ValueRange indices, Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return ElementAccess{op,
                         kind,
                         memory,
                         indices,
                         vector ? vector.getElementType() : type,
                         vector ? vector.getNumElements() : 1};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<memref::LoadOp, vector::LoadOp>([&](auto load) {
        return describe(Kind::Read, load->getOperand(0), load.getIndices(),
                        load.getType());
      })
      .Case<memref::StoreOp, vector::StoreOp>([&](auto store) {
        return describe(Kind::Write, store->getOperand(1), store.getIndices(),
                        store.getValueToStore().getType());
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([&](auto atomic) {
        return describe(Kind::Atomic, atomic.getMemref(), atomic.getIndices(),
                        atomic.getResult().getType());
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<int64_t> obs::getIterations(scf::ForallOp leaf) {
  return getConstantIntValue(leaf.getMixedUpperBound().front());
}

MapAttr obs::getLeafMap(scf::ForallOp leaf) {
  std::optional<ArrayAttr> mapping = leaf.getMapping();
  return mapping && mapping->size() == 1 ? dyn_cast<MapAttr>((*mapping)[0])
                                         : MapAttr();
}

int64_t obs::getSliceBytes(MemRefType type) {
  return llvm::alignTo(type.getNumElements() *
                           getElementBytes(type.getElementType()),
                       sliceAlignment);
}

std::string obs::getPlace(Location location) {
  std::string place = "?";
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
             Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

std::string obs::getLife(Operation *firstUser, Operation *lastUser) {
  if (!firstUser)
    return "";
  std::string first = getPlace(firstUser->getLoc()),
              last = getPlace(lastUser->getLoc());
  return first == last ? ", used at " + first
                       : ", used from " + first + " to " + last;
}
