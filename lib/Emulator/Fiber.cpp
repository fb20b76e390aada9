//===- Fiber.cpp - Threads that switch without the system -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <cassert>
#include <cstdint>
#include <sys/mman.h>

#if defined(__x86_64__) && defined(__ELF__)
#define OBS_EMULATOR_FIBER_X86_64 1
#else
#include <ucontext.h>
#endif

using namespace mlir::obs::emulator;

#if OBS_EMULATOR_FIBER_X86_64

// The System V ABI: a call preserves rbx, rbp, r12 to r15 and rsp. The control
// words of the floating-point units are the same for all fibers.
extern "C" void *obsEmulatorSwitch(void **from, void *to);
extern "C" void obsEmulatorStart();
asm(R"(
        .text
        .p2align 4
        .hidden obsEmulatorSwitch
        .globl  obsEmulatorSwitch
        .type   obsEmulatorSwitch, @function
obsEmulatorSwitch:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        retq
        .cfi_endproc
        .size   obsEmulatorSwitch, .-obsEmulatorSwitch

        .p2align 4
        .hidden obsEmulatorStart
        .globl  obsEmulatorStart
        .type   obsEmulatorStart, @function
obsEmulatorStart:
        .cfi_startproc
        .cfi_undefined rip
        movq    %r12, %rdi
        callq   *%r13
        ud2
        .cfi_endproc
        .size   obsEmulatorStart, .-obsEmulatorStart
)");

FiberState mlir::obs::emulator::makeFiber(char *top, void (*entry)(void *),
                                          void *argument) {
  // The values that obsEmulatorSwitch pops: r15, r14, r13, r12, rbx, rbp, and
  // the return address. The stack pointer is a multiple of 16 when
  // obsEmulatorStart runs.
  top -= reinterpret_cast<uintptr_t>(top) % 16;
  auto *frame = reinterpret_cast<uint64_t *>(top) - 9;
  frame[0] = 0;
  frame[1] = 0;
  frame[2] = reinterpret_cast<uint64_t>(entry);
  frame[3] = reinterpret_cast<uint64_t>(argument);
  frame[4] = 0;
  frame[5] = 0;
  frame[6] = reinterpret_cast<uint64_t>(&obsEmulatorStart);
  frame[7] = 0;
  frame[8] = 0;
  return frame;
}

void mlir::obs::emulator::switchFiber(FiberState &from, FiberState to) {
  obsEmulatorSwitch(&from, to);
}

#else // Any other Unix.

namespace {
struct Start {
  ucontext_t context;
  void (*entry)(void *);
  void *argument;
};
} // namespace

static void startFiber(unsigned high, unsigned low) {
  auto *start = reinterpret_cast<Start *>((uintptr_t(high) << 32) | low);
  start->entry(start->argument);
}

FiberState mlir::obs::emulator::makeFiber(char *top, void (*entry)(void *),
                                          void *argument) {
  constexpr size_t kUsed = 32 * 1024;
  top -= sizeof(Start);
  top -= reinterpret_cast<uintptr_t>(top) % 64;
  auto *start = new (top) Start;
  getcontext(&start->context);
  start->entry = entry;
  start->argument = argument;
  // makecontext needs a lower end. The real one is the protected page.
  start->context.uc_stack.ss_sp = top - kUsed;
  start->context.uc_stack.ss_size = kUsed;
  start->context.uc_link = nullptr;
  auto address = reinterpret_cast<uintptr_t>(start);
  makecontext(&start->context, reinterpret_cast<void (*)()>(startFiber), 2,
              unsigned(uint64_t(address) >> 32), unsigned(address));
  return &start->context;
}

void mlir::obs::emulator::switchFiber(FiberState &from, FiberState to) {
  ucontext_t here;
  from = &here;
  swapcontext(&here, static_cast<ucontext_t *>(to));
}

#endif

//===----------------------------------------------------------------------===//
// StackPool
//===----------------------------------------------------------------------===//

static size_t pageBytes() {
  static const size_t bytes = llvm::sys::Process::getPageSizeEstimate();
  return bytes;
}

StackPool::~StackPool() { unmap(); }

void StackPool::unmap() {
  for (const Slab &slab : slabs)
    munmap(slab.base, slab.bytes);
  slabs.clear();
  all.clear();
  free.clear();
}

void StackPool::setStackBytes(size_t bytes) {
  bytes = llvm::alignTo(bytes, pageBytes());
  if (bytes <= usable)
    return;
  assert(free.size() == all.size() && "stacks in use");
  unmap();
  usable = bytes;
}

bool StackPool::grow() {
  // Few at first: most kernels need one block's worth at most.
  size_t count = all.empty() ? 32 : std::min<size_t>(all.size(), 1024);
  size_t stride = usable + pageBytes();
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_STACK
  flags |= MAP_STACK;
#endif
  void *base =
      mmap(nullptr, count * stride, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (base == MAP_FAILED)
    return false;
  slabs.push_back({static_cast<char *>(base), count * stride});
  size_t first = all.size();
  for (size_t i = 0; i < count; ++i) {
    char *guard = static_cast<char *>(base) + i * stride;
    if (mprotect(guard, pageBytes(), PROT_NONE) != 0)
      break;
    all.push_back(guard + pageBytes());
  }
  // The first of the new stacks is the next one taken.
  free.insert(free.end(), all.rbegin(),
              all.rbegin() + static_cast<ptrdiff_t>(all.size() - first));
  return !free.empty();
}

char *StackPool::top(char *stack) const {
  // 17 lines of 64 bytes from one stack to the next, within a page.
  size_t number = reinterpret_cast<uintptr_t>(stack) / (usable + pageBytes());
  return stack + usable - (number * 17 % 48) * 64;
}

void StackPool::releaseAll() { free.assign(all.rbegin(), all.rend()); }
