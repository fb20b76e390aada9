//===- Passes.td - Passes of the emulator -----------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_PASSES
#define OBSIDIAN_EMULATOR_PASSES

include "mlir/Pass/PassBase.td"

def ConvertGPUToEmulatorPass
    : Pass<"convert-gpu-to-emulator", "::mlir::ModuleOp"> {
  let summary = "Convert GPU kernels to CPU functions that the emulator runs";
  let description = [{
    Replaces every `gpu.module` by a `builtin.module` of the same name in which
    each kernel is a function of one logical thread:

    ```mlir
    func.func @kernel.name(%thread: !llvm.ptr, %params: !llvm.ptr)
    ```

    `%thread` points to the state of the thread (its ids, its block, the shared
    memory of the block), `%params` to an array with one pointer per kernel
    argument, as for `cuLaunchKernel`. Operations that need other threads or the
    machine become calls of the runtime:

    | in the kernel | call |
    |---|---|
    | `gpu.barrier` | `obs_emu_block_barrier` |
    | `nvvm.bar.warp.sync` | `obs_emu_warp_barrier` |
    | `gpu.shuffle` | `obs_emu_shuffle` |
    | `gpu.printf` | `obs_emu_printf` |
    | a failed `cf.assert` | `obs_emu_assert_failed` |
    | an index outside of its memref | `obs_emu_index_failed` |
    | before a load or a store | `obs_emu_access` |
    | before an atomic or a volatile access | `obs_emu_sync_access` |
    | a fence of the LLVM or NVVM dialect | `obs_emu_fence` |
    | each iteration of an `scf.while` | `obs_emu_poll` |
    | a `memref.alloca`, if private memory is watched | `obs_emu_private_begins` |

    Operations between blocks, such as `obs.ticket`, are expanded before, as by
    `obs-expand-exchanges`.

    Each call carries the number of its *site*. The attribute `emulator.sites`
    of the new module lists the sites with their kinds, sizes and source
    locations. So a run-time error names the line in the source. Names of
    kernels get the prefix `kernel.`, and names of globals the prefix `global.`.
    Otherwise `math.exp` could call a kernel named `exp`.

    A site of an access also has the location of the buffer and the contract of
    the store, from the attribute `obs.contract`.

    Accesses of a `memref.alloca` have only the index check, so that LLVM can
    keep the array in registers. If private memory is watched, they are treated
    as all other accesses. Allocations of static shape move to the entry of the
    function. Memory spaces are removed: all memory is in one address space, and
    the runtime determines the kind of memory from the address.

    All threads of a machine run on one thread of the host. So an atomic
    operation is a load, the operation, and a store without a yield in between.
    `memref.atomic_rmw` and `memref.generic_atomic_rmw` return the old value, as
    the instructions of the GPU do.

    Example:

    ```mlir
    gpu.module @kernels {
      gpu.func @k(%a: memref<f32>) kernel { gpu.barrier gpu.return }
    }
    ```

    becomes

    ```mlir
    module @kernels attributes {emulator.sites = [...]} {
      func.func private @obs_emu_block_barrier(!llvm.ptr, i32)
      func.func @kernel.k(%thread: !llvm.ptr, %params: !llvm.ptr)
          attributes {emulator.kernel = {...}} {
        %0 = arith.constant 0 : i32
        func.call @obs_emu_block_barrier(%thread, %0) : (!llvm.ptr, i32) -> ()
        ...
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // OBSIDIAN_EMULATOR_PASSES
