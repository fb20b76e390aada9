//===- ErrorsTest.cpp - Wrong calls of the C API --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Increment.h"
#include "obsidian-c/Runtime.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>

namespace {

class CAPIErrors : public testing::Test {
protected:
  void SetUp() override { compiler = obs_compiler_create(); }
  void TearDown() override {
    obs_executable_destroy(executable);
    obs_program_destroy(program);
    obs_compiler_destroy(compiler);
  }
  void compile() {
    program = obs_compile(compiler, increment, std::strlen(increment), nullptr,
                          nullptr);
    ASSERT_NE(program, nullptr);
  }
  void load() {
    compile();
    executable = obs_load(program, nullptr);
    ASSERT_NE(executable, nullptr);
  }
  obs_status run(obs_type type) {
    obs_value value = {type, 1, &extent, numbers};
    return obs_run(executable, &value, 1, nullptr);
  }
  /// The only message of the last call, which is an error.
  std::string getError() {
    if (obs_compiler_get_num_messages(compiler) != 1)
      return "";
    obs_message message = obs_compiler_get_message(compiler, 0);
    EXPECT_EQ(message.severity, OBS_ERROR);
    EXPECT_EQ(message.parent, -1);
    return std::string(message.text.data, message.text.length);
  }

  obs_compiler *compiler = nullptr;
  obs_program *program = nullptr;
  obs_executable *executable = nullptr;
  int64_t extent = 3;
  int32_t numbers[3] = {1, 2, 3};
};

TEST_F(CAPIErrors, SizesAreSet) {
  obs_compile_options options = {};
  options.chip = "bogus";
  EXPECT_EQ(obs_compile(compiler, increment, std::strlen(increment), nullptr,
                        &options),
            nullptr);
  EXPECT_EQ(getError(), "the member 'size' of obs_compile_options is 0: set it "
                        "to sizeof(obs_compile_options)");

  obs_saved_program saved = {};
  EXPECT_EQ(obs_read(compiler, &saved), nullptr);
  EXPECT_EQ(getError(), "the member 'size' of obs_saved_program is 0: set it "
                        "to sizeof(obs_saved_program)");

  compile();
  obs_device_options device = {};
  EXPECT_EQ(obs_load(program, &device), nullptr);
  EXPECT_EQ(getError(), "the member 'size' of obs_device_options is 0: set it "
                        "to sizeof(obs_device_options)");
}

TEST_F(CAPIErrors, KindsOfDevices) {
  compile();
  for (int kind : {7, -1}) {
    // C++ has no conversion of other numbers to the enumeration.
    obs_device_options device = {};
    device.size = sizeof(device);
    std::memcpy(&device.kind, &kind, sizeof(device.kind));
    EXPECT_EQ(obs_load(program, &device), nullptr);
    EXPECT_NE(getError().find("and no obs_device_kind"), std::string::npos);
  }
}

TEST_F(CAPIErrors, FormsOfPrograms) {
  compile();
  for (int number : {10, 1000, -1}) {
    obs_form form;
    std::memcpy(&form, &number, sizeof(form));
    obs_text text = {};
    EXPECT_EQ(obs_program_show(program, form, &text), OBS_FAILURE);
    EXPECT_EQ(text.data, nullptr);
    EXPECT_NE(getError().find("and no obs_form"), std::string::npos);
  }
}

TEST_F(CAPIErrors, TypesOfElements) {
  load();
  int number = 55;
  obs_type type;
  std::memcpy(&type, &number, sizeof(type));
  EXPECT_EQ(run(type), OBS_FAILURE);
  EXPECT_EQ(getError(), "argument 1 has the type 55, which is no obs_type");
}

TEST_F(CAPIErrors, TextsWithoutBytes) {
  EXPECT_EQ(obs_compile(compiler, nullptr, 0, nullptr, nullptr), nullptr);
  EXPECT_EQ(getError(),
            "name the function to compile; the public functions are: none");
}

TEST_F(CAPIErrors, ArgumentsWithoutData) {
  load();
  obs_value value = {OBS_I32, 1, &extent, nullptr};
  EXPECT_EQ(obs_run(executable, &value, 1, nullptr), OBS_FAILURE);
  EXPECT_EQ(getError(), "argument 1 has no data: the address is null");
  extent = 0;
  EXPECT_EQ(obs_run(executable, &value, 1, nullptr), OBS_SUCCESS);
}

TEST_F(CAPIErrors, ScalarsHaveNoRank) {
  const char *text = "func.func @main(%k: i32) -> i32 { return %k : i32 }";
  program = obs_compile(compiler, text, std::strlen(text), nullptr, nullptr);
  ASSERT_NE(program, nullptr);
  executable = obs_load(program, nullptr);
  ASSERT_NE(executable, nullptr);
  obs_value value = {OBS_I32, 0, nullptr, numbers};
  EXPECT_EQ(obs_run(executable, &value, 1, nullptr), OBS_FAILURE);
  EXPECT_EQ(getError(), "argument 1 is an array of rank 0, and the parameter's "
                        "type is i32");
  value.rank = -1;
  EXPECT_EQ(obs_run(executable, &value, 1, nullptr), OBS_SUCCESS);
  value.data = nullptr;
  EXPECT_EQ(obs_run(executable, &value, 1, nullptr), OBS_FAILURE);
  EXPECT_EQ(getError(), "argument 1 has no data: the address is null");
}

TEST_F(CAPIErrors, MemoryThatCannotBeHad) {
  for (obs_device_kind kind : {OBS_INTERPRETER, OBS_EMULATOR}) {
    obs_device_options device = {};
    device.size = sizeof(device);
    device.kind = kind;
    device.flags = OBS_CHECK_UNINIT;
    compile();
    executable = obs_load(program, &device);
    ASSERT_NE(executable, nullptr);
    // The numbers of bytes are 2^52, 2^63 and, modulo 2^64, 0.
    for (int64_t bits : {50, 61, 62}) {
      extent = int64_t(1) << bits;
      EXPECT_EQ(run(OBS_I32), OBS_FAILURE);
      EXPECT_NE(getError(), "");
    }
    extent = 3;
    EXPECT_EQ(run(OBS_I32), OBS_SUCCESS);
    obs_executable_destroy(executable);
    executable = nullptr;
    obs_program_destroy(program);
    program = nullptr;
  }
}

TEST_F(CAPIErrors, ResultsThatDoNotExist) {
  load();
  auto isMissing = [&](size_t number, const std::string &error) {
    obs_value value = obs_get_result(executable, number);
    EXPECT_EQ(value.data, nullptr);
    EXPECT_EQ(value.rank, -1);
    EXPECT_EQ(getError(), error);
  };
  isMissing(0,
            "there is no result 0: the number of results of the last run is 0");
  ASSERT_EQ(run(OBS_I32), OBS_SUCCESS);
  obs_value value = obs_get_result(executable, 0);
  ASSERT_NE(value.data, nullptr);
  EXPECT_EQ(static_cast<const int32_t *>(value.data)[2], 4);
  EXPECT_EQ(obs_compiler_get_num_messages(compiler), 0u);
  isMissing(1,
            "there is no result 1: the number of results of the last run is 1");
  ASSERT_EQ(run(OBS_F32), OBS_FAILURE);
  isMissing(0,
            "there is no result 0: the number of results of the last run is 0");
}

} // namespace
