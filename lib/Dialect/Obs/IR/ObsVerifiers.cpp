//===- ObsVerifiers.cpp - Verifiers of sources and of map -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of ObsSourceOps.td, and obs.map. Every diagnostic starts with
// the label of its rule in docs/Spec.md and ends with a correction of the
// program. ObsIndexVerifiers.cpp verifies the index maps.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

LogicalResult obs::detail::refuseExpansion(Operation *op) {
  return op->emitOpError("[no-expansion] does not implement expand of "
                         "ExpandableOpInterface, which replaces it by core "
                         "operations");
}

LogicalResult obs::detail::verifyExpandable(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<PullType, PushType>(type) && !isa<ArrayOpInterface>(op) &&
        llvm::any_of(getArrayExtents(type), ShapedType::isDynamic))
      return op->emitOpError("[array-extents] makes an array of dynamic "
                             "extents, but does not implement "
                             "ArrayOpInterface, which builds them");
  for (Type type : op->getResultTypes())
    if (auto push = dyn_cast<PushType>(type);
        push && failed(verifyStandsAt(op, push.getLevel(), "makes")))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto first = cast<MemRefType>(getMemory().front().getType());
  for (Value memory : getMemory()) {
    auto type = cast<MemRefType>(memory.getType());
    if (!type.getLayout().isIdentity())
      return emitOpError("[view-memory] ")
             << type << " has a layout; copy it to a memref without one";
    if (type.getShape() != first.getShape())
      return emitOpError(
                 "[R4-extents] memrefs of one view have one shape, but ")
             << type << " and " << first << " differ";
  }
  return success();
}

LogicalResult PartOp::verify() {
  auto from = cast<MemRefType>(getMemory().getType());
  auto to = cast<MemRefType>(getType());
  if (!from.getLayout().isIdentity() || !to.getLayout().isIdentity() ||
      from.getElementType() != to.getElementType() ||
      from.getMemorySpace() != to.getMemorySpace())
    return emitOpError("[part-memory] ")
           << to << " is not a part of " << from
           << "; they differ in extents alone and have no layout";
  if (static_cast<size_t>(to.getNumDynamicDims()) != getExtents().size())
    return emitOpError("[part-memory] ")
           << to << " has " << to.getNumDynamicDims()
           << " dynamic extents, but " << getExtents().size() << " are given";
  return success();
}

LogicalResult ConstantOp::verify() {
  constexpr int64_t maxTable = int64_t(1) << 24;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(getValue())) {
    if (dense.getNumElements() <= maxTable)
      return success();
    return emitOpError("[constant-size] is a table of more than 2^24 "
                       "elements; compute them, or give them as an argument");
  }
  return emitOpError("[constant-value] needs a dense literal of numbers, as in "
                     "dense<[1, 2]> : tensor<2xi32>");
}

LogicalResult IotaOp::verify() {
  PullType type = getType();
  if (type.getRank() != 1 || type.getElementTypes().size() != 1 ||
      !type.getElementTypes()[0].isIntOrIndex())
    return emitOpError("[iota-type] is one-dimensional and of one integer or "
                       "index type; use obs.generate for ")
           << type;
  return verifyDynamicExtents(*this, type, getExtents());
}

LogicalResult SplatOp::verify() {
  if (failed(verifyElementTypes(*this, getValues().getTypes(),
                                getType().getElementTypes(), "the value list")))
    return failure();
  return verifyDynamicExtents(*this, getType(), getExtents());
}

LogicalResult GenerateOp::verify() {
  SmallVector<Type> indices(getType().getRank(), IndexType::get(getContext()));
  if (failed(verifyBody(*this, getBody(), indices, /*yields=*/true)))
    return failure();
  return verifyDynamicExtents(*this, getType(), getExtents());
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

/// True if the definition of `array` reaches itself: code that a region without
/// dominance allows, and through which one cannot recurse.
static bool isCyclic(Value array) {
  llvm::SmallPtrSet<Operation *, 16> done;
  SmallVector<std::pair<Operation *, bool>> stack;
  llvm::SmallPtrSet<Operation *, 16> onPath;
  if (Operation *op = array.getDefiningOp())
    stack.push_back({op, false});
  while (!stack.empty()) {
    auto [op, leave] = stack.pop_back_val();
    if (leave) {
      onPath.erase(op);
      done.insert(op);
      continue;
    }
    if (done.contains(op))
      continue;
    if (!onPath.insert(op).second)
      return true;
    stack.push_back({op, true});
    auto follow = [&](Value operand) {
      Operation *next = operand.getDefiningOp();
      if (!isa<PushType>(operand.getType()) || !next || done.contains(next))
        return false;
      if (onPath.contains(next))
        return true;
      stack.push_back({next, false});
      return false;
    };
    for (Value operand : op->getOperands())
      if (follow(operand))
        return true;
    // A distribute depends on the arrays that it yields, and a fill on the
    // arrays that it puts.
    bool leadsBack = false;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          leadsBack |= follow(operand);
      });
    if (leadsBack)
      return true;
  }
  return false;
}

LogicalResult verification::verifyPutOnce(PutOp put, FillOp fill) {
  Value array = put.getArray();
  if (fill.getContract() == Contract::Disjoint)
    return success();
  if (!isCyclic(array) && getWeakestContract(array) == Contract::Disjoint &&
      !hasInitialContents(array))
    return success();
  return put.emitOpError("[R7-final] puts an array into a fill of contract ")
         << stringifyContract(fill.getContract())
         << ", which requires that each element is written once, but this "
            "array has initial contents or its own contract; force it first, "
            "and put a push of the result";
}

/// The values of several writes are stored before `op` changes them. Emits
/// `[R7-final]` and `[R2-bounded]` unless that is possible.
static LogicalResult verifyStored(MapOp op, Value array) {
  auto type = cast<PushType>(array.getType());
  if (!hasAllElements(array))
    return op.emitOpError("[R7-final] maps values that several writes may "
                          "give, but elements without a write have no value; "
                          "give the fill or scatter init or onto");
  if (type.getLevel() != Level::Grid && !type.isBounded())
    return op.emitOpError(
        "[R2-bounded] maps values that several writes may give, and stores "
        "them before, but their number is not bounded; give the array a bound, "
        "as in ? x f32 bound [1024]");
  return success();
}

/// Emits `[R7-final]` unless the program of `array` is known.
static LogicalResult verifyMapped(MapOp op, Value array) {
  std::optional<Contract> contract;
  if (array.getDefiningOp() && !isCyclic(array))
    contract = getWeakestContract(array);
  if (!contract)
    return op.emitOpError("[R7-final] maps a push array whose program is not "
                          "known; apply the map where the array is made");
  return mapsStored(*contract, op.getType()) ? verifyStored(op, array)
                                             : success();
}

LogicalResult MapOp::verify() {
  if (failed(verifyNotEmpty(*this, getArrays())))
    return failure();
  SmallVector<Type> elements;
  PushType push;
  for (Value array : getArrays()) {
    llvm::append_range(elements, getArrayElementTypes(array.getType()));
    auto type = dyn_cast<PushType>(array.getType());
    if (push && type)
      return emitOpError("[map-push] has several push operands; at most one "
                         "can drive the loop: force the others");
    if (type)
      push = type;
  }
  for (Value array : getArrays())
    if (failed(verifySameExtents(*this, array.getType(), "an operand",
                                 getType(), "the result")) ||
        failed(verifySameExtents(*this, array.getType(), "an operand",
                                 getArrays().front().getType(),
                                 "the first operand")))
      return failure();
  auto result = dyn_cast<PushType>(getType());
  if (static_cast<bool>(push) != static_cast<bool>(result) ||
      (push && push.getLevel() != result.getLevel()))
    return emitOpError("[array-kind] ")
           << (push ? "of a push array is a push array of the same level"
                    : "of pull arrays is a pull array")
           << ", not " << getType();
  return verifyBody(*this, getBody(), elements, /*yields=*/true);
}

LogicalResult MapOp::verifyRegions() {
  for (Value array : getArrays())
    if (isa<PushType>(array.getType()) && failed(verifyMapped(*this, array)))
      return failure();
  return success();
}
