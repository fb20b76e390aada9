//===- Precompiled.cpp - Compiles the precompiled header ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Empty: the target that contains this file exists so that Precompiled.h is
// compiled once and reused by every library.
//
//===----------------------------------------------------------------------===//
