//===- ObsTypeInference.cpp - Result types of obs ops ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"

using namespace mlir;
using namespace mlir::obs;

/// The pull array of these extents and elements; an error if
/// something cannot be an element.
static LogicalResult inferPull(MLIRContext *context,
                               std::optional<Location> loc,
                               ArrayRef<int64_t> extents,
                               ArrayRef<Type> elements,
                               SmallVectorImpl<Type> &types) {
  auto emit = [&] { return emitError(loc.value_or(UnknownLoc::get(context))); };
  auto type = PullType::getChecked(emit, context, extents, ArrayRef<int64_t>(),
                                   elements);
  types.push_back(type);
  return success(type != nullptr);
}

LogicalResult ViewOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  SmallVector<Type> elements;
  for (Value memory : adaptor.getMemory())
    elements.push_back(cast<BaseMemRefType>(memory.getType()).getElementType());
  auto first = adaptor.getMemory().empty()
                   ? MemRefType()
                   : dyn_cast<MemRefType>(adaptor.getMemory()[0].getType());
  if (!first || first.getRank() == 0)
    return emitOptionalError(
        loc, "[view-memory] needs ranked memrefs of at least one dimension");
  if (failed(inferPull(context, loc, first.getShape(), elements, types)))
    return failure();
  std::optional<ArrayRef<int64_t>> bounds = adaptor.getBounds();
  if (!bounds)
    return success();
  // The verifier of the type names what is wrong with the bounds.
  auto emit = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  auto bounded = PullType::getChecked(emit, context, first.getShape(), *bounds,
                                      ArrayRef<Type>(elements));
  if (!bounded)
    return failure();
  types.back() = bounded;
  return success();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type || type.getRank() == 0)
    return emitOptionalError(loc, "[constant-type] needs a tensor literal of "
                                  "at least one dimension");
  return inferPull(context, loc, type.getShape(), type.getElementType(), types);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type type = adaptor.getArray().getType();
  ArrayRef<int64_t> extents = getArrayExtents(type);
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, extents.size())))
    return emitOptionalError(loc, "[transpose-permutation] needs each of the ",
                             extents.size(), " dimensions exactly once");
  SmallVector<int64_t> newExtents, newBounds;
  bool bounded = false;
  for (int64_t dim : permutation) {
    newExtents.push_back(extents[dim]);
    newBounds.push_back(getArrayBound(type, dim));
    bounded |= ShapedType::isDynamic(extents[dim]) &&
               !ShapedType::isDynamic(newBounds.back());
  }
  if (!bounded)
    newBounds.clear();
  if (auto push = dyn_cast<PushType>(type))
    types.push_back(PushType::get(context, push.getLevel(), newExtents,
                                  newBounds, push.getElementTypes()));
  else
    types.push_back(PullType::get(context, newExtents, newBounds,
                                  getArrayElementTypes(type)));
  return success();
}

LogicalResult ZipOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (adaptor.getArrays().empty())
    return emitOptionalError(loc, "[no-arrays] needs at least one array");
  SmallVector<Type> elements;
  PullType extents = cast<PullType>(adaptor.getArrays()[0].getType());
  for (Value array : adaptor.getArrays()) {
    auto type = cast<PullType>(array.getType());
    llvm::append_range(elements, type.getElementTypes());
    // The most is known from a static array.
    if (type.hasStaticExtents())
      extents = type;
  }
  types.push_back(PullType::get(context, extents.getExtents(),
                                extents.getBounds(), elements));
  return success();
}

LogicalResult UnzipOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<PullType>(adaptor.getArray().getType());
  for (Type element : type.getElementTypes())
    types.push_back(
        PullType::get(context, type.getExtents(), type.getBounds(), element));
  return success();
}

LogicalResult GetOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(
      types, cast<PullType>(adaptor.getArray().getType()).getElementTypes());
  return success();
}
