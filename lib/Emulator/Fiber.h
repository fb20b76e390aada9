//===- Fiber.h - Threads that switch without the system ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber is a stack and a saved stack pointer. Switching stores the registers
// that a call preserves on the old stack and loads them from the new one, which
// takes a few nanoseconds. If a fiber is not resumed any more, its stack is
// used again. So no object on the stack may need a destructor.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_FIBER_H
#define OBSIDIAN_LIB_EMULATOR_FIBER_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <vector>

namespace mlir::obs::emulator {

/// The state from which a suspended fiber is resumed.
using FiberState = void *;

/// Makes a fiber on the stack that ends (exclusively) at `top`. When the fiber
/// first runs, it calls `entry(argument)`, which must not return.
FiberState makeFiber(char *top, void (*entry)(void *), void *argument);

/// Suspends the running fiber, or the thread without a fiber, into `from`, and
/// resumes `to`. Returns when `from` is resumed.
void switchFiber(FiberState &from, FiberState to);

/// Stacks of one size, each above a page without access rights. The memory is
/// freed with the pool.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;
  ~StackPool();

  /// Makes the stacks at least as large, rounded up to pages. No stack may be
  /// in use.
  void setStackBytes(size_t bytes);
  /// Usable bytes of a stack.
  size_t stackBytes() const { return usable; }

  /// The lowest usable address of a stack, or null if there is no memory.
  char *acquire() {
    if (free.empty() && !grow())
      return nullptr;
    char *stack = free.back();
    free.pop_back();
    return stack;
  }
  void release(char *stack) { free.push_back(stack); }

  /// The address at which a fiber on `stack` begins. The offset differs between
  /// stacks, so that the frames of many fibers are in different sets of the
  /// cache.
  char *top(char *stack) const;

  /// Declares all stacks free. Their contents are lost.
  void releaseAll();

private:
  bool grow();
  void unmap();

  struct Slab {
    char *base;
    size_t bytes;
  };
  std::vector<Slab> slabs;
  std::vector<char *> all, free;
  size_t usable = 0;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_FIBER_H
