//===- Passes.td - From kernels to NVVM and PTX -----------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_PASSES
#define OBSIDIAN_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToNVVMPass
    : Pass<"convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels without structured control flow to NVVM";
  let description = [{
    This conversion replaces several passes of upstream. It differs from
    `convert-gpu-to-nvvm` where that pass loses precision, speed or memory:

    - `memref` arguments are plain pointers, in the order of the source.
    - Square root, `fma`, rounding and similar operations are instructions with
      exact rounding instead of calls of libdevice. Only functions that the
      hardware does not have, such as `math.exp`, call libdevice. Without
      libdevice, the pass refuses them.
    - `memref.atomic_rmw` and `memref.generic_atomic_rmw` have relaxed order.
      Their scope is the device, or the block in shared memory. They support all
      types of up to 64 bits, by compare-and-swap if there is no instruction.
      Both return the old value. An `or` with 0 is an atomic load.
    - A kernel with an atomic load waits for other blocks. Its registers are
      limited such that a multiprocessor executes 1024 threads of it.
    - Dynamic shared memory is an external array that is aligned to 128 bytes.
    - A constant that is added to an index is added to the address, so that
      accesses of neighbours have one base.

    Run `convert-scf-to-cf` before it.

    Example:

    ```mlir
    gpu.module @kernels {
      gpu.func @k(%a: memref<i32>, %x: i32) kernel {
        %old = memref.atomic_rmw addi %x, %a[] : (i32, memref<i32>) -> i32
        gpu.return
      }
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      llvm.func @k(%a: !llvm.ptr, %x: i32) attributes {gpu.kernel, nvvm.kernel} {
        %old = llvm.atomicrmw add %a, %x syncscope("device") monotonic : !llvm.ptr, i32
        llvm.return
      }
    }
    ```
  }];
  let options = [
    Option<"libdevice", "libdevice", "std::string", "",
           "The file libdevice.10.bc, or 'none'. By default, the pass searches "
           "the CUDA toolkit for it">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"
  ];
}

def NarrowIndicesPass
    : Pass<"obs-narrow-indices", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Compute indices in 32 bits if they fit";
  let description = [{
    Indices have 64 bits, so that arrays may have more than 2^32 elements. The
    registers of a GPU have 32 bits. This pass computes a value in `i32` if a
    range analysis proves that it fits. The analysis uses the ids of threads and
    lanes, constant extents, bounds of loops, masks and remainders. A narrow
    value is extended where it is used as an index.

    - The values of a kernel stay the same. The only assumptions are that
      extents are not negative, and that a launch has at most 2^31 - 1 blocks of
      warps of 32 lanes. An extent that is known only at launch, and values that
      are computed from it, stay 64 bits wide, unless `llvm.range` of the
      parameter shows that they fit.
    - A value is zero-extended if it cannot be negative, and sign-extended
      otherwise. So indices before the first element keep their meaning.
    - The results of sums, differences, products and shifts to the left must
      fit. For all other operations, the operands must fit, too. If the operands
      fit, the operations in 32 bits are marked as free of overflow (`nsw`,
      `nuw`).
    - The counter of a loop is an `i32` if the step is not constant, as in loops
      over the blocks of a grid. It is unsigned if the index after the last one
      requires this. The counters of other loops are of type `index`. Sums and
      products of such a counter are left to LLVM's strength reduction, unless
      the counter is also divided.

    Run it after all analyses of accesses, and before the conversion to NVVM.

    Example:

    ```mlir
    gpu.func @k(%a: memref<f32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c4 = arith.constant 4 : index
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
          : memref<f32> to memref<?xf32>
      %t = gpu.thread_id x
      %q = arith.divui %t, %c4 : index
      %i = arith.addi %q, %n : index
      %v = memref.load %x[%i] : memref<?xf32>
      ...
    ```

    becomes

    ```mlir
      %c4 = arith.constant 4 : i32
      %t = gpu.thread_id x
      %t32 = arith.index_castui %t : index to i32
      %q32 = arith.divui %t32, %c4 : i32
      %q = arith.index_castui %q32 : i32 to index
      %i = arith.addi %q, %n : index
      %v = memref.load %x[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CombineAssertsPass
    : Pass<"obs-combine-asserts", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Test several assertions by one branch";
  let description = [{
    A thread that executes several elements asserts a condition for each of
    them, and a branch for each assertion takes more time than the condition.

    - A condition `0 <= x < end` becomes one comparison without signs, with
      `max(end, 0)`. If `x` extends a narrow number, the narrow number is
      compared.
    - After the assertion, a narrow number is extended without its sign, so
      `obs-narrow-indices` knows that it is not negative. Other tests of
      `x < end` without signs are true.
    - Assertions with the same message and location become one, if only
      arithmetic is between them.

    The message of a failed assertion does not change. Run it before
    `obs-narrow-indices`.

    Example:

    ```mlir
    %i = arith.index_cast %a : i32 to index
    %l = arith.cmpi sge, %i, %c0 : index
    %h = arith.cmpi slt, %i, %n : index
    %o = arith.andi %l, %h : i1
    cf.assert %o, "out of range"
    %p = arith.index_cast %b : i32 to index
    ...
    cf.assert %q, "out of range"
    memref.store %v, %m[%i] : memref<?xf32>
    ```

    becomes

    ```mlir
    %m0 = arith.maxsi %n, %c0 : index
    %m1 = arith.minui %m0, %c2147483648 : index
    %e = arith.index_castui %m1 : index to i32
    %o = arith.cmpi ult, %a, %e : i32
    %i = arith.index_castui %a : i32 to index
    ...
    %both = arith.andi %o, %q : i1
    cf.assert %both, "out of range"
    memref.store %v, %m[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandRemaindersPass
    : Pass<"obs-expand-remainders", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Compute remainders of numbers near their range without division";
  let description = [{
    A program that continues an array past its ends, periodically or in a
    mirror, divides each index by an extent. Nearly all of these indices are in
    the array or one extent outside of it, and a division of 64 bits takes about
    as long as a hundred other operations, for all lanes of a warp. So a signed
    remainder of indices by a number that is not constant becomes a test, and
    the division is in a branch.

    ```mlir
    // before
    %r = arith.remsi %x, %n : index
    // after
    %below = arith.cmpi slt, %x, %n : index
    %minus = arith.subi %zero, %n : index
    %above = arith.cmpi slt, %minus, %x : index
    %rest = arith.subi %x, %n : index
    %positive = arith.cmpi slt, %zero, %n : index
    %less = arith.cmpi slt, %rest, %n : index
    %short = arith.andi %positive, %less : i1
    %near = arith.select %below, %above, %short : i1
    %r = scf.if %near -> (index) {
      %s = arith.select %below, %x, %rest : index
      scf.yield %s : index
    } else {
      %d = arith.remsi %x, %n : index
      scf.yield %d : index
    }
    ```

    Run it after `obs-narrow-indices`, which finds the ranges of remainders.
    Unsigned remainders stay: they split linear indices into rows and columns.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def IsolateKernelsPass : Pass<"obs-isolate-kernels", "::mlir::ModuleOp"> {
  let summary = "Erase all but the modules of kernels";
  let description = [{
    Use this pass to inspect or compile the kernels of a program separately.

    Example:

    ```mlir
    func.func @main() {
      return
    }
    gpu.module @kernels {
      gpu.func @k() kernel { gpu.return }
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      gpu.func @k() kernel { gpu.return }
    }
    ```
  }];
}

def SerializeKernelsPass
    : Pass<"obs-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace modules of NVVM kernels by their PTX";
  let description = [{
    Every `gpu.module` becomes a `gpu.binary` of the same name that holds the
    PTX. It must be in the NVVM dialect, as after `convert-kernels-to-nvvm`.

    Example:

    ```mlir
    gpu.module @kernels {
      llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
        llvm.return
      }
    }
    ```

    becomes

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "...">]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"", "The GPU to compile for">,
    Option<"libdevice", "libdevice", "std::string", "",
           "As for convert-kernels-to-nvvm">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def UnrollWhilePass : Pass<"obs-unroll-while", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Execute several iterations of a loop for each branch";
  let description = [{
    A loop that ends when a condition fails, at the latest after a number of
    iterations, executes a branch and two comparisons in each iteration. If an
    iteration is at most 24 operations of arithmetic, without divisions, the
    pass adds a loop in front that executes four iterations for each branch.
    After the condition has failed, it executes the rest of the four, and keeps
    the values that are used after the loop. It compares the counter once. The
    loop as it was executes the iterations that are left.

    ```mlir
    // before
    %r:2 = scf.while (%z = %a, %n = %c0) : (f32, i32) -> (f32, i32) {
      %small = arith.cmpf ole, %z, %c4 : f32
      %less = arith.cmpi slt, %n, %limit : i32
      %both = arith.andi %small, %less : i1
      scf.condition(%both) %z, %n : f32, i32
    } do {
    ^bb0(%z: f32, %n: i32):
      %y = S(%z)
      %m = arith.addi %n, %c1 : i32
      scf.yield %y, %m : f32, i32
    }
    // after, if only %r#1 is used: with %last = %limit - 3
    %q:3 = scf.while (%z = %a, %n = %c0, %on = %true) : ... {
      // %on, %z <= 4 and %n < %last
    } do {
    ^bb0(%z: f32, %n: i32, %on: i1):
      %y = S(%z)
      %m = arith.addi %n, %c1 : i32
      %on1 = arith.cmpf ole, %y, %c4 : f32
      %y1 = S(%y)
      %m1 = arith.addi %m, %c1 : i32
      %m2 = arith.select %on1, %m1, %m : i32
      ...
      scf.yield %y3, %m6, %on3 : f32, i32, i1
    }
    %r:2 = scf.while (%z = %q#0, %n = %q#1) : ... {
      // the condition as it was, and %q#2
    } do {
      // as it was
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // OBSIDIAN_TARGET_PASSES
