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

#endif // OBSIDIAN_REPORTS_PASSES
