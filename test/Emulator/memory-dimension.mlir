// A kernel asks for an extent by a number of the dimension that only a run knows.

// RUN: obs-run %s zeros:2x5xi32 1 zeros:1xi32 --device=emulate | FileCheck %s
// RUN: not obs-run %s zeros:2x5xi32 2 zeros:1xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not obs-run %s zeros:2x5xi32 -1 zeros:1xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: [[#@LINE+9]]:12: error: arithmetic: the memory does not have this dimension (thread 0 of block 0)

// CHECK: [5]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<i32>, %n: index, %out: memref<1xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %m = memref.reinterpret_cast %a to offset: [0], sizes: [2, 5], strides: [5, 1] : memref<i32> to memref<2x5xi32>
      %dynamic = memref.cast %m : memref<2x5xi32> to memref<?x?xi32>
      %d = memref.dim %dynamic, %n : memref<?x?xi32>
      %x = arith.index_cast %d : index to i32
      memref.store %x, %out[%c0] : memref<1xi32>
      gpu.return
    }
  }
  func.func @main(%a: memref<2x5xi32>, %n: index, %out: memref<1xi32>) -> memref<1xi32> {
    %c1 = arith.constant 1 : index
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<2x5xi32> to memref<i32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<i32>, %n : index, %out : memref<1xi32>)
    return %out : memref<1xi32>
  }
}
