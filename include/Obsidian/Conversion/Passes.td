//===- Passes.td - Conversions -----------------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_CONVERSION_PASSES_TD
#define OBSIDIAN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsWidenLoopsPass : Pass<"obs-widen-loops"> {
  let summary = "Loops with far bounds or large steps, or whose counters of 64 bits may wrap";
  let description = [{
    A loop between two constants whose difference does not fit their type has a
    counter of type `index` after this pass. If the type has 64 bits, the loop
    runs over the number of its iteration. The same holds for an unsigned loop
    unless its step is a constant that is positive as a signed number.
    Canonicalization computes a wrong number of iterations for such loops, so
    pipelines run this pass first.

    A signed loop of 64 bits below level grid or in scalar code also runs over
    the number of its iteration if the sum of its step and its last counter may
    not fit the type. Loops with the step 1 are never of this kind. The pass
    runs before all passes that make loops of their own, because these run over
    indices of arrays, which are far from 2^63.

    ```mlir
    // before
    scf.for %i = %cm100 to %c100 step %c50 : i8 { S(%i) }
    // after
    %from = arith.index_cast %cm100 : i8 to index
    %to = arith.index_cast %c100 : i8 to index
    %step = arith.index_cast %c50 : i8 to index
    scf.for %k = %from to %to step %step {
      %i = arith.index_cast %k : index to i8
      S(%i)
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::obs::ObsDialect", "::mlir::scf::SCFDialect"
  ];
}

def ConvertObsToSCFPass : Pass<"convert-obs-to-scf", "::mlir::ModuleOp"> {
  let summary = "Convert arrays in kernels to buffers, and programs to loops";
  let description = [{
    The pass rewrites the body of every `obs.kernel` to level IR:

    - A leaf loop is an `scf.forall` with a `#obs.map<scope, thread>`.
    - A loop over blocks or warps is an `scf.for` that is already virtualised:
      it starts at `obs.worker_id`, and its step is `obs.worker_count`.
    - A forced array is a `memref.alloc` whose memory space is
      `#obs.home<owner, auto>`, or has the requested storage.
    - An array that a loop carries is a ring of two buffers. A carried slot
      number selects the buffer.
    - The counters of loops of level IR are signed and do not wrap. An
      `scf.for` that is unsigned, or whose last value plus the step may not fit
      its type, becomes a loop over `index` if its type has fewer than 64 bits,
      and otherwise a loop over the number of its iteration. Signed loops of 64
      bits whose end is known at run time only are left as they are.

    ```mlir
    // before
    obs.kernel @k(%a: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 32 : i64} {
      %v = obs.view %a : memref<64xi32>
      %c64 = arith.constant 64 : index
      %p = obs.fill par (%i) in (%c64) {
        %x = obs.get %v[%i] : !obs.pull<64 x i32>
        obs.write %x at [%i] : i32
      } : !obs.push<grid, 64 x i32>
      %r = obs.force %p into %out : !obs.push<grid, 64 x i32> into memref<64xi32>
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

    A write of contract `any` to memory with initial contents first tests whether
    the element already has the value. The load has the contract of the store.
    An atomic `and`, `or`, minimum or maximum of integers of 32 or 64 bits first
    tests whether it would change the element.

    ```mlir
    // before
    obs.write %true at [%k] : i1
    // after
    %x = memref.load %out[%k] {obs.contract = "any"} : memref<?xi1>
    %differs = arith.cmpi ne, %x, %true : i1
    scf.if %differs {
      memref.store %true, %out[%k] {obs.contract = "any"} : memref<?xi1>
    }
    ```

    The pass requires fused programs. No array type remains in a kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ConvertKernelsToNVVMPass
    : Pass<"convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels without structured control flow to NVVM";
  let description = [{
    This conversion replaces several passes of upstream. It differs from
    `convert-gpu-to-nvvm` where that pass loses precision, speed or memory:

    - `memref` arguments are plain pointers, in the order of the source.
    - Square root, `fma`, rounding and similar operations are instructions with
      exact rounding instead of calls of libdevice. Only functions that the
      hardware does not have, such as `math.exp`, call libdevice. Without
      libdevice, the pass refuses them.
    - `memref.atomic_rmw` and `memref.generic_atomic_rmw` have relaxed order.
      Their scope is the device, or the block in shared memory. They support all
      types of up to 64 bits, by compare-and-swap if there is no instruction.
      Both return the old value. An `or` with 0 is an atomic load.
    - A kernel with an atomic load waits for other blocks. Its registers are
      limited such that a multiprocessor executes 1024 threads of it.
    - Dynamic shared memory is an external array that is aligned to 128 bytes.
    - A constant that is added to an index is added to the address, so that
      accesses of neighbours have one base.

    Run `convert-scf-to-cf` before it.

    Example:

    ```mlir
    gpu.module @kernels {
      gpu.func @k(%a: memref<i32>, %x: i32) kernel {
        %old = memref.atomic_rmw addi %x, %a[] : (i32, memref<i32>) -> i32
        gpu.return
      }
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      llvm.func @k(%a: !llvm.ptr, %x: i32) attributes {gpu.kernel, nvvm.kernel} {
        %old = llvm.atomicrmw add %a, %x syncscope("device") monotonic : !llvm.ptr, i32
        llvm.return
      }
    }
    ```
  }];
  let options = [
    Option<"libdevice", "libdevice", "std::string", "",
           "The file libdevice.10.bc, or 'none'. By default, the pass searches "
           "the CUDA toolkit for it">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"
  ];
}

#endif // OBSIDIAN_CONVERSION_PASSES_TD
