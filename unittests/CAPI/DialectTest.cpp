//===- DialectTest.cpp - obs through the C API of MLIR --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "obsidian-c/Dialect.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"

#include "gtest/gtest.h"

#include <string>

namespace {

void append(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}

/// A context with the dialect alone, as a program in C makes it.
class CAPIDialect : public testing::Test {
protected:
  void SetUp() override {
    context = mlirContextCreate();
    mlirDialectHandleLoadDialect(mlirGetDialectHandle__obs__(), context);
    mlirContextAttachDiagnosticHandler(
        context,
        [](MlirDiagnostic diagnostic, void *text) {
          mlirDiagnosticPrint(diagnostic, append, text);
          return mlirLogicalResultSuccess();
        },
        &errors, nullptr);
    location = mlirLocationUnknownGet(context);
    f32 = mlirF32TypeGet(context);
  }
  void TearDown() override { mlirContextDestroy(context); }

  MlirType parse(const char *text) {
    return mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
  }
  std::string print(MlirType type) {
    std::string text;
    mlirTypePrint(type, append, &text);
    return text;
  }

  MlirContext context;
  MlirLocation location;
  MlirType f32;
  std::string errors;
  const int64_t any = mlirShapedTypeGetDynamicSize();
};

TEST_F(CAPIDialect, TypesAreThoseOfTheText) {
  int64_t extents[] = {any, 4};
  MlirType pull = obsPullTypeGet(location, 2, extents, nullptr, 1, &f32);
  EXPECT_TRUE(mlirTypeEqual(pull, parse("!obs.pull<? x 4 x f32>")));
  EXPECT_TRUE(obsTypeIsAPull(pull));
  EXPECT_FALSE(obsTypeIsAPush(pull));

  int64_t bounds[] = {100, any};
  MlirType pair[] = {f32, mlirIntegerTypeGet(context, 32)};
  MlirType push =
      obsPushTypeGet(location, ObsLevelBlock, 2, extents, bounds, 2, pair);
  EXPECT_TRUE(mlirTypeEqual(
      push, parse("!obs.push<block, ? x 4 x f32, i32 bound [100, 4]>")))
      << print(push);
  EXPECT_TRUE(obsTypeIsAPush(push));
  EXPECT_EQ(obsPushTypeGetLevel(push), ObsLevelBlock);

  // Bounds that say nothing are no part of the type.
  int64_t none[] = {any, any};
  EXPECT_TRUE(
      mlirTypeEqual(obsPullTypeGet(location, 2, extents, none, 1, &f32), pull));
}

TEST_F(CAPIDialect, PartsOfTypes) {
  MlirType type = parse("!obs.pull<? x 4 x ? x f32, i8 bound [100, 4, ?]>");
  ASSERT_FALSE(mlirTypeIsNull(type)) << errors;
  EXPECT_EQ(obsArrayTypeGetRank(type), 3);
  EXPECT_EQ(obsArrayTypeGetExtent(type, 0), any);
  EXPECT_EQ(obsArrayTypeGetExtent(type, 1), 4);
  EXPECT_EQ(obsArrayTypeGetBound(type, 0), 100);
  EXPECT_EQ(obsArrayTypeGetBound(type, 1), 4);
  EXPECT_EQ(obsArrayTypeGetBound(type, 2), any);
  EXPECT_EQ(obsArrayTypeGetNumElementTypes(type), 2);
  EXPECT_TRUE(mlirTypeEqual(obsArrayTypeGetElementType(type, 1),
                            mlirIntegerTypeGet(context, 8)));
}

TEST_F(CAPIDialect, TypesThatDoNotExistAreErrors) {
  EXPECT_TRUE(
      mlirTypeIsNull(obsPullTypeGet(location, 0, nullptr, nullptr, 1, &f32)));
  EXPECT_NE(errors.find("[type-rank]"), std::string::npos) << errors;
  errors.clear();
  int64_t extent = any, bound = -5;
  EXPECT_TRUE(
      mlirTypeIsNull(obsPullTypeGet(location, 1, &extent, &bound, 1, &f32)));
  EXPECT_NE(errors.find("[type-bound]"), std::string::npos) << errors;
}

TEST_F(CAPIDialect, OperationsAreBuiltWithInferredTypes) {
  // obs.iota makes 0, 1, 2, ..., and obs.reverse infers its type from that.
  int64_t extent = 8;
  MlirType index = mlirIndexTypeGet(context);
  MlirType array = obsPullTypeGet(location, 1, &extent, nullptr, 1, &index);
  MlirOperationState state = mlirOperationStateGet(
      mlirStringRefCreateFromCString("obs.iota"), location);
  mlirOperationStateAddResults(&state, 1, &array);
  MlirOperation iota = mlirOperationCreate(&state);
  ASSERT_FALSE(mlirOperationIsNull(iota)) << errors;
  EXPECT_TRUE(mlirOperationVerify(iota)) << errors;

  MlirOperationState next = mlirOperationStateGet(
      mlirStringRefCreateFromCString("obs.reverse"), location);
  MlirValue operand = mlirOperationGetResult(iota, 0);
  mlirOperationStateAddOperands(&next, 1, &operand);
  mlirOperationStateEnableResultTypeInference(&next);
  MlirOperation reverse = mlirOperationCreate(&next);
  ASSERT_FALSE(mlirOperationIsNull(reverse)) << errors;
  EXPECT_TRUE(mlirTypeEqual(
      mlirValueGetType(mlirOperationGetResult(reverse, 0)), array));
  mlirOperationDestroy(reverse);
  mlirOperationDestroy(iota);
}

TEST_F(CAPIDialect, ARegistryHasWhatProgramsNeed) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  obsRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreateFromCString(
                   "func.func @f(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> "
                   "{ %b = obs.reverse %a : !obs.pull<? x f32> "
                   "return %b : !obs.pull<? x f32> }"));
  EXPECT_FALSE(mlirModuleIsNull(module)) << errors;
  mlirModuleDestroy(module);
}

} // namespace
