//===- Passes.td - Passes on arrays ---------------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_TD
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsAlignArgumentsPass : Pass<"obs-align-arguments", "::mlir::ModuleOp"> {
  let summary = "Say how the array arguments of kernels are aligned";
  let description = [{
    Arguments of host functions and what they allocate begin at multiples of 16
    bytes; a part of an array (`obs.part`) begins at a multiple of what divides
    its offset. Through views, choices, branches and loops an array is aligned as
    the least aligned of all that it can be, so what a loop carries is aligned as
    what it begins with and what its turns pass on. An argument of a kernel is
    aligned as that of its least aligned launch: `llvm.align` says so if that is
    more than elements need, and code generation may then access several elements
    at once.

    ```mlir
    // before: of 4 bytes, one behind the first
    %p = obs.part %a from %c1 extents(%n) : memref<?xf32> to memref<?xf32>
    gpu.func @k(%in: memref<f32>, %n: index, %out: memref<f32>) kernel
    // after, if %p is %in
    gpu.func @k(%in: memref<f32>, %n: index, %out: memref<f32> {llvm.align = 16 : i64}) kernel
    ```

    `obs-merge-kernels` comes before: what a kernel may take for granted is known
    once all of its launches are.
  }];
}

def ObsBatchDistributePass : Pass<"obs-batch-distribute"> {
  let summary = "Run sub-programs of one level side by side";
  let description = [{
    A `par` over instances of the level that it stands in has no workers of its
    own to spread over. This pass merges the instances: each parallel loop of a
    sub-program becomes one loop over all of them, and each array that they
    force one array with the instances as leading dimensions. What was one
    barrier for each instance becomes one barrier.

    ```mlir
    // before, at level block
    obs.par block (%i) in (%c2) {
      %p = obs.fill par (%t) in (%c8) {
        obs.write %x at [%t] : i32
      } : !obs.push<block, 8 x i32>
      %a = obs.force %p : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
    }
    // after
    %p = obs.fill par (%i, %t) in (%c2, %c8) {
      obs.write %x at [%i, %t] : i32
    } : !obs.push<block, 2 x 8 x i32>
    %a = obs.force %p : !obs.push<block, 2 x 8 x i32> -> !obs.pull<2 x 8 x i32>
    ```

    Sub-programs whose control flow depends on the instance stay as they are:
    `convert-obs-to-scf` runs those one after the other.
  }];
}

def ObsExpandCollectivesPass : Pass<"obs-expand-collectives"> {
  let summary = "Reductions and scans become core operations";
  let description = [{
    Every `obs.reduce`, `obs.scan` and segmented form becomes what its strategy
    builds: loops, `obs.generate`, `obs.force` and `obs.distribute warp`. What a
    strategy stores is private to the collective. `obs.compact`, `obs.rank` and
    `obs.expand` become a scan and an `obs.fill` that writes where it says.

    ```mlir
    // before, at level block
    %s = obs.reduce (%x, %y) = %a init %z : !obs.pull<4 x i32> -> i32 {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    // after
    %half = obs.generate (%i) {
      %k = arith.muli %i, %c2 : index
      %j = arith.addi %k, %c1 : index
      %x = obs.get %a[%k] : !obs.pull<4 x i32>
      %y = obs.get %a[%j] : !obs.pull<4 x i32>
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    } : !obs.pull<2 x i32>
    %p = obs.push %half : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
    %f = obs.force %p : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
    %one = obs.generate (%i) { ... } : !obs.pull<1 x i32>  // %z + %f[0] + %f[1]
    %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    %g = obs.force %q : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
    %s = obs.get %g[%c0] : !obs.pull<1 x i32>
    ```

    | strategy | of | for n elements |
    |---|---|---|
    | `sequential` | both | one worker combines them all; a `segmented_reduce` by offsets takes one worker for each segment |
    | `halving_tree` | reduce | `a[i] ∘ a[i + n/2]`, again and again; only if `commutative` |
    | `adjacent_tree` | reduce | `a[2i] ∘ a[2i+1]`, again and again |
    | `sklansky` | scan | log n stages; the right half of each block adds the last element of the left half |
    | `kogge_stone` | scan | log n stages; each element adds the one 2^k to its left |
    | `brent_kung` | scan | pairs, a scan of n/2 elements, and the elements between; 2n operations |
    | `raking` | both | each of 128 workers (32 at level warp, 4 at level thread) combines a chunk, or if `commutative` every 128th element; then a tree, or `kogge_stone` |
    | `warps` | both | each warp combines 32 elements in arrays of its own; then the same for the n/32 results. Not below level block |

    At level grid these work inside a block, and others share the work between
    blocks, which take parts of 4096 elements or more, at most 1024 of them:

    | strategy | of | kernels |
    |---|---|---|
    | `atomic` | reduce | one, and a memset: each block adds its result to the others by one atomic operation. For an operator that is `addi`, `minsi`, `maxsi`, `minui`, `maxui`, `andi`, `ori`, `xori` on `i32` or `i64`, or if `commutative` `addf` on `f32` or `f64` |
    | `one_kernel` | reduce | one, and a memset: each block publishes the result of its part and takes a number, and the block that takes the last number combines all results in the order of the parts. One block and no memset if n is known to be at most 4096 |
    | `two_kernels` | reduce | the parts; then one block combines what they gave, in the same way |
    | `three_kernels` | scan, segmented forms | the parts; one block scans what they gave; the parts again, each behind what is before it |
    | `one_pass` | the same | one, and a memset: each block scans a tile of up to 4096 elements, publishes what it gives, and looks back at the tiles before it, so every element is read once. Two kernels if the total is used before the elements are forced |
    | `sequential` | `segmented_reduce` by offsets | one, with a thread for each segment |

    Where none is named: at level grid `sequential` if it can be, else for a
    reduction that is forced as it is `atomic`, if the order does not change the
    result (for `addf`, if it is `fastmath<reassoc>`, too), else `one_kernel`;
    `one_pass` for a scan whose operator takes no floats, else `three_kernels`.
    `one_kernel`, `two_kernels` and `three_kernels` group elements by their number
    alone, so they give the same bits in every run, on any number of threads and
    blocks, and the first two the same as each other.
    How `one_pass` groups them, and `atomic` orders them, depends on which block
    is how fast: that does not matter to an operator that is associative, but
    shows in the rounding of floats. The option `deterministic` takes
    `three_kernels` and `one_kernel` instead, even where the others are asked
    for by name. At level thread, `sequential`. Else up to 32 elements
    `halving_tree` or `adjacent_tree` for a reduction and `kogge_stone` for a
    scan; up to 1024 at level block `warps`; else `raking`. Strategies other than
    `sequential` and `raking` of a reduction need a bound of n.

    Up to 128 elements stages are written out, beyond that they are a loop, so
    that the code does not grow with n. `registerReduceStrategy` and
    `registerScanStrategy` (`Obsidian/Dialect/Obs/Transforms/Collectives.h`) add
    strategies.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
  let options = [
    Option<"deterministic", "deterministic", "bool", "false",
      "Never let the speed of blocks decide how elements are grouped">,
    Option<"sharedBytes", "shared-bytes", "int64_t",
      "::mlir::obs::sharedBytesOfBlock",
      "Shared memory of a block in bytes, which copies of results can have">
  ];
}

def ObsFoldTablesPass : Pass<"obs-fold-tables", "ModuleOp"> {
  let summary = "Tables in constant memory become literals";
  let description = [{
    What is forced `in constant` is computed here, by the reference interpreter:
    no kernel makes it, and it is in the code of those that read it.

    ```mlir
    // before
    %g = obs.generate (%i) {
      %j = arith.subi %c3, %i : index
      obs.yield %j : index
    } : !obs.pull<4 x index>
    %p = obs.push %g : !obs.pull<4 x index> -> !obs.push<grid, 4 x index>
    %t = obs.force %p in constant : !obs.push<grid, 4 x index> -> !obs.pull<4 x index>
    // after
    %t = obs.constant dense<[3, 2, 1, 0]> : tensor<4xindex>
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ObsFuseArraysPass : Pass<"obs-fuse-arrays"> {
  let summary = "Fuse everything that is not forced";
  let description = [{
    Pull arrays are read by building their element at the place that reads it,
    push arrays run by building their program with the writer of the force. An
    array that a loop carries is forced on entry and at the end of the body, and
    what a host function returns is in memory. What writes of contract `reduce`
    combine is forced in front of a map of it.

    Afterwards every force has one `obs.fill` for each result, which contains no
    `obs.put`; every `obs.get` reads storage (a view, a constant, the result of
    a force, a carried array); and the two arms of a select that read one array
    share the read.

    ```mlir
    // before
    %b = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    // after
    %p = obs.fill par (%i) in (%c8) {
      %x = obs.get %a[%i] : !obs.pull<8 x i32>
      %y = arith.addi %x, %x : i32
      obs.write %y at [%i] : i32
    } : !obs.push<grid, 8 x i32>
    %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    ```

    A remark tells of every computed array that is read in several places, and
    so computed several times.
  }];
}

def ObsInsertRuntimeChecksPass : Pass<"obs-insert-runtime-checks"> {
  let summary = "Check extents that the types leave open";
  let description = [{
    Rule R4 for dynamic extents: the pass puts an `obs.assert` before every
    operation whose arrays must agree in extents, or that must stay within an
    array, for what the types do not prove.

    Programs that become kernels are checked, too: those of a `distribute` or a
    `fill`, the functions of a `map` or a `generate`, and a choice among arrays.
    The assertion stands in front of the program, in host code, if its numbers
    are known there: they depend on extents and parameters, not on elements or
    on the number of an instance. It holds where the program, the branch or the
    loop around the operation does not run.

    A check that only a kernel can make costs time in the kernel. With
    `host-only` the pass leaves it out. Without, it stands in the program, except
    in scalar code, which only computes an element.

    ```mlir
    // before
    %z = obs.zip %a, %b : !obs.pull<? x i32>, !obs.pull<? x f32>
    // after
    %n = obs.dim %a, 0 : !obs.pull<? x i32>
    %m = obs.dim %b, 0 : !obs.pull<? x f32>
    %ok = arith.cmpi eq, %n, %m : index
    obs.assert %ok, "[R4-extents] obs.zip: the arrays have different extents"
    %z = obs.zip %a, %b : !obs.pull<? x i32>, !obs.pull<? x f32>
    ```
  }];
  let options = [
    Option<"hostOnly", "host-only", "bool", "false",
           "Make the checks that the host can make, and no others">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ObsOutlineKernelsPass : Pass<"obs-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "One kernel for each force at grid level";
  let description = [{
    Every grid-level force of a host function becomes an `obs.kernel` and an
    `obs.launch` of it. Arguments stand in the order of the source, results
    last. Arrays become memrefs in device memory: function arguments and results
    change type, fresh results are `gpu.alloc`ed and, unless they leave the
    function or a loop, deallocated after their last use. An array takes the
    memory of one of the same type and extents that is dead by then, or that the
    kernel is the last to read, if no iteration reads what another one writes:
    then the kernel has one parameter for both and runs in place.
    The plan says so, and of how many arrays a buffer is the memory. What is a
    part of an array in memory is returned and carried without a copy. Loops of
    the host allocate nothing in a turn if the extents of what they carry have a
    maximum that is known before: as many buffers take turns as there are arrays
    at the same time, fewer in place. Initial contents of a
    result are a `gpu.memset` or `gpu.memcpy` before the launch. `obs.get` in
    host code copies one element.

    ```mlir
    // before
    func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      ...
      %r = obs.force %p {kernel = "k"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
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

    A remark for each host function is the plan: it counts kernels, memsets,
    copies and buffers, and a note for each, in order, says what a kernel reads
    and writes and how large a buffer is.

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
      "Let arrays of equal extents share memory if one is dead before the other is made">
  ];
}

def ObsProveDisjointPass : Pass<"obs-prove-disjoint"> {
  let summary = "Mark writes of `disjoint` that are not proved";
  let description = [{
    Contract `disjoint` of an `obs.fill` has three outcomes. The verifier refuses
    it where two writes of one element are known. Here the algebra of index maps
    proves it, and nothing remains to be said of the writes. Else they are marked,
    and their stores are, as of the contract: the emulator reports a collision as
    a broken promise, and a proof without races (`obs-check-races`) says that it
    rests on it.

    ```mlir
    // before: the indices are in an array
    %j = obs.get %to[%i] : !obs.pull<? x index>
    obs.write %x at [%j] : i32
    // after
    obs.write %x at [%j] {obs.contract = "unproved"} : i32
    // in the kernel
    memref.store %x, %out[%j] {obs.contract = "disjoint"} : memref<?xi32>
    ```
  }];
}

def ObsVerifyCallsPass : Pass<"obs-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls in array code that cannot be inlined";
  let description = [{
    Kernels have no calls. So a function that is called in the region of an array
    operation or in a function of a level, and one that takes or gives arrays, is
    inlined: it has a body of one block, and does not call itself. The pass names
    the first call for which that is not so, and the calls that lead there. It
    changes nothing, and runs before the inliner.

    ```mlir
    func.func private @f(i32) -> i32
    func.func @g(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %m = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
        // error: 'func.call' op [call-inline] calls 'f', which has no body
        %y = func.call @f(%x) : (i32) -> i32
        obs.yield %y : i32
      }
      return %m : !obs.pull<8 x i32>
    }
    ```
  }];
}

def ObsSetLaunchPass : Pass<"obs-set-launch", "::mlir::ModuleOp"> {
  let summary = "Choose threads of a block and number of blocks";
  let description = [{
    `threads` is a compile-time number of a kernel: the option, else the
    attribute of the force, else the widest static loop over the threads of a
    block, rounded up to warps and limited to 256, else 256. The number of
    blocks is computed at launch: enough for one iteration per unit, or the
    option. Neither changes results.

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

def ObsUnrollLoopsPass : Pass<"obs-unroll-loops"> {
  let summary = "Unroll the loops that ask for it";
  let description = [{
    Loops stay loops, so that code does not grow with extents, except those with
    the attribute `obs.unroll`: stages of a network whose partners must be
    constants for arrays to be in registers. Their bounds are constants, also by
    way of unrolled loops around them: `[unroll-bounds]`; and they become no more
    than 32768 operations: `[unroll-size]`.

    ```mlir
    // before
    %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> i32 {
      %k = arith.index_cast %i : index to i32
      %b = arith.addi %a, %k : i32
      scf.yield %b : i32
    } {obs.unroll}
    // after
    %b = arith.addi %x, %c0_i32 : i32
    %s = arith.addi %b, %c1_i32 : i32
    ```

    No loop with `obs.unroll` is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_TD
