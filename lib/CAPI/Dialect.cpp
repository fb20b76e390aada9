//===- Dialect.cpp - The obs dialect for the C API of MLIR ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "obsidian-c/Dialect.h"

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/RegisterAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Obs, obs, mlir::obs::ObsDialect)

void obsRegisterAllDialects(MlirDialectRegistry registry) {
  obs::registerAllDialects(*unwrap(registry));
}

void obsRegisterAllPasses(void) { obs::registerOwnPasses(); }

bool obsTypeIsAPull(MlirType type) { return isa<obs::PullType>(unwrap(type)); }
bool obsTypeIsAPush(MlirType type) { return isa<obs::PushType>(unwrap(type)); }

/// The bounds as a type stores them: none, or one for each extent. The bound of
/// a static extent is the extent.
static SmallVector<int64_t> takeBounds(ArrayRef<int64_t> extents,
                                       const int64_t *bounds) {
  SmallVector<int64_t> taken;
  if (!bounds)
    return taken;
  bool any = false;
  for (auto [extent, bound] :
       llvm::zip(extents, ArrayRef(bounds, extents.size()))) {
    bool isDynamic = ShapedType::isDynamic(extent);
    any |= isDynamic && !ShapedType::isDynamic(bound);
    taken.push_back(isDynamic ? bound : extent);
  }
  if (!any)
    taken.clear();
  return taken;
}

static SmallVector<Type> takeTypes(intptr_t count, const MlirType *types) {
  return llvm::map_to_vector(ArrayRef(types, count),
                             [](MlirType type) { return unwrap(type); });
}

/// Makes an array type. `level` is none, or that of a push type.
template <typename ArrayType, typename... Level>
static MlirType getArrayType(MlirLocation location, intptr_t rank,
                             const int64_t *extents, const int64_t *bounds,
                             intptr_t numElementTypes,
                             const MlirType *elementTypes, Level... level) {
  Location loc = unwrap(location);
  ArrayRef<int64_t> shape(extents, rank);
  SmallVector<int64_t> limits = takeBounds(shape, bounds);
  SmallVector<Type> types = takeTypes(numElementTypes, elementTypes);
  return wrap(Type(ArrayType::getChecked(
      [&] { return emitError(loc); }, loc.getContext(), level..., shape,
      ArrayRef<int64_t>(limits), ArrayRef<Type>(types))));
}

MlirType obsPullTypeGet(MlirLocation location, intptr_t rank,
                        const int64_t *extents, const int64_t *bounds,
                        intptr_t numElementTypes,
                        const MlirType *elementTypes) {
  return getArrayType<obs::PullType>(location, rank, extents, bounds,
                                     numElementTypes, elementTypes);
}

MlirType obsPushTypeGet(MlirLocation location, ObsLevel level, intptr_t rank,
                        const int64_t *extents, const int64_t *bounds,
                        intptr_t numElementTypes,
                        const MlirType *elementTypes) {
  return getArrayType<obs::PushType>(location, rank, extents, bounds,
                                     numElementTypes, elementTypes,
                                     static_cast<obs::Level>(level));
}

ObsLevel obsPushTypeGetLevel(MlirType type) {
  return static_cast<ObsLevel>(cast<obs::PushType>(unwrap(type)).getLevel());
}

/// Applies `get` to the type of a pull or push array.
template <typename Fn>
static auto ofArray(MlirType type, Fn get) {
  if (auto pull = dyn_cast<obs::PullType>(unwrap(type)))
    return get(pull);
  return get(cast<obs::PushType>(unwrap(type)));
}

intptr_t obsArrayTypeGetRank(MlirType type) {
  return ofArray(type, [](auto array) -> intptr_t { return array.getRank(); });
}

int64_t obsArrayTypeGetExtent(MlirType type, intptr_t dim) {
  return ofArray(type, [&](auto array) { return array.getExtents()[dim]; });
}

int64_t obsArrayTypeGetBound(MlirType type, intptr_t dim) {
  return ofArray(type, [&](auto array) { return array.getExtentBound(dim); });
}

intptr_t obsArrayTypeGetNumElementTypes(MlirType type) {
  return ofArray(type, [](auto array) -> intptr_t {
    return array.getElementTypes().size();
  });
}

MlirType obsArrayTypeGetElementType(MlirType type, intptr_t position) {
  return ofArray(type, [&](auto array) {
    return wrap(array.getElementTypes()[position]);
  });
}
