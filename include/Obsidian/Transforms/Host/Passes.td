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

def ObsHoistForcesPass : Pass<"obs-hoist-forces", "::mlir::ModuleOp"> {
  let summary = "Move kernels out of the programs of other kernels";
  let description = [{
    The fused program of a kernel can contain a force at level grid. It is a
    kernel of its own, which runs before. So the pass moves it before the
    program, with the operations that it needs.

    ```mlir
    // before
    %p = obs.fill {
      %f = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
      obs.par (%i) in (%c8) { ... obs.get %f ... }
    } : !obs.push<grid, 8 x i32>
    // after
    %f = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    %p = obs.fill par (%i) in (%c8) { ... obs.get %f ... } : !obs.push<grid, 8 x i32>
    ```
  }];
}

def ObsHoistInvariantsPass : Pass<"obs-hoist-invariants"> {
  let summary = "Move invariant code out of loops";
  let description = [{
    The pass is `loop-invariant-code-motion` of MLIR, except for remainders
    whose divisor is not a constant other than 0 and -1: outside of a loop that
    may have no iteration, they divide by 1 if it has none. MLIR moves them as
    they are, and the divisor can be 0.

    ```mlir
    // before
    scf.for %i = %c0 to %n step %c1 {
      %b = arith.remui %a, %d : index
      S(%b, %i)
    }
    // after
    %runs = arith.cmpi slt, %c0, %n : index
    %e = arith.select %runs, %d, %c1 : index
    %b = arith.remui %a, %e : index
    scf.for %i = %c0 to %n step %c1 { S(%b, %i) }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ObsDropCopiesPass : Pass<"obs-drop-copies", "::mlir::ModuleOp"> {
  let summary = "Use stored arrays instead of copies of them";
  let description = [{
    Strategies of collectives store their result if several forces use it. Each
    force then copies every element to its own memory. If nothing writes the
    memory of the stored array afterwards, the array replaces the copy. The
    kernel that stores it takes the name of the force. Arrays of the caller are
    copied, because the caller may change them. A force that names one program
    several times stores its array once.

    ```mlir
    // before
    %s = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    %c = obs.fill par (%i) in (%c8) {
      %x = obs.get %s[%i] : !obs.pull<8 x i32>
      obs.write %x at [%i] : i32
    } : !obs.push<grid, 8 x i32>
    %r = obs.force %c {kernel = "k"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    return %r : !obs.pull<8 x i32>
    // after
    %s = obs.force %p {kernel = "k"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    return %s : !obs.pull<8 x i32>
    ```
  }];
}

def ObsOutlineKernelsPass : Pass<"obs-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "One kernel for each force at grid level";
  let description = [{
    Every grid-level force of a host function becomes an `obs.kernel` and an
    `obs.launch` of it. Arguments stand in the order of the source, results
    last. Kernels take memrefs in device memory. `gpu.alloc` allocates the
    memory of a result. Its initial contents are a `gpu.memset` or `gpu.memcpy`
    before the launch. Functions of a level are removed.

    Host code still has arrays, until `obs-bufferize-host`. There, an
    `unrealized_conversion_cast` is the memory of an array that a function takes
    or that control flow passes on.

    ```mlir
    // before
    func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      ...
      %r = obs.force %p {kernel = "k"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
      return %r : !obs.pull<? x i32>
    }
    // after
    obs.kernel @k(%m: memref<?xi32>, %out: memref<?xi32>) { ... }
    func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      ...
      %out = gpu.alloc(%n) : memref<?xi32>
      %m = builtin.unrealized_conversion_cast %a : !obs.pull<? x i32> to memref<?xi32>
      obs.launch @k work [%n] [thread] args(%m, %out) : memref<?xi32>, memref<?xi32>
      %r = obs.view %out : memref<?xi32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect"];
}

def ObsBufferizeHostPass : Pass<"obs-bufferize-host", "::mlir::func::FuncOp"> {
  let summary = "Replace the arrays of host code by memrefs";
  let description = [{
    Arrays of host code become memrefs in device memory. So the types of
    arguments, results and carried values change. A part of an array in memory
    is returned and carried without a copy: it is a view of the memory.
    `obs.get` copies one element to the host.

    ```mlir
    // before
    func.func @main(%a: !obs.pull<? x i32>, %i: index) -> i32 {
      %m = builtin.unrealized_conversion_cast %a : !obs.pull<? x i32> to memref<?xi32>
      %out = gpu.alloc() : memref<1xi32>
      obs.launch @k work [] [] args(%m, %out) : memref<?xi32>, memref<1xi32>
      %r = obs.view %out : memref<1xi32>
      %x = obs.get %r[%i] : !obs.pull<1 x i32>
      return %x : i32
    }
    // after
    func.func @main(%a: memref<?xi32>, %i: index) -> i32 {
      %out = gpu.alloc() : memref<1xi32>
      obs.launch @k work [] [] args(%a, %out) : memref<?xi32>, memref<1xi32>
      %element = memref.subview %out[%i] [1] [1] : ...
      %host = memref.alloca() : memref<1xi32>
      gpu.memcpy %host, %element : ...
      %x = memref.load %host[%c0] : memref<1xi32>
      return %x : i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"
  ];
}

def ObsFoldExtentsPass : Pass<"obs-fold-extents", "::mlir::func::FuncOp"> {
  let summary = "Compute extents of carried arrays from the first array";
  let description = [{
    If each iteration of a host loop passes on an array with the extents of the
    array that it has received, these are the extents of the first array. The
    extents of an allocation are its operands. So extents no longer depend on
    the iteration, and `obs-hoist-invariants` moves their computation
    before the loop.

    ```mlir
    // before
    scf.for ... iter_args(%x = %a) -> (memref<?xi32>) {
      %n = memref.dim %x, %c0 : memref<?xi32>
      %y = gpu.alloc(%n) : memref<?xi32>
      ...
      scf.yield %y : memref<?xi32>
    }
    // after
    scf.for ... iter_args(%x = %a) -> (memref<?xi32>) {
      %n = memref.dim %a, %c0 : memref<?xi32>
      ...
    ```
  }];
}

def ObsFreeBuffersPass : Pass<"obs-free-buffers", "::mlir::func::FuncOp"> {
  let summary = "Free memory after its last use";
  let description = [{
    Every `gpu.alloc` of a host function is freed after the last operation that
    uses it or a view of it, unless it leaves its block: a function returns it,
    or control flow passes it on.

    ```mlir
    // before
    %m = gpu.alloc(%n) : memref<?xi32>
    obs.launch @first work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
    obs.launch @last work [%n] [thread] args(%m, %r) : memref<?xi32>, memref<?xi32>
    return %r : memref<?xi32>
    // after
    %m = gpu.alloc(%n) : memref<?xi32>
    obs.launch @first work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
    obs.launch @last work [%n] [thread] args(%m, %r) : memref<?xi32>, memref<?xi32>
    gpu.dealloc %m : memref<?xi32>
    return %r : memref<?xi32>
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def ObsReuseBuffersPass : Pass<"obs-reuse-buffers", "::mlir::ModuleOp"> {
  let summary = "Let arrays share memory, and run kernels in place";
  let description = [{
    An array takes the memory of an array of the same type and extents that was
    freed before. It also takes the memory of an array that its kernel is the
    last to read, if no iteration reads an element that another iteration
    writes. Then the kernel has one parameter for both arrays and runs in place.
    A copy of an array that is not used any more is dropped. The attribute
    `obs.arrays` of an allocation is the number of arrays that use it, one after
    the other.

    ```mlir
    // before: iteration i of @last reads element i only
    %m = gpu.alloc(%n) : memref<?xi32>
    obs.launch @first work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
    %r = gpu.alloc(%n) : memref<?xi32>
    obs.launch @last work [%n] [thread] args(%m, %r) : memref<?xi32>, memref<?xi32>
    gpu.dealloc %m : memref<?xi32>
    return %r : memref<?xi32>
    // after
    %m = gpu.alloc(%n) {obs.arrays = 2 : i64} : memref<?xi32>
    obs.launch @first work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
    obs.launch @last work [%n] [thread] args(%m) : memref<?xi32>
    return %m : memref<?xi32>
    ```
  }];
}

def ObsRotateBuffersPass : Pass<"obs-rotate-buffers", "::mlir::ModuleOp"> {
  let summary = "Store the arrays that loops pass on in a fixed set of buffers";
  let description = [{
    If the extents of the arrays that a host loop carries have a maximum that is
    known before the loop, the arrays use buffers from outside of the loop
    alternately. If n arrays are live at the same time, n + 1 buffers are
    sufficient, or fewer if kernels run in place. Loops and branches pass on,
    with each array, a bit that identifies its buffer. This includes inner loops
    and branches.

    ```mlir
    // before
    %r = scf.for ... iter_args(%x = %a) -> (memref<?xi32>) {
      %y = gpu.alloc(%n) : memref<?xi32>
      obs.launch @k work [%n] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
      scf.yield %y : memref<?xi32>
    }
    // after
    %first = gpu.alloc(%n) : memref<?xi32>
    %second = gpu.alloc(%n) : memref<?xi32>
    %r, %of_r = scf.for ... iter_args(%x = %a, %of_x = %c0) -> (memref<?xi32>, index) {
      %is_first = arith.cmpi eq, %of_x, %c1 : index
      %y = arith.select %is_first, %second, %first : memref<?xi32>
      %of_y = arith.select %is_first, %c2, %c1 : index
      obs.launch @k work [%n] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
      scf.yield %y, %of_y : memref<?xi32>, index
    }
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect"];
}

def ObsHoistBuffersPass : Pass<"obs-hoist-buffers", "::mlir::ModuleOp"> {
  let summary = "Move allocations out of the loops that free them";
  let description = [{
    Memory that a host loop allocates and frees in every iteration is allocated
    before the loop and freed after it, if the maximum of its extents is known
    before the loop. An array is the first part of the buffer.

    ```mlir
    // before
    scf.for ... {
      %m = gpu.alloc(%n) : memref<?xi32>
      ...
      gpu.dealloc %m : memref<?xi32>
    }
    // after
    %m = gpu.alloc(%n) : memref<?xi32>
    scf.for ... {
      ...
    }
    gpu.dealloc %m : memref<?xi32>
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect"];
}

def ObsReportPlanPass : Pass<"obs-report-plan", "::mlir::ModuleOp"> {
  let summary = "Report the plan of each host function";
  let description = [{
    A remark for each host function is its plan. It counts kernels, memsets,
    copies, reads by the host, and buffers. A note for each step, in order,
    names the arrays that the step reads and writes, or the size of a buffer.
    The pass changes nothing. `obs-to-launches` ends with it.

    ```
    saxpy.mlir:11:1: remark: plan of 'saxpy': 1 kernel, 0 memsets, 0 copies, 0 host reads, 1 buffer
    saxpy.mlir:18:8: note: buffer 0 is ? x f32 (4 bytes each)
    saxpy.mlir:18:8: note: kernel 'saxpy' reads argument 1, argument 2, writes buffer 0
    ```
  }];
}

def ObsShareKernelsPass : Pass<"obs-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace equal kernels by one of them";
  let description = [{
    Kernels with the same code, entry and number of threads become the first one
    of them. Kernels are lowered after this pass, so equal ones are lowered once.

    ```mlir
    // before
    obs.kernel @scan(%a: memref<?xi32>) attributes {entry = "scan"} {...}
    obs.kernel @scan_0(%a: memref<?xi32>) attributes {entry = "scan"} {...}
    obs.launch @scan work [%n] [block] args(%a) : memref<?xi32>
    obs.launch @scan_0 work [%m] [block] args(%b) : memref<?xi32>
    // after
    obs.kernel @scan(%a: memref<?xi32>) attributes {entry = "scan"} {...}
    obs.launch @scan work [%n] [block] args(%a) : memref<?xi32>
    obs.launch @scan work [%m] [block] args(%b) : memref<?xi32>
    ```
  }];
}

def ObsVersionKernelsPass : Pass<"obs-version-kernels", "::mlir::ModuleOp"> {
  let summary = "Add kernels for short rows";
  let description = [{
    If the blocks of a kernel process rows whose length is known at run time
    only, no number of threads is good for all lengths: eight warps wait for
    each other in a row of 100 elements. Such a kernel gets a second version
    with one warp in a block, and its launches choose. They launch it if there
    are at least 1024 blocks, and the largest array has at most 2048 elements
    for each of them. Both versions compute the same results.

    A kernel has a second version if it has one loop over the grid, whose unit
    is a block, requests no number of threads, and each of its loops over the
    threads or warps of a block has an unknown extent that is the same in all
    blocks, or at most 32 threads.

    ```mlir
    // before
    obs.launch @sums work [%m] [block] args(%a, %r) : memref<?x?xf32>, memref<?xf32>
    // after
    %few = ...  // dim(%a, 0) * dim(%a, 1) <= 2048 * %m, and %m >= 1024
    scf.if %few {
      obs.launch @sums_short work [%m] [block] args(%a, %r) : memref<?x?xf32>, memref<?xf32>
    } else {
      obs.launch @sums work [%m] [block] args(%a, %r) : memref<?x?xf32>, memref<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
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
    of iterations. If the shared memory of a block has no room for the arrays of
    so many warps, numbers 3 to 5 are those of the greatest number of warps for
    which it has. To learn what is in shared memory, the pass compiles a copy of
    such a kernel up to `obs-plan-shared`. The number of blocks is the option
    `blocks`, or is computed at launch so that each unit executes one iteration.
    Launch parameters do not change results.

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
           "Number of blocks for every launch (0: from the extents)">,
    Option<"limit", "limit", "int64_t", "::mlir::obs::sharedBytesOfBlock",
           "Shared memory of a block in bytes (227 KiB on sm_90)">
  ];
}

#endif // OBSIDIAN_TRANSFORMS_HOST_PASSES_TD
