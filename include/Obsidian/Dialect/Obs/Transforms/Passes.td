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

def ObsBatchDistributePass : Pass<"obs-batch-distribute"> {
  let summary = "Run sub-programs of one level side by side";
  let description = [{
    A `par` over instances of the level of its region has no workers that could
    execute the instances in parallel. This pass merges the instances. Each
    parallel loop of a sub-program becomes one loop over all instances. Each
    array that the sub-programs force becomes one array with the instances as
    leading dimensions. One barrier for each instance becomes one barrier for
    all.

    ```mlir
    // before, at level block
    obs.par block (%i) in (%c2) {
      %p = obs.fill par (%t) in (%c8) {
        obs.write %x at [%t] : i32
      } : !obs.push<block, 8 x i32>
      %a = obs.force %p : !obs.push<block, 8 x i32>
    }
    // after
    %p = obs.fill par (%i, %t) in (%c2, %c8) {
      obs.write %x at [%i, %t] : i32
    } : !obs.push<block, 2 x 8 x i32>
    %a = obs.force %p : !obs.push<block, 2 x 8 x i32>
    ```

    Sub-programs whose control flow depends on the instance are unchanged: they
    run one after the other.
  }];
}

def ObsExpandCollectivesPass : Pass<"obs-expand-collectives"> {
  let summary = "Reductions and scans become core operations";
  let description = [{
    Every `obs.reduce`, `obs.scan` and segmented form becomes the code of its
    strategy: loops, `obs.generate`, `obs.force` and `obs.distribute warp`.
    Intermediate arrays of a strategy are private to the collective.
    `obs.compact`, `obs.rank` and `obs.expand` become a scan and an `obs.fill`
    that writes at the indices of the scan. `obs.partition` becomes an
    `obs.fill` whose blocks wait for the counts of the blocks before.

    ```mlir
    // before, at level block
    %s = obs.reduce { arith.addi } %a init %z : !obs.pull<4 x i32>
    // after
    %half = obs.generate (%i) {
      %k = arith.muli %i, %c2 : index
      %j = arith.addi %k, %c1 : index
      %x = obs.get %a[%k] : !obs.pull<4 x i32>
      %y = obs.get %a[%j] : !obs.pull<4 x i32>
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    } : !obs.pull<2 x i32>
    %p = obs.push block %half : !obs.pull<2 x i32>
    %f = obs.force %p : !obs.push<block, 2 x i32>
    %one = obs.generate (%i) { ... } : !obs.pull<1 x i32>  // %z + %f[0] + %f[1]
    %q = obs.push block %one : !obs.pull<1 x i32>
    %g = obs.force %q : !obs.push<block, 1 x i32>
    %s = obs.get %g[%c0] : !obs.pull<1 x i32>
    ```

    | strategy | of | for n elements |
    |---|---|---|
    | `sequential` | both | one worker combines all elements; in a `segmented_reduce` by offsets, one worker combines each segment |
    | `halving_tree` | reduce | `a[i] ∘ a[i + n/2]`, repeatedly; only if `commutative` |
    | `adjacent_tree` | reduce | `a[2i] ∘ a[2i+1]`, repeatedly |
    | `sklansky` | scan | log n stages; the right half of each block adds the last element of the left half |
    | `kogge_stone` | scan | log n stages; each element adds the one 2^k to its left |
    | `brent_kung` | scan | pairs, a scan of n/2 elements, and the elements between; 2n operations |
    | `raking` | both | each of 128 workers (32 at level warp, 4 at level thread) combines a chunk, or if `commutative` every 128th element; then a tree, or `kogge_stone` |
    | `warps` | both | each warp combines 32 elements in its own arrays; then the same for the n/32 results. Not below level block |
    | `lanes` | reduce | each of the 32 lanes of a warp combines every 32nd element; then five stages combine the lanes. Only if `commutative`. At level warp, the elements of the lanes are in registers, for any n. Not below level warp |
    | `rows` | reduce | each warp combines up to 1024 elements in rows of 128 (64 or 32 if n is not a multiple of 4). A lane combines its neighbours in a row, and shuffles combine the lanes of each row. If `commutative`, a lane combines its elements of all rows before the shuffles. All threads combine the results of the warps, at most 32. Not below level block |

    At level grid, blocks share the work. The strategies above combine elements
    inside a block. In a reduction, and in the first kernel of `three_kernels`,
    each block has a part of 4096 elements or more. There are at most 528 parts.
    A warp reads rows of 128 elements, four neighbours in each lane. If the
    order matters, a warp combines the eight rows of 1024 neighbouring elements:
    a lane combines its neighbours, shuffles combine the lanes of each row, and
    lane 0 combines the rows. If `commutative`, each of 256 workers reads four
    rows at once and has four accumulators. A thread reads one element at a time
    if an element needs a loop or more than 64 operations, or if it is not read
    from memory.

    | strategy | of | kernels |
    |---|---|---|
    | `atomic` | reduce | one, and a memset: each block adds its result to the others by one atomic operation. For an operator that is `addi`, `minsi`, `maxsi`, `minui`, `maxui`, `andi`, `ori`, `xori` on `i32` or `i64`, or if `commutative` `addf` on `f32` or `f64` |
    | `one_kernel` | reduce | one, and a memset: each block publishes the result of its part and draws a number from a counter. The block with the last number combines all results in the order of the parts. One block and no memset if n is known to be at most 4096 |
    | `two_kernels` | reduce | the parts; then one block combines their results, in the same way |
    | `three_kernels` | scan, segmented forms | the parts; one block scans their results; the parts again, each with the result of the parts before it |
    | `one_pass` | the same | one, and a memset: each block scans a tile of up to 8192 elements, publishes its result, and looks back at the tiles before it, so every element is read once. Elements stay in registers: a thread has up to four neighbours in each of up to eight rows. Two kernels if the total is used before the elements are forced |
    | `sequential` | `segmented_reduce` by offsets | one, with a thread for each segment |

    The default strategies at level grid are:

    - `sequential` for a `segmented_reduce` by offsets;
    - `atomic` for a reduction whose result is only forced, if the order does
      not change the result, or if the operation is `commutative` and its
      operator is an `addf` with `fastmath<reassoc>`;
    - `one_kernel` for all other reductions;
    - `one_pass` for scans and all other segmented forms.

    One block reduces an array that is known to have at most 4096 elements,
    unless the program names `atomic`.

    In all strategies except `atomic`, the results have the same bits in every
    run, for any number of threads and blocks: if an operation can round, the
    grouping of elements depends on their number and types only. In `one_pass`,
    tiles then form groups of 32. A tree combines the tiles before a tile in its
    group, and earlier groups are combined from left to right. The results of
    `one_kernel` and `two_kernels` are equal to each other. The speed of the
    blocks determines the order of `atomic`. This changes the rounding of floats
    and nothing else. The option `deterministic` replaces `atomic` by
    `one_kernel` for elements with floats, even if the program names it.

    The default strategies below level grid are the first of these rows that
    fits:

    | level | elements | reduce | scan |
    |---|---|---|---|
    | thread | any number | `sequential` | `sequential` |
    | warp, block | at most 2 | `sequential` | `kogge_stone` |
    | warp, block | at most 32 | `halving_tree` if `commutative`, else `adjacent_tree` | `kogge_stone` |
    | block | a static extent of 513 to 8192; elements of at most 8 bytes that are read from memory, without a loop and with at most 64 operations | `rows` | |
    | block | at most 1024 | `warps` | `warps` |
    | warp | any number | `lanes` if `commutative`, else `raking` | `raking` |
    | block | any number | `raking` | `raking` |

    A `segmented_reduce` by offsets of an array without a bound uses
    `sequential`. Strategies other than `sequential`, `raking` and `lanes` of a
    reduction need a bound of n.

    With `plain`, each element is read on its own, and the host does not choose
    among kernels (see `obs.scatter`).

    For up to 128 elements, the stages are unrolled. For more elements they are
    a loop, so the code does not grow with n. `registerReduceStrategy` and
    `registerScanStrategy` (`Obsidian/Dialect/Obs/Transforms/Collectives.h`) add
    strategies.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
  let options = [
    Option<"deterministic", "deterministic", "bool", "false",
      "The grouping of elements never depends on the speed of blocks">,
    Option<"sharedBytes", "shared-bytes", "int64_t",
      "::mlir::obs::sharedBytesOfBlock",
      "Shared memory of a block in bytes, for privatised copies of results">,
    Option<"plain", "plain", "bool", "false",
      "Read one element at a time, and build no kernels among which the host chooses">
  ];
}

def ObsFoldTablesPass : Pass<"obs-fold-tables", "ModuleOp"> {
  let summary = "Tables in constant memory become literals";
  let description = [{
    The reference interpreter computes each table that is forced `in constant`.
    No kernel computes the table; it becomes part of the code of the kernels
    that read it.

    ```mlir
    // before
    %g = obs.generate (%i) {
      %j = arith.subi %c3, %i : index
      obs.yield %j : index
    } : !obs.pull<4 x index>
    %t = obs.force %g in constant : !obs.pull<4 x index>
    // after
    %t = obs.constant dense<[3, 2, 1, 0]> : tensor<4xindex>
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ObsFuseArraysPass : Pass<"obs-fuse-arrays"> {
  let summary = "Fuse everything that is not forced";
  let description = [{
    A read of a pull array becomes the computation of the element. A force of a
    push array becomes the program of the array, with the memory of the force as
    its writer. An array that a loop carries is forced before the loop and at
    the end of its body. An array that a host function returns is forced. If a
    map follows writes of contract `reduce`, the combined elements are forced
    before the map.

    Afterwards, every force has one `obs.fill` for each result, and this fill
    contains no `obs.put`. Every `obs.get` reads storage: a view, a constant,
    the result of a force, or a carried array. If both arms of a select read one
    array, they share the read.

    ```mlir
    // before
    %b = obs.map (%x = %a : !obs.pull<8 x i32>) {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %r = obs.force %b : !obs.pull<8 x i32>
    // after
    %p = obs.fill par (%i) in (%c8) {
      %x = obs.get %a[%i] : !obs.pull<8 x i32>
      %y = arith.addi %x, %x : i32
      obs.write %y at [%i] : i32
    } : !obs.push<grid, 8 x i32>
    %r = obs.force %p : !obs.push<grid, 8 x i32>
    ```

    A remark names every virtual array that is read in several places, and is
    therefore computed several times.
  }];
}

def ObsInsertRuntimeChecksPass : Pass<"obs-insert-runtime-checks"> {
  let summary = "Check extents that the types leave open";
  let description = [{
    Rule R4 for dynamic extents: the pass puts an `obs.assert` before every
    operation whose arrays must agree in extents, or that must stay within an
    array, unless the types prove this.

    Programs that become kernels are checked, too: those of a `distribute` or a
    `fill`, the functions of a `map` or a `generate`, and a choice among arrays.
    The assertion stands in front of the program, in host code, if its numbers
    are known there: they depend on extents and parameters, not on elements or
    on the number of an instance. It holds if the program, the branch or the
    loop around the operation does not run.

    A check that only a kernel can make costs time in the kernel. With
    `host-only` the pass does not make it. Otherwise, the assertion is in the
    program, but never in scalar code.

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
           "Make only the checks that the host can make">
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

def ObsProveDisjointPass : Pass<"obs-prove-disjoint"> {
  let summary = "Mark writes of `disjoint` that are not proved";
  let description = [{
    Contract `disjoint` of an `obs.fill` has three outcomes. The verifier
    refuses the fill if it finds two writes of one element. If the algebra of
    index maps proves the contract, the writes get no mark. Otherwise the pass
    marks the writes, and later their stores, with the contract. The emulator
    then reports a collision as a broken promise, and `obs-check-races` names
    the contract as an assumption of its proof.

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

def ObsContractFloatsPass : Pass<"obs-contract-floats"> {
  let summary = "Compute a product and a sum with one rounding";
  let description = [{
    The sum or difference of a product and a number becomes `math.fma` if both
    operations have the flag `contract` of `fastmath`. If both operands are
    products, the first one is contracted. Afterwards no operation has the flag,
    so the interpreter, the emulator and the GPU compute the same bits.
    Therefore the pass runs before all others, and `obs-run` runs it before it
    interprets a program. A product and a sum in different regions are not
    contracted, with one exception: a thread that adds an array of products
    contracts each product with the sum before it.

    ```mlir
    // before
    %p = arith.mulf %a, %b fastmath<contract> : f32
    %s = arith.addf %p, %c fastmath<contract> : f32
    // after
    %s = math.fma %a, %b, %c : f32
    ```
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "Also contract operations without the flag">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ObsVerifyCallsPass : Pass<"obs-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls in array code that cannot be inlined";
  let description = [{
    Kernels contain no calls. So a function is inlined if it is called in the
    region of an array operation or in a function of a level, or if it takes or
    returns arrays. Such a function has a body of one block and is not
    recursive. The pass reports the first call that violates this, and the calls
    that lead to it. It also reports a `memref.dim` of a dimension that does not
    exist. It changes nothing, and runs before the inliner.

    ```mlir
    func.func private @f(i32) -> i32
    func.func @g(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %m = obs.map (%x = %a : !obs.pull<8 x i32>) {
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

def ObsUnrollLoopsPass : Pass<"obs-unroll-loops"> {
  let summary = "Unroll loops that are marked, or that carry arrays of warps";
  let description = [{
    Loops stay loops, so that code does not grow with extents. There are two
    exceptions: loops with the attribute `obs.unroll`, and loops of up to 16
    iterations at level warp that carry an array of 33 to 1024 elements. An
    example is the stages of a network, whose partners must be constants for
    arrays in registers. An array of at most 32 elements is one register of each
    lane, so that loops over it can stay loops. The bounds of a marked loop are
    constants, possibly after unrolling of the loops around it
    (`[unroll-bounds]`). It unrolls to at most 32768 operations
    (`[unroll-size]`).

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

    No loop with `obs.unroll` remains.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_TD
