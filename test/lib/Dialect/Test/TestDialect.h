//===- TestDialect.h - A dialect from outside -------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that another project would add: they include headers of include/
// only, and nothing in lib/ knows them. docs/Extending.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TEST_LIB_DIALECT_TEST_TESTDIALECT_H
#define OBSIDIAN_TEST_LIB_DIALECT_TEST_TESTDIALECT_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Interpreter/Execution.h"

#include "TestDialect.h.inc"

#define GET_OP_CLASSES
#include "TestOps.h.inc"

#endif // OBSIDIAN_TEST_LIB_DIALECT_TEST_TESTDIALECT_H
