//===- Passes.td - Kernels and host code -------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_HOST_PASSES_TD
#define OBSIDIAN_TRANSFORMS_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsAlignArgumentsPass : Pass<"obs-align-arguments", "::mlir::ModuleOp"> {
  let summary = "State the alignment of the array arguments of kernels";
  let description = [{
    Arguments and allocations of host functions begin at multiples of 16 bytes.
    A part of an array (`obs.part`) begins at a multiple of each power of two
    that divides its offset in bytes. Views, choices, branches and loops can
    pass on several arrays; the result has the smallest alignment of them. So a
    carried array has the smallest alignment of its first value and of the
    values that the iterations pass on. An argument of a kernel has the smallest
    alignment of all launches. `llvm.align` states this alignment if it is more
    than that of an element. Code generation may then access several elements at
    once.

    ```mlir
    // before: %p begins 4 bytes after the beginning of %a
    %p = obs.part %a from %c1 extents(%n) : memref<?xf32> to memref<?xf32>
    gpu.func @k(%in: memref<f32>, %n: index, %out: memref<f32>) kernel
    // after, if a launch passes %p to %in
    gpu.func @k(%in: memref<f32>, %n: index, %out: memref<f32> {llvm.align = 16 : i64}) kernel
    ```

    `obs-merge-kernels` runs before this pass, because the alignment depends on
    all launches of a kernel.
  }];
}

def ObsOutlineKernelsPass : Pass<"obs-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "One kernel for each force at grid level";
  let description = [{
    Every grid-level force of a host function becomes an `obs.kernel` and an
    `obs.launch` of it. Arguments stand in the order of the source, results
    last. Arrays become memrefs in device memory, so the types of function
    arguments and results change. New results are allocated by `gpu.alloc`. They
    are deallocated after their last use, unless they leave the function or a
    loop.

    An array reuses the memory of an array of the same type and extents that is
    no longer live. It also reuses the memory of an array that this kernel is
    the last to read, if no iteration reads an element that another iteration
    writes. Then the kernel has one parameter for both arrays and runs in place.
    A part of an array in memory is returned and carried without a copy.
    Iterations of host loops allocate no memory if the extents of the carried
    arrays have a maximum that is known before the loop: the arrays use a fixed
    set of buffers alternately, with fewer buffers for kernels in place.

    Initial contents of a result are a `gpu.memset` or `gpu.memcpy` before the
    launch. `obs.get` in host code copies one element.

    ```mlir
    // before
    func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      ...
      %r = obs.force %p {kernel = "k"} : !obs.push<grid, ? x i32>
      return %r : !obs.pull<? x i32>
    }
    // after
    obs.kernel @k(%a: memref<?xi32>, %out: memref<?xi32>) { ... }
    func.func @main(%a: memref<?xi32>) -> memref<?xi32> {
      %out = gpu.alloc(%n) : memref<?xi32>
      obs.launch @k work [%n] [thread] args(%a, %out) : memref<?xi32>, memref<?xi32>
      return %out : memref<?xi32>
    }
    ```

    A remark for each host function is its plan. It counts kernels, memsets,
    copies, reads by the host, and buffers. A note for each step, in order,
    names the arrays that the step reads and writes, or the size of a buffer.

    ```
    saxpy.mlir:11:1: remark: plan of 'main': 1 kernel, 0 memsets, 0 copies, 0 host reads, 1 buffer
    saxpy.mlir:18:8: note: buffer 0 is ? x f32
    saxpy.mlir:18:8: note: kernel 'saxpy' reads argument 1, argument 2, writes buffer 0
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"plan", "plan", "bool", "true", "Report the plan of each host function">,
    Option<"reuse", "reuse", "bool", "true",
      "Let arrays of equal extents share memory if they are not live at the same time">
  ];
}

def ObsSetLaunchPass : Pass<"obs-set-launch", "::mlir::ModuleOp"> {
  let summary = "Choose the launch parameters of kernels";
  let description = [{
    The number of threads of a block is known at compile time. It is the first
    of these numbers that exists:

    1. the option `threads`;
    2. the attribute `threads` of the force;
    3. if a loop over the warps of a block has at least 4 iterations: 32 times
       the number of iterations of the longest of these loops, because more
       threads would only wait;
    4. the number of iterations of the longest loop over the threads or warps of
       a block, in threads, rounded up to warps;
    5. 256.

    Numbers 3 and 4 are at most 256, and are 256 if a loop has an unknown number
    of iterations. The number of blocks is the option `blocks`, or is computed
    at launch so that each unit executes one iteration. Launch parameters do not
    change results.

    ```mlir
    // before
    obs.launch @k work [%n] [thread] args(%a) : memref<?xi32>
    // after, with threads = 128
    %blocks = ...  // max(1, ceildiv(%n, 128))
    obs.launch @k blocks %blocks args(%a) : memref<?xi32>
    ```
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads of a block, 1 to 1024, for every kernel (0: choose)">,
    Option<"blocks", "blocks", "int64_t", "0",
           "Number of blocks for every launch (0: from the extents)">
  ];
}

#endif // OBSIDIAN_TRANSFORMS_HOST_PASSES_TD
