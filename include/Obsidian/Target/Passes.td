//===- Passes.td - From kernels to NVVM and PTX -----------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_PASSES
#define OBSIDIAN_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToNVVMPass
    : Pass<"convert-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn kernels without structured control flow into NVVM";
  let description = [{
    Does in one conversion what upstream's passes do in several, and differs
    from `convert-gpu-to-nvvm` where that loses precision, speed or memory:

    - `memref` arguments are plain pointers, in the order of the source.
    - Square root, `fma`, rounding and the like are instructions with exact
      rounding instead of calls to libdevice. Only functions that the hardware
      does not have, such as `math.exp`, call libdevice; where none is found,
      they are rejected.
    - `memref.atomic_rmw` and `memref.generic_atomic_rmw` are relaxed and scoped
      to the device, or to the block in shared memory, and work on all types of
      up to 64 bits: by compare-and-swap where there is no instruction. Both
      give the old value.
    - Dynamic shared memory is an external array that is aligned to 128 bytes.

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
           "The file libdevice.10.bc, or 'none' to do without. By default it is "
           "looked for in the CUDA toolkit">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect"
  ];
}

def IsolateKernelsPass : Pass<"obs-isolate-kernels", "::mlir::ModuleOp"> {
  let summary = "Erase all but the modules of kernels";
  let description = [{
    For looking at, or compiling, the kernels of a program by themselves.

    Example:

    ```mlir
    func.func @main() {
      return
    }
    gpu.module @kernels {
      gpu.func @k() kernel { gpu.return }
    }
    ```

    becomes

    ```mlir
    gpu.module @kernels {
      gpu.func @k() kernel { gpu.return }
    }
    ```
  }];
}

def SerializeKernelsPass
    : Pass<"obs-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Replace modules of NVVM kernels by their PTX";
  let description = [{
    Every `gpu.module` becomes a `gpu.binary` of the same name that holds the
    PTX. It must be in the NVVM dialect, as after `convert-kernels-to-nvvm`.

    Example:

    ```mlir
    gpu.module @kernels {
      llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
        llvm.return
      }
    }
    ```

    becomes

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "...">]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"", "The GPU to compile for">,
    Option<"libdevice", "libdevice", "std::string", "",
           "As for convert-kernels-to-nvvm">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // OBSIDIAN_TARGET_PASSES
