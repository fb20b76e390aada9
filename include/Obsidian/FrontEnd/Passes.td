//===- Passes.td - Programs of other dialects as obs -------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_PASSES_TD
#define OBSIDIAN_FRONTEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToObsPass : Pass<"convert-linalg-to-obs", "::mlir::ModuleOp"> {
  let summary = "Convert functions on tensors to programs over arrays";
  let description = [{
    Each public function with tensors becomes a host function. Private functions
    with tensors are inlined, and other functions stay as they are. The builder
    in `include/Obsidian/FrontEnd/ArrayBuilder.h` chooses levels and storage.

    A parameter or result of a tensor type becomes a pull array. A tensor of
    rank 0 is an array of one element. A memref stays a memref: each operation
    on it reads a view, and stores its results there by one kernel.
    [Linalg.md](../Linalg.md) has the table of operations.

    ```mlir
    // before
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.map { math.exp } ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>)
      return %r : tensor<?xf32>
    }
    // after
    func.func @main(%x: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %y = obs.map { math.exp } %x : !obs.pull<? x f32>
      %r = obs.force %y : !obs.pull<? x f32>
      return %r : !obs.pull<? x f32>
    }
    ```

    An operation that cannot be converted causes an error at its location, and
    the module is unchanged.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::obs::ObsDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ObsImportStableHLOPass : Pass<"obs-import-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Convert functions of StableHLO to array operations of obs";
  let description = [{
    The input is the generic form of StableHLO, as JAX prints it. The dialect is
    not registered, so `obs-opt` needs `--allow-unregistered-dialect`. Each
    public function becomes a host function, and private ones are inlined. The
    builder in `include/Obsidian/FrontEnd/ArrayBuilder.h` chooses levels and
    storage.

    A parameter of rank 0 becomes a scalar, and a result of rank 0 an array of
    one element. [StableHLO.md](../StableHLO.md) has the table of operations.

    ```mlir
    // before
    "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "main"}> ({
    ^bb0(%x: tensor<8xf32>):
      %y = "stablehlo.exponential"(%x) : (tensor<8xf32>) -> tensor<8xf32>
      "func.return"(%y) : (tensor<8xf32>) -> ()
    }) : () -> ()
    // after
    func.func @main(%x: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
      %y = obs.map { math.exp } %x : !obs.pull<8 x f32>
      %r = obs.force %y : !obs.pull<8 x f32>
      return %r : !obs.pull<8 x f32>
    }
    ```

    An operation that cannot be converted causes an error at its location, and
    the module is unchanged.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::obs::ObsDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // OBSIDIAN_FRONTEND_PASSES_TD
