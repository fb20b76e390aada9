//===- Passes.td - Reports on kernels ----------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_PASSES
#define OBSIDIAN_REPORTS_PASSES

include "mlir/Pass/PassBase.td"

def ObsExplainBarriersPass : Pass<"obs-explain-barriers", "::mlir::ModuleOp"> {
  let summary = "Report the reasons for every barrier";
  let description = [{
    The pass reports each barrier in a remark at the statement that waits. A
    note for every pair of accesses that needs the barrier names the array, the
    location of its force, and the locations of the two accesses in the source.
    A last remark for each kernel counts its barriers.

    The input is a program over arrays, or level IR with barriers. The pass
    compiles a copy of the program up to `obs-plan-shared`, and does not change
    the IR. It refuses lowered kernels (`gpu.func`), because they have lost the
    reasons: `[report-stage]`.

    For the sum of 8 numbers by pairs:

    ```
    sum.mlir:9:10: remark: barrier of a warp
    sum.mlir:9:10: note: read after write of the array at sum.mlir:7:10, written at sum.mlir:7:10, read at sum.mlir:8:9
    sum.mlir:3:1: remark: kernel 'sum': 3 barriers of a warp
    ```
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads of a block, as for obs-to-gpu">
  ];
}

def ObsReportCostPass : Pass<"obs-report-cost", "::mlir::ModuleOp"> {
  let summary = "Print the costs of every kernel";
  let description = [{
    The pass prints the following for each kernel, to the standard output:

    - the number of threads of a block in the program, and the number that is
      launched;
    - registers that arrays and loops use in each thread, and the layout of the
      shared memory, with the locations between which each array is live; the
      share of collectives in both;
    - barriers, and the number of their executions for one part of the grid
      (barriers of warps: the sum over all warps);
    - loops over threads with the operations of one iteration: operations on
      floats, functions of floats (such as roots) and operations on integers for
      values that are stored, and operations for indices and conditions;
    - every access: the kind of memory, the type (of one element, unless it is a
      vector), the location in the source, the sectors of 32 bytes of a request of
      a warp (global memory) or its bank-conflict degree (shared memory), on
      average and at most, and the sum of the bytes. An access by all threads
      together counts once. Reads of the registers of other lanes are shuffles;
    - the sum of all bytes and operations;
    - the number of elements that each `obs.map` and `obs.generate` computes,
      and the number of places in the code that compute them.

    A number that depends on sizes that are known at run time is a formula of
    the arguments of the kernel, such as `4 * arg0.dim0`. A number that depends
    on conditions is an upper limit. `?` stands for an unknown number.

    Accesses of a thread to neighbouring elements become one access of up to 16
    bytes, and share its sectors. If a thread executes several iterations side
    by side, an element that all of them read counts once, as in a launch with
    enough tiles (see `obs-tile-grid`). `json` prints the report as JSON, with
    the sums of all sectors, wavefronts and bank conflicts of an access.

    Sectors are counted as if arrays began at a multiple of a sector. If the
    number of iterations is known at run time only, the first 16 iterations of
    each thread count. Numbers that hold `inside of large arrays` were computed
    for a part of the grid that is not near a border, with rows that begin at a
    multiple of a sector.

    The input is a program over arrays, or level IR after `obs-plan-shared`. The
    pass compiles a copy of the program, and does not change the IR. It refuses
    lowered kernels (`gpu.func`): `[report-stage]`.

    For `r[i] = a[i] + 1` of any length:

    ```
    kernel 'add' at add.mlir:7:8
      threads of a block: 256 logical, 256 launched
      registers of a thread: 0 hold arrays at one time, 0 carry values around loops
      shared memory of a block: 0 bytes
      barriers: 0 of a block, 0 of a warp
      loops over threads and accesses:
        arg0.dim0 iterations in a grid at add.mlir:6:8, each 1 integer operation
          read global i32 at add.mlir:6:8, 4 sectors per request, 4 * arg0.dim0 bytes
          write global i32 at add.mlir:6:8, 4 sectors per request, 4 * arg0.dim0 bytes
      global memory: 4 * arg0.dim0 bytes read, 4 * arg0.dim0 bytes written
      in loops over threads: arg0.dim0 integer operations
      virtual arrays computed:
        obs.map at add.mlir:3:8, in 1 place: arg0.dim0 elements
    ```
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads of a block, as for obs-to-gpu">,
    Option<"json", "json", "bool", "false",
           "Print the report as JSON, which docs/Embedding.md describes">
  ];
}

def ObsCheckRacesPass : Pass<"obs-check-races", "::mlir::ModuleOp"> {
  let summary = "Prove that lowered kernels have no races, or show two threads";
  let description = [{
    The input is kernels (`gpu.func`), as `obs-to-gpu` writes them. For every
    two accesses to shared or global memory of which one writes, the pass proves
    that no barrier is missing between them, or names two different threads that
    access the same byte. It executes nothing, and uses no result of the passes
    that placed the barriers.

    The pass follows the control flow once for pairs of lanes of a warp, once
    for pairs of warps of a block, and once for pairs of blocks, with the
    barriers at which each pair waits. For each access since the last barrier,
    it keeps the number of loop iterations since then. Each pair of accesses is
    a question about integers: the numbers of the two threads, the iterations of
    the surrounding loops, and the values that the kernel does not know (sizes,
    data). If these numbers are few, the pass tries all of them. Otherwise it
    uses Presburger arithmetic. If shift amounts are known at run time only, it
    tries them one by one, in the combinations that their loops allow.

    The pass assumes for all kernels that different arguments are different
    memory unless they are marked, that index arithmetic does not wrap, and that
    blocks have the number of threads that the kernel states. An answer names
    its other assumptions:

    - Indices are assumed to be within their arrays. The pass tries to prove
      this separately for each access, and names the accesses for which it
      cannot: "given that the indices of 2 of 5 accesses are in bounds". Most of
      these indices depend on data, or on unrelated sizes. If the input contains
      the launches, sizes that are equal in all launches count as equal.
    - Under contract: two threads may write one byte by the same store if it has
      the contract `any` or `disjoint unchecked`. Both writes are of the same
      iteration of each loop around the force of the store: `obs.loop` numbers
      these loops, and `obs.outer_loops` of the store names them. If the array
      is in shared memory, this also holds for each other loop around the store
      that has a barrier. Copies of a store, which `obs-map-levels` makes
      if it unrolls the iterations of a thread, count as the same store (they
      have the same `obs.origin`). A load with contract `any` may read what
      another thread stores as `any`, if the loaded value only decides whether
      its thread stores to this element. A flag separates a store and a load
      that are `published`: a release fence and an atomic operation follow the
      store, and before the load, an atomic operation decides whether the thread
      comes there, and an acquire fence follows it. The pass checks this code. It
      assumes that the flag belongs to the element. Numbers that blocks draw
      from one counter are different, even if other elements of the counter's
      array are written in other ways. Notes name these accesses.

    There are four errors:

    - `[race]` names two threads, the byte or element, and both locations.
    - `[race-unproved]`: the answer depends on data, or on arithmetic that the
      pass cannot analyse.
    - `[barrier-divergence]`: a thread can miss a barrier at which others wait,
      or a lane can miss a shuffle.
    - `[race-stage]`: the kernel is not a result of `obs-to-gpu`, or contains a
      construct that the pass does not model: accesses by other operations,
      memory of unknown origin, or blocks of several dimensions. Or a launch
      passes one array as two parameters that are not marked.

    For a kernel with its barrier:

    ```
    turn.mlir:9:10: remark: kernel 'turn' is proved free of races, with blocks of 64 threads
    ```

    For the same kernel without the barrier:

    ```
    turn.mlir:9:10: error: [race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 0 and 1, byte 4
    turn.mlir:6:10: note: the first access is the write here
    ```
  }];
}

#endif // OBSIDIAN_REPORTS_PASSES
