// Kernels of other tools: the conversion refuses unknown operations with their place.

// RUN: split-file %s %t
// RUN: not obs-translate --obs-to-ptx %t/operation.mlir 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not obs-translate --obs-to-llvmir %t/operation.mlir 2>&1 | FileCheck %s --check-prefix=OPERATION
// OPERATION: operation.mlir:5:8: error: 'gpu.grid_dim' op stands outside of a function; a gpu.module holds functions and tables
// RUN: not obs-opt --obs-to-nvvm %t/extents.mlir 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: extents.mlir:2:3: error: 'gpu.func' op has argument 0 of type 'memref<?xf32>', which carries extents; pass memory of a static shape, as obs-to-gpu does, and the extents as index
// RUN: not obs-translate --obs-to-ptx %t/floats.mlir 2>&1 | FileCheck %s --check-prefix=FLOATS
// FLOATS: floats.mlir:3:3: error: 'gpu.func' op has a value of type 'f80', which GPUs do not have; use f16, bf16, f32 or f64

//--- operation.mlir
gpu.module @kernels {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
  %g = gpu.grid_dim x
}

//--- extents.mlir
gpu.module @m {
  gpu.func @k(%a: memref<?xf32>) kernel {
    gpu.return
  }
}

//--- floats.mlir
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%x: f80) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
}
