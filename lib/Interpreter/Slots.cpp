//===- Slots.cpp - The values that functions take and give ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/Slots.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;
using llvm::createStringError;
using llvm::Expected;

bool interpreter::allowsExtents(ArrayRef<int64_t> extents,
                                ArrayRef<int64_t> bounds,
                                ArrayRef<int64_t> given) {
  if (given.size() != extents.size())
    return false;
  for (auto [extent, bound, number] : llvm::zip_equal(extents, bounds, given)) {
    bool fits = extent < 0 ? bound < 0 || number <= bound : number == extent;
    if (number < 0 || !fits)
      return false;
  }
  return true;
}

Expected<std::vector<Slot>> interpreter::getSlots(TypeRange types,
                                                  StringRef what) {
  std::vector<Slot> slots;
  for (auto [index, type] : llvm::enumerate(types)) {
    SmallVector<Type> elementTypes = getHostElementTypes(type);
    if (elementTypes.empty())
      return createStringError(what + " " + Twine(index + 1) +
                               " of the function has the type " +
                               llvm::to_string(type) +
                               ", which is neither a scalar nor an array of "
                               "scalars in memory");
    Slot slot;
    slot.index = index;
    slot.type = type;
    slot.isScalar = isScalarType(type);
    if (auto memref = dyn_cast<MemRefType>(type)) {
      llvm::append_range(slot.extents, memref.getShape());
      slot.bounds.assign(slot.extents.size(), ShapedType::kDynamic);
    } else if (auto pull = dyn_cast<obs::PullType>(type)) {
      llvm::append_range(slot.extents, pull.getExtents());
      for (unsigned dim = 0; dim < pull.getRank(); ++dim)
        slot.bounds.push_back(pull.getExtentBound(dim));
    }
    for (Type elementType : elementTypes) {
      slot.elementType = elementType;
      slots.push_back(slot);
    }
  }
  return slots;
}
