// A kernel is not launched if an array is not aligned as the kernel needs it.
// RUN: not obs-run %s --device=emulate --entry=main iota:8xi32 1 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: obs-run %s --device=emulate --entry=main iota:8xi32 4
// A part ends where the array does.
// RUN: not obs-run %s --device=emulate --entry=main iota:8xi32 8 2>&1 | FileCheck %s --check-prefix=PAST --implicit-check-not=error:

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nothing(%n: index, %a: memref<i32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
  func.func @main(%a: memref<?xi32>, %from: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    // PAST: parts.mlir:[[#@LINE+1]]:13: error: a part of 1 elements from element 8 on of an array of 8 elements
    %part = obs.part %a from %from extents(%c1) : memref<?xi32> to memref<?xi32>
    %p = memref.reinterpret_cast %part to offset: [0], sizes: [], strides: [] : memref<?xi32> to memref<i32>
    // CHECK: parts.mlir:[[#@LINE+1]]:5: error: kernel 'nothing' cannot be launched: an array argument does not begin at a multiple of 16 bytes
    gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%c1 : index, %p : memref<i32>)
    return
  }
}
