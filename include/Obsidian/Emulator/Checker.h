//===- Checker.h - Finds races and reads of unwritten memory ----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An observer that stores, for every four bytes of shared and global memory,
// the last accesses. An error names the access at which it was found. A note
// has the location of the other access, or of the memory:
//
//   prog.mlir:12:9: race: load of 4 bytes by thread 1 of block 0 ...
//   prog.mlir:9:5: note: the other access is a store by thread 0 of block 0
//
// Kinds of errors:
//
// - `race`: two accesses of one byte by different threads that nothing orders,
//   of which at least one writes. Barriers order the threads of a block.
//   Barriers of a warp order the lanes that their masks name. Threads of a warp
//   are not in lock step. Only releases and acquires order blocks: atomic
//   accesses of the LLVM dialect with such an ordering, or atomic and volatile
//   accesses with fences. Atomic and volatile accesses do not race with each
//   other. Stores with the contract `any` into one buffer do not race with each
//   other, either. Both race with all other accesses. Without an ordering, they
//   order no other access.
// - `false-claim`: one thread stores to an element twice by stores of one
//   buffer with the contract `disjoint`, and no thread reads the element in
//   between. The contract promises that no element is written twice. If two
//   threads store to the element, the error is a race, whose message names the
//   contract.
// - `uninit`: a load of bytes that were never written. If a thread writes them
//   before the block passes a barrier (for global memory: before the launch
//   ends), the error is a race.
//
// The errors that are found depend on the accesses of the kernel, not on the
// order of its threads. Among the accesses of one kind that nothing orders, the
// checker keeps two by different threads, from different blocks or warps if
// possible. Any later access races with both, or with neither, or is an access
// of one of the two threads and races with the other one. Exceptions are warp
// barriers whose mask does not contain all lanes, and releases and acquires.
// With them, a race may not be found if three or more threads access the
// element.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_CHECKER_H
#define OBSIDIAN_EMULATOR_CHECKER_H

#include "Obsidian/Emulator/AccessObserver.h"
#include "Obsidian/Emulator/DeviceMemory.h"

#include <memory>

namespace mlir::obs::emulator {

/// The checks that a checker makes.
struct CheckOptions {
  /// Races and false claims.
  bool races = false;
  /// Reads of unwritten memory; private memory only in machines that were made
  /// with `MachineOptions::watchPrivate`.
  bool uninit = false;
};

/// Ends a launch with an error at the first access that breaks a rule.
class Checker : public AccessObserver {
public:
  /// Watches launches of machines that share `memory`. From now on, `memory`
  /// records writes if a check of `options` needs this.
  Checker(CheckOptions options, std::shared_ptr<DeviceMemory> memory);
  ~Checker() override;

  void launchBegins(llvm::StringRef kernel, Dim3 grid, Dim3 block) override;
  bool launchEnds(std::string &message) override;
  void blockBegins(uint64_t block, const void *shared,
                   uint64_t sharedBytes) override;
  void blockEnds(uint64_t block) override;
  bool access(const AccessEvent &event, std::string &message) override;
  void privateBegins(uint64_t block, uint32_t thread, const void *base,
                     uint64_t bytes) override;
  void fence(uint64_t block, uint32_t thread, bool acquires,
             bool releases) override;
  void blockBarrier(uint64_t block, llvm::StringRef location) override;
  void warpBarrier(uint64_t block, uint32_t warp, uint32_t mask,
                   llvm::StringRef location) override;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_EMULATOR_CHECKER_H
