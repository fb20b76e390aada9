//===- Passes.td - Passes on level IR ----------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_LEVEL_PASSES_TD
#define OBSIDIAN_TRANSFORMS_LEVEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsAssignBanksPass : Pass<"obs-assign-banks", "::mlir::obs::KernelOp"> {
  let summary = "Spread shared arrays over the banks of shared memory";
  let description = [{
    Shared memory has 32 banks of 4 bytes. Lanes of a warp that access different
    words of one bank wait for each other. For each shared array with
    conflicting accesses, this pass compares several layouts: rows with 1 to 32
    elements of padding, or the last index xored with the number of the row. In
    an array of one row, the number of the row is that of the group of 128
    bytes, which has one word in each bank; the last group becomes whole. The
    pass selects the layout with the fewest wavefronts. It counts the wavefronts
    of all accesses with known indices, in up to 64 iterations of the
    surrounding counted loops. Accesses of a thread to neighbours are one access
    of 16, 8 or 4 bytes if all rows begin at a multiple of its bytes; the
    accesses that a layout adds count, too. Padding costs memory only. A xor must save a quarter
    of the wavefronts.

    `obs-report-cost` prints the degree of conflicts of each access.

    ```mlir
    // before: a column is in one bank
    %a = memref.alloc() : memref<32x32xi32, #obs.home<block, shared>>
    // after
    %a = memref.alloc() : memref<32x33xi32, #obs.home<block, shared>>
    ```

    Barriers are placed before this pass, because it can replace an index by an
    expression that is no longer the number of an iteration.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "::mlir::obs::sharedBytesOfBlock",
           "Shared memory of a block in bytes (227 KiB on sm_90)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"padded", "arrays padded", "Shared arrays with padded rows">,
    Statistic<"swizzled", "arrays swizzled", "Shared arrays with xored indices">
  ];
}

def ObsAssignHomesPass : Pass<"obs-assign-homes", "::mlir::obs::KernelOp"> {
  let summary = "Decide the home of every forced array";
  let description = [{
    The pass replaces `auto` in the memory space of every buffer. Arrays of a
    thread are in registers (private memory). Arrays of a warp and of a block
    are in registers or in shared memory.

    If the loop of a ring changes the array in place, all accesses are of the
    first slot, and the ring keeps only this slot.

    An array of a warp is in the registers of its lanes if it has at most 32
    elements for each lane, and if the register of each access is known at
    compile time. Element e is in lane e mod 32. If a loop writes elements of
    other lanes (a comparator writes two elements, for example), the owners of
    the written elements execute it. `obs-map-levels` replaces reads of elements
    of other lanes by shuffles. All other arrays of warps are in shared memory.

    An array of a block is in registers if no two threads use the same element.
    Accumulators are an example. Uses by the lanes of warps count as uses by the
    threads of the block if each warp executes at most one iteration of the loop
    over warps. If the array has more elements than the block has threads, a
    thread has several elements, and the compiler must know the register of each
    access. So in each step of a leaf loop, all threads access the same
    register. In step s of q, thread t of T executes iteration s T + t, or
    t q + s if the loop is `blocked`. `obs.registers` is the number of elements
    of each thread. The two slots of a ring are the same registers if every read
    is of the slot that was written last. This also holds if nested loops carry
    the array.

    `obs-map-levels` unrolls the steps of such loops. If the program does not
    request registers, the pass uses them only for loops of at most 16 steps and
    at most 4096 unrolled operations. All arrays of the block together then use
    at most half of the registers of its threads, up to 128. If the program
    requests registers, the limit is 64 for each array and thread.

    An array of a block is split if threads other than the writers read at most
    an eighth of it. The elements that their own thread reads become a separate
    array in registers. Only the elements that other threads read are in shared
    memory. The last array of a scan is an example: other threads read only the
    total.

    The pass marks a table as `obs.constant` if the algebra of index maps shows
    that the lanes of a warp always read the same element: the constant cache
    serves one address at a time. `obs-map-levels` places the table in constant
    memory if all kernels read it in this way, and if the tables that the
    program puts `in constant` leave room in the 65536 bytes of a module.

    The pass uses an explicitly requested home or refuses the program. The note
    names the access that prevents the home.

    ```mlir
    // before
    %a = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
    // after
    %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
    ```
  }];
}

def ObsAssignLayoutsPass : Pass<"obs-assign-layouts", "::mlir::obs::KernelOp"> {
  let summary = "Assign the iterations of every leaf loop to workers";
  let description = [{
    Every leaf loop without an `obs.distribution` gets the distribution
    `striped`: neighbouring workers execute neighbouring iterations, so that
    accesses at the counter of the loop coalesce.

    If a program requests registers for an array of a block, a loop that uses it
    is `blocked` where this assigns each element to one thread and `striped`
    does not. An example is a loop with one iteration for each thread that uses
    a run of neighbouring elements.

    Warps that combine an array by rows (the strategy `rows`) read it in the
    order of rows: lane l of warp w reads elements 4 l to 4 l + 3 of each of its
    rows of 128. In rows of 64 or 32, a lane reads two elements or one. A loop
    with one iteration for each element of the array gets the same order, so
    that each element belongs to one thread. It becomes a loop over threads,
    whose body contains one copy for each element of a thread. This is done only
    if each warp executes one iteration of the loop over warps, if the body has
    no atomic operations and no writes with a contract, and if the result has at
    most 4096 operations. Loops over other arrays get the same order if only
    such loops use these arrays.

    The same is done for an array that no warp combines, but that a loop with
    `obs.items` copies from global memory (`obs-split-leaves`). Thread t then
    has that number of neighbours, from element `obs.items` t on.

    ```mlir
    // before, for 1024 elements and two rows of each warp
    scf.forall (%i) in (1024) { S(%i) } {mapping = [#obs.map<block, thread>]}
    // after
    scf.forall (%t) in (128) {
      %i = 256 * (%t / 32) + 4 * (%t % 32)
      S(%i) S(%i + 1) S(%i + 2) S(%i + 3) S(%i + 128) ... S(%i + 131)
    } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
    ```

    ```mlir
    // before
    scf.forall (%i) in (64) { ... } {mapping = [#obs.map<block, thread>]}
    // after
    scf.forall (%i) in (64) { ... } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
    ```
  }];
}

def ObsMapLevelsPass : Pass<"obs-map-levels", "::mlir::ModuleOp"> {
  let summary = "Kernels of level IR become gpu.func, launches gpu.launch_func";
  let description = [{
    Leaf loops become loops over virtual threads, with as few guards as the
    extents allow. Shared buffers become views of one dynamic arena, and arrays
    of threads become `memref.alloca`. Barriers become `gpu.barrier` and
    `nvvm.bar.warp.sync`. Entry points take plain pointers (`memref<T>`),
    extents and scalars in the order of the source; the dynamic extents of an
    array follow it.

    A loop of `n` iterations on `T` threads becomes

    | n            | code                                             |
    |--------------|--------------------------------------------------|
    | n = T        | the body                                         |
    | n < T        | the body under `thread < n`                      |
    | n = q T      | a loop of q steps                                |
    | else         | `for i = thread; i < n; i += T`                  |

    With `obs.distribution = #obs.distribution<blocked>` it becomes a loop over
    a run of `ceil(n / T)` neighbours. Loops that use several registers of an
    array of the block are unrolled. Code that is equal in all steps occurs
    once, and a loop in the body stays one loop, whose body contains all steps.

    ```mlir
    // before
    obs.kernel @k(%out: memref<?xi32>) attributes {threads = 128 : i64, entry = "k"} {
      scf.forall (%i) in (64) {
        memref.store %c, %out[%i] : memref<?xi32>
      } {mapping = [#obs.map<block, thread>]}
    }
    // after
    gpu.module @kernels {
      gpu.func @k(%arg0: memref<i32>, %arg1: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
        %out = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg1], strides: [1] : memref<i32> to memref<?xi32>
        %thread = gpu.thread_id x
        %inside = arith.cmpi ult, %thread, %c64 : index
        scf.if %inside {
          memref.store %c, %out[%thread] : memref<?xi32>
        }
        gpu.return
      }
    }
    ```

    Kernels with warp-level code launch whole warps; `threads` is then the
    number of threads that have work.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ObsMergeResultsPass : Pass<"obs-merge-results", "::mlir::obs::KernelOp"> {
  let summary = "Merge equal code of the results of a kernel";
  let description = [{
    Each result of a force has its own loop over instances. If a sub-program
    yields several arrays, these loops first force the same arrays. This pass
    merges loops over the same instances of the grid that begin with equal
    operations on equal arrays, and keeps these once. It also merges loops over
    the same elements of the grid that have a load or an inner loop in common, if
    neither loop accesses memory that the other one writes.

    ```mlir
    // before
    scf.for %b = %id to %n step %count {
      %s = memref.alloc() : memref<32xi32, #obs.home<block, auto>>
      scf.forall (%t) in (32) { ... } // fills %s
      scf.forall (%t) in (32) { ... } // copies %s to the first result
    } {obs.map = #obs.map<grid, block>}
    scf.for %b = %id to %n step %count {
      %s = memref.alloc() : memref<32xi32, #obs.home<block, auto>>
      scf.forall (%t) in (32) { ... } // fills %s
      scf.forall (%t) in (1) { ... }  // copies an element to the second result
    } {obs.map = #obs.map<grid, block>}
    // after
    scf.for %b = %id to %n step %count {
      %s = memref.alloc() : memref<32xi32, #obs.home<block, auto>>
      scf.forall (%t) in (32) { ... } // fills %s
      scf.forall (%t) in (32) { ... } // copies %s to the first result
      scf.forall (%t) in (1) { ... }  // copies an element to the second result
    } {obs.map = #obs.map<grid, block>}
    ```

    The pass requires that equal values are one value: run `cse` before it.
  }];
}

def ObsPlaceBarriersPass : Pass<"obs-place-barriers", "::mlir::obs::KernelOp"> {
  let summary = "Place barriers where threads exchange data";
  let description = [{
    The pass follows the kernel as a block or warp executes it, and keeps the
    accesses since the last barrier. It places a barrier before a statement with
    an access that conflicts with one of them: read after write, write after
    read, write after initial contents, or any of them in the next iteration of
    a loop. The barrier keeps its reasons: the kind of hazard, the array, and
    both accesses. Two slots of a ring are different memory. Accesses of one
    thread to elements that no other thread writes need no barrier, nor does
    memory that is `published`, whose readers wait for a flag of the writer.
    Finally, the pass removes each barrier whose removal leaves no conflict.

    The maximum number of iterations of a loop decides which threads can access
    one element, and whether an access conflicts with the next iteration. It
    follows from constants and from types: no index is outside of its array at
    run time. So a loop that uses its counter as an index of a `memref<20xi32>`
    has at most 20 iterations, even if their number is the run-time extent of an
    array `? x i32 bound [20]`. The same holds for other loops of the same
    threads over that number, and for loops over warps over values that are
    computed from it. If all threads that access an element are of one warp, a
    barrier of the warp is sufficient. An access that no worker executes twice
    needs no barrier before the next iteration. An extent that exceeds its bound
    is out of bounds before it causes a race.

    A branch that is not taken has no effect. An index that is computed from
    data with one bit, or from masked or divided data, reaches only a part of an
    array.

    Lanes of a warp exchange data through barriers of the warp, which stand in
    the loops over warps. Data that warps write into an array of their block
    needs a barrier of the block. Each kind of barrier counts for both: after a
    barrier in its own code, all earlier accesses of the lanes of a warp are
    complete, and a barrier of the block also separates two iterations of a loop
    around the code of warps. No barrier orders different blocks.

    ```mlir
    // before
    scf.forall (%i) in (64) {
      memref.store %x, %a[%i] : memref<64xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%i) in (64) {
      %j = arith.subi %c63, %i : index
      %y = memref.load %a[%j] : memref<64xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    // after: between the two
    obs.barrier block {why = ["read after write of the array at k.mlir:3:8, written at k.mlir:6:5, read at k.mlir:10:10"]}
    ```
  }];
  let statistics = [
    Statistic<"blockBarriers", "block barriers", "Barriers of a block placed">,
    Statistic<"warpBarriers", "warp barriers", "Barriers of a warp placed">
  ];
}

def ObsPlanSharedPass : Pass<"obs-plan-shared", "::mlir::obs::KernelOp"> {
  let summary = "Assign an offset in one arena to every shared buffer";
  let description = [{
    Buffers share bytes when their lifetimes are disjoint and a block barrier
    already stands between the last use of one and the first use of the other,
    on every path, also around loops. Each buffer gets the attribute
    `obs.offset`, and the kernel gets `shared_bytes`. An array of a warp has one
    slice for each warp.

    If the arena is larger than `limit`, disjoint lifetimes are sufficient: the
    pass adds barriers, each with a remark.

    ```mlir
    // before
    %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
    // after
    %a = memref.alloc() {obs.offset = 0 : i64} : memref<64xi32, #obs.home<block, shared>>
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "::mlir::obs::sharedBytesOfBlock",
           "Shared memory of a block in bytes (227 KiB on sm_90)">
  ];
}

def ObsReuseArraysPass : Pass<"obs-reuse-arrays", "::mlir::obs::KernelOp"> {
  let summary = "Overwrite shared arrays in place";
  let description = [{
    A loop over the threads of a block may read an array for the last time and
    fill another one of the same type. If each iteration first reads elements
    of the old array, and then writes the same elements of the new array, the
    new array takes the place of the old one. Columns of a sorting network, in
    which a thread keeps several elements, are an example. In a loop of the
    thread, the read of an element may also be just before the write of the same
    element, as in a scan of a row.

    The pass does this only in kernels whose arrays need so much shared memory
    that a multiprocessor cannot execute 2048 threads at once. In other kernels,
    two arrays need fewer barriers than one.

    ```mlir
    // before
    %a = memref.alloc() : memref<256x33xi32, #obs.home<block, shared>>
    %b = memref.alloc() : memref<256x33xi32, #obs.home<block, shared>>
    S(%a)
    scf.forall (%t) in (256) {
      scf.for %j = ... { load %a[%t, %j] }
      scf.for %j = ... { store %b[%t, %j] {obs.contract = "disjoint"} }
    } {mapping = [#obs.map<block, thread>]}
    // after
    scf.forall (%t) in (256) {
      scf.for %j = ... { load %a[%t, %j] }
      scf.for %j = ... { store %a[%t, %j] {obs.contract = "disjoint"} }
    } {mapping = [#obs.map<block, thread>]}
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "::mlir::obs::sharedBytesOfBlock",
           "Shared memory of a multiprocessor in bytes (227 KiB on sm_90)">
  ];
  let statistics = [
    Statistic<"reused", "arrays reused", "Arrays that take the place of others">
  ];
}

def ObsSplitLeavesPass : Pass<"obs-split-leaves", "::mlir::obs::KernelOp"> {
  let summary = "Full chunks need no guards";
  let description = [{
    A loop of a block or warp over the elements of a chunk may have a guard in
    each iteration, because the last chunk is padded, or is not full. If a
    thread executes at least 32 iterations, the pass adds a copy of the loop
    without these guards. Before the loop, one test decides whether the guards
    hold in all iterations of all threads. The loop is one over threads, or one
    in the code of a thread. A thread of the grid has a test for each of its
    own chunks. A guard compares an index, which is a number from
    outside of the leaf loop plus a function of the counters, with a number from
    outside.

    A loop of a block that only copies rows of global memory into an array, for
    which a thread can have neighbours, has such a copy, too. The array must be
    one that all loops use at their iteration, as for a load ahead of its use.
    The test also decides whether rows begin at a multiple of 16 bytes, and
    `obs.items` states the number of neighbours in an access of 16 bytes.

    ```mlir
    // before, in a kernel with 32 threads
    scf.forall (%t) in (1024) {
      %i = arith.addi %begin, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside { S(%i) }
    } {mapping = [#obs.map<block, thread>]}
    // after
    %last = arith.addi %begin, %c1023 : index
    %all = arith.cmpi ult, %last, %n : index
    scf.if %all {
      scf.forall (%t) in (1024) {
        %i = arith.addi %begin, %t : index
        S(%i)
      } {mapping = [#obs.map<block, thread>]}
    } else {
      // the loop as it was
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ObsStageTablesPass : Pass<"obs-stage-tables", "::mlir::obs::KernelOp"> {
  let summary = "Read small tables from shared memory";
  let description = [{
    The lanes of a warp read a table at different indices if these depend on
    data, as those of a CRC do. The data cache serves few of them at a time, and
    shared memory many. If a loop over the grid reads a table of at most 4096
    bytes so, and a block reads at least 8 elements for each element of the
    table, each block copies the table first. The number of iterations of a
    thread is that of `obs.items`.

    `obs.offset` on the `memref.get_global` is the place of the copy, and a
    barrier at the begin of the kernel follows the copies, which
    `obs-map-levels` writes.

    ```mlir
    // before
    %t = memref.get_global @table : memref<256xi32>
    scf.forall (%i) in (%n) {
      %x = memref.load %a[%i] : memref<?xi32>
      %k = ... // from %x
      %y = memref.load %t[%k] : memref<256xi32>
    // after
    obs.barrier block
    %t = memref.get_global @table : memref<256xi32> {obs.offset = 0 : i64}
    scf.forall (%i) in (%n) { ... }
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "::mlir::obs::sharedBytesOfBlock",
           "Shared memory of a block in bytes (227 KiB on sm_90)">
  ];
}

def ObsTileGridPass : Pass<"obs-tile-grid", "::mlir::ModuleOp"> {
  let summary = "Choose the number of iterations that a thread of a grid executes together";
  let description = [{
    A thread that executes one iteration of an elementwise loop has one load in
    flight, of one element. This is too little to keep the memory of a GPU busy.
    The pass marks leaf loops over the grid with `obs.items`, the number of
    neighbouring iterations that a thread executes together. It is the number of
    elements in 16 bytes, for the widest elements of which neighbouring
    iterations access neighbours. `obs-write-tiles` writes the code. If the
    number of blocks of a launch is computed from extents, it is divided by the
    smallest `obs.items` of the kernel. If iterations contain loops, there are
    at least 1056 blocks, the number that the largest GPU executes at once. If
    the only loops are those over the rows of a stencil, 264 blocks are enough.

    A loop is unchanged if no access is contiguous, if it has fewer iterations
    than a tile, if a loop in its body depends on the iteration, or if the
    copies of its body would have more than 1024 operations. It is also
    unchanged if neighbouring iterations add to neighbouring elements, because
    then the lanes of a warp do this together. With `adds-vectors`, a thread
    adds to four neighbouring `f32`. Iterations of a
    leaf loop are independent, so results do not change.

    A loop over an array of rank 2 or more that limits the indices of rows, for
    example by `max(row - 1, 0)`, is a stencil: iterations of neighbouring rows
    read the same elements. A thread then executes the iterations of four rows
    of a plane, which are a loop with the attribute `obs.rows`.

    ```mlir
    // before
    scf.forall (%i) in (%n) {
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %b[%i] : memref<?xf32>
    } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
    // after
    scf.forall (%i) in (%n) {
      ...
    } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>, obs.items = 4 : i64}
    ```
  }];
  let options = [
    Option<"enable", "enable", "bool", "true",
           "False: a thread executes one iteration at a time">,
    Option<"addsVectors", "adds-vectors", "bool", "true",
           "The GPU adds to four neighbouring f32 by one instruction (sm_90)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ObsVerifyLevelsPass : Pass<"obs-verify-levels", "::mlir::obs::KernelOp"> {
  let summary = "Check the rules of level IR";
  let description = [{
    Every `scf.forall` has one `#obs.map` to threads and contains neither
    another one nor a barrier. Units are strictly nested. Conditions and bounds
    of control flow around leaf loops are uniform: the number of a warp is used
    only as the lower bound of a loop over warps. An array belongs to the level
    of the code that allocates it. The pass changes nothing.

    ```mlir
    // refused: the warps of a block disagree about the barrier
    %w = obs.worker_id <block, warp>
    %first = arith.cmpi eq, %w, %c0 : index
    scf.if %first {
      obs.barrier block
    }
    ```
  }];
}

def ObsWriteTilesPass : Pass<"obs-write-tiles", "::mlir::ModuleOp"> {
  let summary = "Replace a loop over tiles by copies of its body";
  let description = [{
    A loop over the threads of a grid with the attribute `obs.items` becomes a
    loop over tiles, which has two versions of the body. The first version is
    for full tiles: thread t of T executes the iterations v t to v t + v - 1 of
    the tile, without guards. Each operation has one copy for each iteration, so
    that all loads are in flight before the first result is used. The code
    generator joins the accesses of neighbours. The second version is the original loop, over the remaining
    iterations.

    Accesses are joined (`obs-align-accesses`) if the parameter has an alignment
    (`obs-align-arguments`), and if the rows of the array begin at a multiple of
    v. If the length of a row is a parameter, the kernel tests this once.
    Neighbours are then in one row: the first version divides once for each
    thread, and not for each element. The same holds for quotients, remainders
    and comparisons of the results if the first neighbour determines those of
    the others. If a condition is the same for all neighbours, they execute one
    branch together. An array of which the iteration with number i accesses
    element i only, by its indices, is accessed as an array of rank 1: its rows
    need no such length. If no access can be joined, the iterations
    of a thread are T apart. If the body contains loops, the original loop
    remains for fewer than 1056 tiles. If the body is a loop over rows
    (`obs.rows`), it remains for fewer than 32 tiles, and each row is then an
    iteration of its own.

    Indices may have guards: `min(max(i - 1, 0), n - 1)`, a remainder, or a
    comparison of an index with an extent. If an index is not near the border of
    an array, the result of its guard is known. The kernel tests the v
    neighbours of a thread together. If none is near a border, their code has no
    guards, and inner loops with constant bounds are unrolled. Otherwise, only
    the elements beside the v neighbours keep their guards in a row: of `i - 1`,
    `i` and `i + 1` for four neighbours, the first and the last of six elements.
    There, inner loops with constant bounds are unrolled, too, but not that over
    rows.
    If the rows do not begin at multiples of v, each iteration is tested, and
    has code without guards. The tests are also correct for indices that wrap
    around. The test for neighbours also decides whether all of them are on the
    same side of a limit, such as the middle of a row, on which a branch with
    accesses depends.

    ```mlir
    // before
    scf.for %i = %id to %n step %all {
      %x = memref.load %a[%i] : memref<?xf32>
      memref.store %x, %b[%i] : memref<?xf32>
    } {obs.items = 2 : i64}
    // after
    scf.for %tile = %block to %tiles step %blocks {
      %first = arith.muli %tile, %c512 : index
      %last = arith.addi %first, %c512 : index
      %full = arith.cmpi sle, %last, %n : index
      scf.if %full {
        %i = ... // %first + 2 * %thread
        %j = arith.addi %i, %c1 : index
        %x = memref.load %a[%i] : memref<?xf32>
        %y = memref.load %a[%j] : memref<?xf32>
        memref.store %x, %b[%i] : memref<?xf32>
        memref.store %y, %b[%j] : memref<?xf32>
      } else {
        scf.for %i = ... // from %first + %thread to min(%last, %n) step 256
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // OBSIDIAN_TRANSFORMS_LEVEL_PASSES_TD
