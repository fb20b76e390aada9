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
  let summary = "Say what every barrier of every kernel is for";
  let description = [{
    For each barrier a remark at the statement that waits, with a note for every
    pair of accesses that needs it: the array, where it is forced, and where the
    two accesses are in the source. A last remark for each kernel counts its
    barriers.

    The input is a program over arrays, which is compiled as far as
    `obs-plan-shared` on the side, or level IR in which barriers are placed. The
    IR is not changed. Lowered kernels (`gpu.func`) have lost the reasons and are
    refused: `[report-stage]`.

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
  let summary = "Print what every kernel costs";
  let description = [{
    Prints, for each kernel, to the standard output:

    - the threads of a block that the program has and those that are launched;
    - registers that arrays and loops take in each thread, and the map of the
      shared memory, with the places between which each array is alive; what
      collectives take of both;
    - barriers, and how often they are executed for one part of the grid (those
      of warps: by all warps together);
    - loops over threads with the operations of one iteration: on values that
      get stored, on floating-point numbers, functions of these (such as roots)
      and integers, and for indices and conditions;
    - every access: the kind of memory, the type (of one element, unless it is a
      vector), the place in the source, the sectors of 32 bytes of a request of
      a warp (global memory) or its bank-conflict degree (shared memory), on
      average and at most, and the bytes in all. An access by all threads
      together counts once. Reads of the registers of other lanes are shuffles;
    - bytes and operations in all;
    - how often `obs.map` and `obs.generate` compute an element, and in how many
      places of the code.

    Where a number depends on sizes that are known at run time, it is a formula
    of the arguments of the kernel, such as `4 * arg0.dim0`; where it depends on
    conditions, the most that it can be. `?` stands for what is not known.

    Sectors are counted as if arrays began at a multiple of a sector. Where the
    number of iterations is known at run time only, the first 16 rounds count.
    Numbers that hold `inside of large arrays` were found for a part of the grid
    away from all borders, with rows that begin at a multiple of a sector.

    The input is a program over arrays, which is compiled on the side, or level
    IR after `obs-plan-shared`. The IR is not changed. Lowered kernels
    (`gpu.func`) are refused: `[report-stage]`.

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
           "Threads of a block, as for obs-to-gpu">
  ];
}

def ObsCheckRacesPass : Pass<"obs-check-races", "::mlir::ModuleOp"> {
  let summary = "Prove that lowered kernels have no races, or show two threads";
  let description = [{
    For every kernel (`gpu.func`, as `obs-to-gpu` leaves it) and every two
    accesses to shared or global memory of which one writes: either no barrier
    can be missing between them, or two different threads are named that reach
    the same byte. Nothing is run, and nothing is asked of the passes that placed
    the barriers.

    The pass goes through the control flow once for pairs of lanes of a warp, once
    for pairs of warps of a block, once for pairs of blocks, with the barriers
    that each pair waits at. It keeps for each access since the last one how many
    turns of which loops ago it was. Each pair is a question about integers: the
    numbers of the two threads, the turns of the loops around, and what the kernel
    does not know (sizes, data). It is answered by trying all numbers where they
    are few, and by Presburger arithmetic elsewhere. Amounts of shifts that are
    known at run time only are tried one by one, as far as the loops that they
    come from let them be together.

    Taken for granted of all kernels: different arguments are different memory,
    unless they are marked; index arithmetic does not wrap; blocks have the number
    of threads that the kernel says. What else an answer rests on, it says:

    - Indices are taken to be within their arrays. The pass tries to prove that of
      each access, apart from races, and names those where it could not:
      "given that the indices of 2 of 5 accesses are in bounds". They depend on
      data, mostly, or on sizes that nothing relates. Where the program with the
      launches is at hand, sizes that all of them give equal are equal there.
    - Under contract: a store that has the contract `any` or `disjoint unchecked`
      may meet itself, in the same run of the loops around it where the array is
      in shared memory. Its copies are that store, too (`obs.origin` is the same
      number): `obs-map-levels` makes them where it writes the iterations of a
      thread one by one. Accesses that are `published` are kept apart by flags;
      numbers that blocks draw from a counter are different, even if other
      elements of the counter's array are written in other ways. Notes name them.

    Errors: `[race]` names two threads, the byte or element, and both places;
    `[race-unproved]` stands where the answer depends on data or on arithmetic
    that is out of reach; `[barrier-divergence]` where a thread can miss a barrier,
    or a lane a shuffle, that others wait at; `[race-stage]` for kernels that are
    not of `obs-to-gpu`, and for all that the pass would overlook: accesses by
    other operations, memory of which it is not known what it is, and blocks of
    several dimensions.

    ```
    turn.mlir:9:10: remark: kernel 'turn' is proved free of races, with blocks of 64 threads
    ```

    and without the barrier

    ```
    turn.mlir:9:10: error: [race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 0 and 1, byte 4
    turn.mlir:6:10: note: the first access is the write here
    ```
  }];
}

#endif // OBSIDIAN_REPORTS_PASSES
