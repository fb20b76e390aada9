//===- Passes.td - From NVVM to PTX ------------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_PASSES_TD
#define OBSIDIAN_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def IsolateKernelsPass : Pass<"obs-isolate-kernels", "::mlir::ModuleOp"> {
  let summary = "Erase all but the modules of kernels";
  let description = [{
    Use this pass to inspect or compile the kernels of a program separately.

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

#endif // OBSIDIAN_TARGET_PASSES_TD
