//===- Dialect.h - The obs dialect for the C API of MLIR ----------*- C -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that use MLIR and build obs with the functions of mlir-c. The
// library is ObsidianCAPIDialect of find_package(Obsidian COMPONENTS Cpp).
// Programs that do not use MLIR include Compiler.h and Runtime.h.
//
// Operations are built with mlirOperationCreate. Result types that follow from
// operands, attributes and regions are inferred after a call of
// mlirOperationStateEnableResultTypeInference. mlirAttributeParseGet reads
// attributes of the dialect, such as `#obs.level<block>`.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_C_DIALECT_H
#define OBSIDIAN_C_DIALECT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Obs, obs);

/// Adds to `registry` the obs dialect, all upstream dialects that its programs
/// and their lowered forms contain, and the interfaces that inline and lower
/// them.
MLIR_CAPI_EXPORTED void obsRegisterAllDialects(MlirDialectRegistry registry);

/// Registers the passes and pipelines of Obsidian (`obs-to-gpu`, `obs-to-nvvm`,
/// ...) for mlirParsePassPipeline. Call it once in a process.
MLIR_CAPI_EXPORTED void obsRegisterAllPasses(void);

/// Levels of the GPU, from the lowest to the highest.
typedef enum {
  ObsLevelThread = 0,
  ObsLevelWarp = 1,
  ObsLevelBlock = 2,
  ObsLevelGrid = 3
} ObsLevel;

/// True for `!obs.pull<...>`, and for `!obs.push<...>`.
MLIR_CAPI_EXPORTED bool obsTypeIsAPull(MlirType type);
MLIR_CAPI_EXPORTED bool obsTypeIsAPush(MlirType type);

/// The type of a pull array. It has `rank` extents, at least 1, and
/// `numElementTypes` element types, several for an array of tuples. A dynamic
/// extent is mlirShapedTypeGetDynamicSize(). `bounds` is null, or has a number
/// for each dimension: the bound of a dynamic extent, or
/// mlirShapedTypeGetDynamicSize() if there is none. The number of a static
/// extent is not read. If there is no such type, emits an error at `location`
/// and returns a null type.
MLIR_CAPI_EXPORTED MlirType obsPullTypeGet(MlirLocation location, intptr_t rank,
                                           const int64_t *extents,
                                           const int64_t *bounds,
                                           intptr_t numElementTypes,
                                           const MlirType *elementTypes);

/// The same for a push array whose program is of level `level`.
MLIR_CAPI_EXPORTED MlirType obsPushTypeGet(MlirLocation location,
                                           ObsLevel level, intptr_t rank,
                                           const int64_t *extents,
                                           const int64_t *bounds,
                                           intptr_t numElementTypes,
                                           const MlirType *elementTypes);

/// The level of a push array.
MLIR_CAPI_EXPORTED ObsLevel obsPushTypeGetLevel(MlirType type);

/// Parts of the type of a pull or push array. Positions count from 0 and must
/// be in range. A dynamic extent, and a missing bound, are
/// mlirShapedTypeGetDynamicSize(). The bound of a static dimension is its
/// extent.
MLIR_CAPI_EXPORTED intptr_t obsArrayTypeGetRank(MlirType type);
MLIR_CAPI_EXPORTED int64_t obsArrayTypeGetExtent(MlirType type, intptr_t dim);
MLIR_CAPI_EXPORTED int64_t obsArrayTypeGetBound(MlirType type, intptr_t dim);
MLIR_CAPI_EXPORTED intptr_t obsArrayTypeGetNumElementTypes(MlirType type);
MLIR_CAPI_EXPORTED MlirType obsArrayTypeGetElementType(MlirType type,
                                                       intptr_t position);

#ifdef __cplusplus
}
#endif

#endif // OBSIDIAN_C_DIALECT_H
