//===- TestMachine.h - Kernels in the text of a test ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_UNITTESTS_EMULATOR_TESTMACHINE_H
#define OBSIDIAN_UNITTESTS_EMULATOR_TESTMACHINE_H

#include "Obsidian/Emulator/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>

namespace mlir::obs::emulator::test {

/// The text of a module with one kernel @k with these arguments and this body.
/// The kernel begins on line 1, the body on line 2.
inline std::string kernel(const std::string &args, const std::string &body,
                          const std::string &before = "") {
  return "gpu.module @m { " + before + " gpu.func @k(" + args + ") kernel {\n" +
         body + "\ngpu.return } }";
}

/// A kernel of the memory %a and %r of %n elements of i32, with the views %av
/// and %rv of them, the thread %t and block %b, the sizes %bd and %gd of block
/// and grid, and the number %g of the thread in the grid.
inline std::string arrayKernel(const std::string &body) {
  return kernel("%a: memref<i32>, %r: memref<i32>, %n: index", R"(
  %av = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
      : memref<i32> to memref<?xi32>
  %rv = memref.reinterpret_cast %r to offset: [0], sizes: [%n], strides: [1]
      : memref<i32> to memref<?xi32>
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %bd = gpu.block_dim x
  %gd = gpu.grid_dim x
  %start = arith.muli %b, %bd : index
  %g = arith.addi %start, %t : index
)" + body);
}

/// Of an `arrayKernel`: five iterations, with two barriers each, in which the
/// threads of a block hand their elements on to the thread before them.
inline constexpr const char *kRotateInShared = R"(
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %s = memref.view %dyn[%c0][%bd] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<?xi32, #gpu.address_space<workgroup>>
    %x = memref.load %av[%g] : memref<?xi32>
    %next = arith.addi %t, %c1 : index
    %from = arith.remui %next, %bd : index
    %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %x) -> i32 {
      memref.store %v, %s[%t] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %s[%from] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.yield %w : i32
    }
    memref.store %y, %rv[%g] : memref<?xi32>)";

/// In the body of a kernel: %p is a pointer to the memory %f, and %one is 1.
inline constexpr const char *kFlagPointer =
    R"(%fi = memref.extract_aligned_pointer_as_index %f : memref<i32> -> index
%l = arith.index_cast %fi : index to i64
%p = llvm.inttoptr %l : i64 to !llvm.ptr
%one = arith.constant 1 : i32
)";

/// The numbers from `first` on.
inline std::vector<int32_t> iota(size_t count, int32_t first = 0) {
  std::vector<int32_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// Compiles a kernel and runs it on vectors.
class TestMachine {
public:
  explicit TestMachine(const std::string &text, MachineOptions options = {}) {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        math::MathDialect, memref::MemRefDialect,
                        NVVM::NVVMDialect, scf::SCFDialect,
                        vector::VectorDialect>();
    context.disableMultithreading();
    ParserConfig config(&context);
    module = parseSourceString<ModuleOp>(text, config, "test");
    if (!module) {
      ADD_FAILURE() << "the test's kernel does not parse:\n" << text;
      return;
    }
    gpu::GPUModuleOp gpuModule = *module->getOps<gpu::GPUModuleOp>().begin();
    llvm::Expected<std::unique_ptr<Machine>> created =
        Machine::create(gpuModule, std::move(options));
    if (!created)
      createError = llvm::toString(created.takeError());
    else
      machine = std::move(*created);
  }

  /// Copies a vector to device memory.
  template <typename T>
  T *upload(const std::vector<T> &data) {
    llvm::Expected<void *> address = machine->allocate(data.size() * sizeof(T));
    if (!address) {
      ADD_FAILURE() << llvm::toString(address.takeError());
      return nullptr;
    }
    std::memcpy(*address, data.data(), data.size() * sizeof(T));
    return static_cast<T *>(*address);
  }

  template <typename T>
  static std::vector<T> download(const T *address, size_t count) {
    return std::vector<T>(address, address + count);
  }

  /// Launches @k with these values as arguments. Returns the error or "".
  template <typename... Args>
  std::string launch(uint32_t blocks, uint32_t threads, size_t sharedBytes,
                     Args... args) {
    if (!machine)
      return "not created: " + createError;
    std::vector<void *> params = {static_cast<void *>(&args)...};
    return llvm::toString(machine->launch("k", Dim3{blocks}, Dim3{threads},
                                          sharedBytes, params, &stats));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Machine> machine;
  std::string createError;
  LaunchStats stats;
};

/// True if `text` begins with `file:line` and, after a column, has `kind`.
inline ::testing::AssertionResult isError(const std::string &text, int line,
                                          const std::string &kind) {
  std::string start = "test:" + std::to_string(line) + ":";
  size_t colon = text.find(": " + kind + ": ");
  if (text.rfind(start, 0) != 0 || colon == std::string::npos ||
      text.find_first_not_of("0123456789", start.size()) != colon)
    return ::testing::AssertionFailure()
           << "expected " << kind << " in line " << line << ", got: " << text;
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult contains(const std::string &text,
                                           const std::string &part) {
  if (text.find(part) == std::string::npos)
    return ::testing::AssertionFailure() << "no '" << part << "' in: " << text;
  return ::testing::AssertionSuccess();
}

} // namespace mlir::obs::emulator::test

#endif // OBSIDIAN_UNITTESTS_EMULATOR_TESTMACHINE_H
