//===- Increment.h - A program for tests of the C API -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_UNITTESTS_CAPI_INCREMENT_H
#define OBSIDIAN_UNITTESTS_CAPI_INCREMENT_H

/// Adds one to each element of an array of i32.
inline constexpr const char *increment = R"(
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %one = arith.constant 1 : i32
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %r : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
)";

#endif // OBSIDIAN_UNITTESTS_CAPI_INCREMENT_H
