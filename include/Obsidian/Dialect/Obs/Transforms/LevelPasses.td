//===- LevelPasses.td - Passes on level IR --------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELPASSES_TD
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELPASSES_TD

include "mlir/Pass/PassBase.td"

def ObsAssignBanksPass : Pass<"obs-assign-banks", "::mlir::obs::KernelOp"> {
  let summary = "Spread shared arrays over the banks of shared memory";
  let description = [{
    Shared memory has 32 banks of 4 bytes; lanes of a warp that want different
    words of one bank wait for each other. For each shared array whose accesses
    conflict, this pass compares where elements can be: rows with 1 to 32
    elements of padding, or the last index xored with the number of the row (for
    an array of one row, of the 128 bytes that hold one word of each bank). The
    least number of wavefronts wins, of all accesses whose indices are known, in
    all turns of counted loops around (up to 64). Padding costs memory only; a
    xor must save a quarter of the wavefronts.

    `obs-report-cost` prints the degree of conflicts of each access.

    ```mlir
    // before: a column is in one bank
    %a = memref.alloc() : memref<32x32xi32, #obs.home<block, shared>>
    // after
    %a = memref.alloc() : memref<32x33xi32, #obs.home<block, shared>>
    ```

    Barriers are placed before: afterwards an index need not be the number of an
    iteration any more.
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
  let summary = "Decide where every forced array lives";
  let description = [{
    Replaces `auto` in the memory space of every buffer: arrays of a thread live
    in registers (private memory), those of a block mostly in shared memory.

    An array of a warp lives in the registers of its lanes, element e with lane
    e mod 32, if it has at most 32 elements for each, and it is known which
    registers each access can mean. A loop that writes other elements than those
    of its own lane, such as comparators that write two, is run by the owners of
    what it writes. `obs-map-levels` makes reads of other lanes' elements
    shuffles. Else the array lives in shared memory.

    An array of a block of which no element is used by two threads is in their
    registers: accumulators are. A thread that has several elements, since the
    array has more than the block has threads, needs to know which one it means
    when the code is written: step s of a leaf loop, its iteration s T + t or,
    if it is `blocked`, t q + s for thread t, reaches one register in all threads.
    `obs.registers` is the number of elements of each thread. The two slots of a
    ring are the same registers if every read is of the slot that was written last,
    also where loops in loops carry it on.

    `obs-map-levels` writes the steps of such loops out. So without being asked for
    registers, loops of at most 16 steps become them, of at most 4096 operations
    when written out, and all arrays of the block take at most half the registers
    that its threads can have, up to 128. If the program asks for them, 64 for each
    array are the limit.

    If other threads than the writers read at most an eighth of an array of the
    block, it is split: what a thread reads of its own is an array for itself, in
    a register, and only what others read is stored. The last array of a scan is
    read like that, for the total.

    A table that the lanes of a warp always read one element of, as the index
    algebra shows, is marked `obs.constant`: the constant cache serves one address
    at a time. `obs-map-levels` puts it there if all kernels read it so, and the
    program's own tables `in constant` leave room in the 65536 bytes of a module.

    An explicit home is obeyed or refused: the note says what is in the way.

    ```mlir
    // before
    %a = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
    // after
    %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
    ```
  }];
}

def ObsAssignLayoutsPass : Pass<"obs-assign-layouts", "::mlir::obs::KernelOp"> {
  let summary = "Decide which worker runs which iteration of every leaf loop";
  let description = [{
    Gives every leaf loop an `obs.distribution`, `striped` unless it has one:
    neighbouring workers take neighbouring iterations, so that accesses at the
    loop's own index coalesce.

    If a program asks for a block's array in registers, the loops that use it are
    `blocked` where that, and not `striped`, gives each element to one thread: a
    loop with an iteration for each thread uses runs of neighbours, for example.

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
    Leaf loops become loops over virtual threads with as few guards as the
    extents allow, shared buffers views of one dynamic arena, arrays of threads
    `memref.alloca`, barriers `gpu.barrier` and `nvvm.bar.warp.sync`. Entry
    points take plain pointers (`memref<T>`), extents and scalars in the order
    of the source; the dynamic extents of an array follow it.

    A loop of `n` iterations on `T` threads becomes

    | n            | code                                             |
    |--------------|--------------------------------------------------|
    | n = T        | the body                                         |
    | n < T        | the body under `thread < n`                      |
    | n = q T      | a loop of q steps                                |
    | else         | `for i = thread; i < n; i += T`                  |

    and with `obs.distribution = #obs.distribution<blocked>` a loop over a run of
    `ceil(n / T)` neighbours. Loops that use several registers of an array of the
    block are written out, step by step, side by side: what is the same in all steps
    stands there once, and a loop in the body stays one, for all steps.

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

def ObsMergeKernelsPass : Pass<"obs-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile once what several launches run";
  let description = [{
    Kernels to which the source gives the same name, or none, often have the same
    code: the same function was called for arrays of several sizes, which are
    arguments. Those that are equal but for source positions become one, and so
    their launches differ in arguments only, in one host function or in several.
    Kernels that the source names differently stay, since each name is an entry
    point.

    So are kernels for arrays of several static shapes, if their code differs
    only in bounds of loops over the iterations of a grid, which are constants:
    such a bound becomes a parameter, whose `llvm.range` keeps what was known of
    it, and the launches pass the constants. What an iteration is subtracted
    from, `n - 1` in `n - 1 - i`, is computed from the parameter, once for each
    thread, if it is the bound, or a constant more or less, in all of them. All
    other numbers are part of the code: sizes of shared memory, offsets, strides
    and divisors, and what indices are compared with. Arrays get the
    extents that fit all launches.

    `obs.entry` says what the source calls a kernel whose name was taken,
    and `obs.unnamed` that it has no name for it.

    ```mlir
    // before
    gpu.launch_func @kernels::@square blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%x : memref<f32>, %n : index)
    gpu.launch_func @kernels::@square_0 blocks in (%d, %c1, %c1) threads in (%t, %c1, %c1) args(%y : memref<f32>, %m : index)
    // after
    gpu.launch_func @kernels::@square blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%x : memref<f32>, %n : index)
    gpu.launch_func @kernels::@square blocks in (%d, %c1, %c1) threads in (%t, %c1, %c1) args(%y : memref<f32>, %m : index)

    // before, and in @twice_0 up to %c1024
    gpu.func @twice(%a: memref<f32>) kernel {
      scf.for %i = %id to %c512 step %all { ... }
    // after
    gpu.func @twice(%a: memref<f32>, %n: index {llvm.range = #llvm.constant_range<i64, 512, 1025>}) kernel {
      scf.for %i = %id to %n step %all { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"merged", "kernels merged", "Kernels that another one replaces">
  ];
}

def ObsMergeResultsPass : Pass<"obs-merge-results", "::mlir::obs::KernelOp"> {
  let summary = "Run once what several results of a kernel have in common";
  let description = [{
    Each result of a force is a loop over instances of its own. Where a
    sub-program yields several arrays, these loops force the same arrays first.
    This pass merges loops over the same instances of the grid that begin with
    equal operations on equal arrays, and keeps these once.

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

    Needs values that are equal to be one value: run `cse` before.
  }];
}

def ObsPlaceBarriersPass : Pass<"obs-place-barriers", "::mlir::obs::KernelOp"> {
  let summary = "Put a barrier wherever threads exchange data";
  let description = [{
    Goes through the kernel as a block or warp executes it and keeps the accesses
    since the last barrier. Before a statement with an access that conflicts with
    one of them (read after write, write after read, write after initial
    contents, or any of them in the next iteration of a loop) stands a barrier,
    which keeps its reasons: the kind of hazard, the array, and both accesses.
    Two slots of a ring are different memory; accesses of one thread to what it
    alone writes need no barrier. Afterwards each barrier is taken away that
    leaves no conflict when it goes.

    How many iterations a loop has at most decides which threads can meet, and
    whether anything waits for a next turn. It is known from constants, and from
    types: no index is outside of its array at run time, so a loop that uses
    its counter as an index of a `memref<20xi32>` has at most 20 iterations, even
    if their number is the run-time extent of an array `? x i32 bound [20]`.
    So have other loops of the same threads over that number, and loops over
    warps over what is computed from it. Where the threads that meet are then of
    one warp, its barrier is enough, and what no worker does twice waits for no
    next turn. A program that breaks such a bound is out of bounds first.

    What a branch would do that is never taken is nothing. Data that has one bit,
    or is masked or divided, reaches a part of an array only.

    Lanes of a warp exchange data through barriers of the warp, which stand in
    the loops over warps; what warps write into an array of their block waits
    for the block. Both kinds count for each other: a warp that has waited in its
    own code has seen what its lanes did before that, and a barrier of the block
    stands between two turns of a loop around the code of warps as well. Nothing
    orders different blocks.

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
  let summary = "Give every shared buffer its place in one arena";
  let description = [{
    Buffers share bytes when their lifetimes are disjoint and a block barrier
    already stands between the last use of one and the first use of the other,
    on every path, also around loops. Each buffer gets `obs.offset`, the kernel
    `shared_bytes`. An array of a warp has one slice for each warp.

    When that is more than `limit`, disjoint lifetimes are enough: barriers are
    added, each with a remark.

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

def ObsVerifyLevelsPass : Pass<"obs-verify-levels", "::mlir::obs::KernelOp"> {
  let summary = "Check what must hold between the passes on level IR";
  let description = [{
    Every `scf.forall` has one `#obs.map` to threads and contains neither another
    one nor a barrier; units are strictly nested; what decides about loops and
    branches around leaf loops is uniform: the number of a warp is only where a
    loop over warps starts. An array belongs to the level of the code that
    allocates it. Changes nothing.

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

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELPASSES_TD
