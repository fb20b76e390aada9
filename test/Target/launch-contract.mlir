// RUN: obs-translate --obs-to-launch-json --chip=sm_80 %s -o %t.json
// RUN: FileCheck %s < %t.json --implicit-check-not=waitsForKernels
// REQUIRES: python
// RUN: %python %S/Inputs/check-contract.py %t.json

// RUN: obs-translate --obs-to-launch-json --chip=sm_90 %s | FileCheck %s --check-prefix=WAITS
// RUN: obs-translate --obs-to-launch-json --chip=sm_120a %s | FileCheck %s --check-prefix=WAITS
// WAITS: "sharedBytes": 384,
// WAITS-NEXT: "waitsForKernels": true,
// WAITS-NEXT: "workspace": []

// The kernel is given by hand, so the parameters and the grid have every form.
module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK: "block": 96,
  // CHECK-NEXT: "entry": "k",
  // CHECK-NEXT: "grid": "umax(1, uceildiv((n * 2), 96))",
  gpu.func @k(%a: memref<f32> {obs.name = "a"}, %n: index {obs.name = "n"}, %x: f16 {obs.name = "x"},
              %sums: memref<i64> {obs.name = "sums"}, %b: memref<f32> {obs.name = "b"})
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i64
    %in = memref.reinterpret_cast %a to offset: [0], sizes: [%n, 4], strides: [4, 1] : memref<f32> to memref<?x4xf32>
    %sum = memref.reinterpret_cast %sums to offset: [0], sizes: [8], strides: [1] : memref<i64> to memref<8xi64>
    %same = memref.reinterpret_cast %b to offset: [0], sizes: [%n, 4], strides: [4, 1] : memref<f32> to memref<?x4xf32>
    %0 = memref.load %in[%c0, %c0] : memref<?x4xf32>
    memref.store %0, %same[%c0, %c0] : memref<?x4xf32>
    %old = memref.atomic_rmw addi %c1, %sum[%c0] : (i64, memref<8xi64>) -> i64
    gpu.return
  }
}

func.func @main(%a: memref<?x4xf32>, %x: f16) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c96 = arith.constant 96 : index
  %bytes = arith.constant 384 : i32
  %seven = arith.constant 7 : i64
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  %twice = arith.muli %n, %c2 : index
  %parts = arith.ceildivui %twice, %c96 : index
  %blocks = arith.maxui %c1, %parts : index
  // The type leaves the extent open; it is a number all the same.
  %sums = gpu.alloc (%c8) : memref<?xi64>
  gpu.memset %sums, %seven : memref<?xi64>, i64
  %pa = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<?x4xf32> to memref<f32>
  %ps = memref.reinterpret_cast %sums to offset: [0], sizes: [], strides: [] : memref<?xi64> to memref<i64>
  gpu.launch_func @kernels::@k blocks in (%blocks, %c1, %c1) threads in (%c96, %c1, %c1)
    dynamic_shared_memory_size %bytes
    args(%pa : memref<f32>, %n : index, %x : f16, %ps : memref<i64>, %pa : memref<f32>)
  return %sums : memref<?xi64>
}
}
