//===- Passes.td - Conversions out of obs ---------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_CONVERSION_PASSES_TD
#define OBSIDIAN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertObsToSCFPass : Pass<"convert-obs-to-scf", "::mlir::ModuleOp"> {
  let summary = "Arrays in kernels become buffers, programs become loops";
  let description = [{
    Rewrites the body of every `obs.kernel` to level IR: leaf loops are
    `scf.forall` with a `#obs.map<scope, thread>`; loops over blocks and warps
    are already virtualised `scf.for` that start at `obs.worker_id` and step by
    `obs.worker_count`; forced arrays are `memref.alloc` whose memory space is
    `#obs.home<owner, auto>` (or the storage asked for); arrays that a loop
    carries are rings of two buffers, addressed by a carried slot number; an
    `scf.for unsigned` becomes a loop over the number of its iteration, so that
    all loops of level IR compare with signs.

    ```mlir
    // before
    obs.kernel @k(%a: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 32 : i64} {
      %v = obs.view %a : memref<64xi32>
      %c64 = arith.constant 64 : index
      %p = obs.fill par (%i) in (%c64) {
        %x = obs.get %v[%i] : !obs.pull<64 x i32>
        obs.write %x at [%i] : i32
      } : !obs.push<grid, 64 x i32>
      %r = obs.force %p into %out : !obs.push<grid, 64 x i32> into memref<64xi32> -> !obs.pull<64 x i32>
    }
    // after
    obs.kernel @k(%a: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 32 : i64} {
      %c64 = arith.constant 64 : index
      scf.forall (%i) in (%c64) {
        %x = memref.load %a[%i] : memref<64xi32>
        memref.store %x, %out[%i] : memref<64xi32>
      } {mapping = [#obs.map<grid, thread>]}
    }
    ```

    Needs fused programs. No array type is left in a kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // OBSIDIAN_CONVERSION_PASSES_TD
