//===- FakeCuda.h - Control of the driver for tests -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_UNITTESTS_RUNTIME_FAKECUDA_H
#define OBSIDIAN_UNITTESTS_RUNTIME_FAKECUDA_H

#include <cstdint>
#include <string>
#include <vector>

/// The state that the fake driver pretends, and the calls that it has seen. The
/// library exports one, `fakeCudaState`.
struct FakeCudaState {
  int numDevices = 2;
  int major = 9, minor = 0;
  uint64_t memory = 1 << 20;
  int version = 12040;
  /// If streams record what is enqueued, for a caller of the programs.
  bool isCapturing = false;
  unsigned long long streamId = 1;
  int maxThreads = 1024;
  int maxSharedBytes = 232448;
  /// Of every function: static shared memory, and the limit on threads.
  int staticSharedBytes = 16;
  int maxThreadsOfFunction = 1024;
  /// The result of the next cuLaunchKernel, and of waiting from then on.
  int launchResult = 0;
  int waitResult = 0;
  /// The result of loading, and the text of its log.
  int loadResult = 0;
  std::string loadLog;

  uint64_t allocated = 0;
  int allocations = 0, hostAllocations = 0, fills = 0;
  int contexts = 0, streams = 0, events = 0, modules = 0, graphs = 0;
  /// Names of the calls whose order or number matters, with what they got.
  std::vector<std::string> calls;
};

#endif // OBSIDIAN_UNITTESTS_RUNTIME_FAKECUDA_H
