// Kernels that differ in bounds of loops over iterations of a grid are one, with a parameter for each bound.
// RUN: obs-opt %s --obs-merge-kernels --split-input-file | FileCheck %s

// Programs: the lengths of a map and the number of tiles are the host's affair, the length of a tile is not.
// RUN: obs-opt %S/Inputs/bounds.mlir --obs-to-gpu -o %t.gpu.mlir
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t.gpu.mlir
// RUN: obs-opt --obs-check-races %t.gpu.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-translate --obs-to-ptx %S/Inputs/bounds.mlir | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-launch-json %S/Inputs/bounds.mlir | FileCheck %s --check-prefix=JSON
// RUN: obs-translate --obs-to-host-c %S/Inputs/bounds.mlir | FileCheck %s --check-prefix=HOST
// RUN: obs-run %S/Inputs/bounds.mlir --entry=main iota:7xi32 > %t.expected
// RUN: obs-run %S/Inputs/bounds.mlir --entry=main --device=emulate --check iota:7xi32 | diff %t.expected -
// RUN: obs-run %S/Inputs/bounds.mlir --entry=main --device=emulate --check --blocks=1 iota:7xi32 | diff %t.expected -
// RUN: obs-run %S/Inputs/bounds.mlir --entry=many iota:1152xi32 > %t.expected
// RUN: obs-run %S/Inputs/bounds.mlir --entry=many --device=emulate --check iota:1152xi32 | diff %t.expected -

// GPU-LABEL: func.func @main(
// GPU: gpu.launch_func @kernels::@twice {{.*}}, %[[N0:[a-z0-9_]*]] : index)
// GPU: gpu.launch_func @kernels::@twice {{.*}}, %[[N1:[a-z0-9_]*]] : index)
// GPU: gpu.launch_func @kernels::@twice {{.*}}, %[[N2:[a-z0-9_]*]] : index)
// GPU-LABEL: func.func @few(
// GPU: gpu.launch_func @kernels::@tiles {{.*}}, %[[N3:[a-z0-9_]*]] : index)
// GPU-LABEL: func.func @many(
// GPU: gpu.launch_func @kernels::@tiles {{.*}}, %[[N4:[a-z0-9_]*]] : index)
// GPU-LABEL: func.func @longer(
// GPU: gpu.launch_func @kernels::@tiles_1 {{.*}} args(%{{[a-z0-9_]*}} : memref<i32>, %{{[a-z0-9_]*}} : memref<i32>)
// GPU-COUNT-3: gpu.func
// GPU-NOT: gpu.func

// RACES: kernel 'twice' is proved free of races
// RACES: kernel 'tiles' is proved free of races
// RACES: kernel 'tiles_1' is proved free of races

// The remainder of a number below 1000 is one of 32 bits.
// PTX: .entry twice(
// PTX: twice_param_2
// PTX-NOT: mul.hi.u64
// PTX: mul.hi.u32
// PTX-NOT: .entry twice
// PTX: .entry tiles(
// PTX: .entry tiles_1(

// JSON: "entry": "twice"
// JSON: "function": "main",
// JSON-NEXT: "grid": "1"
// JSON: "function": "main",
// JSON-NEXT: "grid": "2"
// JSON: "function": "main",
// JSON-NEXT: "grid": "4"
// JSON: "extents": [
// JSON-NEXT: 7
// JSON: "extents": [
// JSON-NEXT: "arg2"
// JSON: "kind": "extent",
// JSON-NEXT: "name": "arg2",
// JSON-NEXT: "pointer": "arg1",
// JSON: "entry": "tiles"
// JSON: "kind": "scalar",

// HOST-COUNT-3: obsrt_launch(&program, "twice",
// HOST-NOT: obsrt_launch(&program, "twice

// A bound that is also the size of a block in one kernel, two loops to one bound and another one, an array that is
// longer than the loop.
// CHECK-LABEL: func.func @several(
// CHECK: %[[A:.*]] = arith.constant 128 : index
// CHECK: %[[B:.*]] = arith.constant 4 : index
// CHECK: gpu.launch_func @kernels::@k {{.*}} args(%{{.*}} : memref<i32>, %[[A]] : index, %[[B]] : index)
// CHECK: %[[C:.*]] = arith.constant 64 : index
// CHECK: %[[D:.*]] = arith.constant 5 : index
// CHECK: gpu.launch_func @kernels::@k {{.*}} args(%{{.*}} : memref<i32>, %[[C]] : index, %[[D]] : index)
// CHECK: gpu.func @k(%[[P:.*]]: memref<i32>, %[[N:.*]]: index {llvm.range = #llvm.constant_range<i64, 64, 129>}, %[[M:.*]]: index {llvm.range = #llvm.constant_range<i64, 4, 6>})
// CHECK: sizes: [2000]
// CHECK: sizes: [%[[N]], 3], {{.*}} to memref<?x3xi32>
// CHECK: scf.for {{.*}} to %[[N]] step
// CHECK: scf.for {{.*}} to %[[N]] step
// CHECK: scf.for {{.*}} to %[[M]] step
// CHECK-NOT: gpu.func
module attributes {gpu.container_module} {
  func.func @several(%a: memref<i32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c128 = arith.constant 128 : index
      %c4 = arith.constant 4 : index
      %c64 = arith.constant 64 : index
      %c0 = arith.constant 0 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [1000], strides: [1] : memref<i32> to memref<1000xi32>
      %y = memref.reinterpret_cast %a to offset: [0], sizes: [128, 3], strides: [3, 1] : memref<i32> to memref<128x3xi32>
      %g = gpu.grid_dim x
      %step = arith.muli %g, %c64 : index
      scf.for %i = %c0 to %c128 step %step {
        memref.store %v, %x[%i] : memref<1000xi32>
      }
      scf.for %i = %c0 to %c128 step %step {
        memref.store %v, %y[%i, %c0] : memref<128x3xi32>
      }
      scf.for %i = %c0 to %c4 step %g {
        memref.store %v, %x[%i] : memref<1000xi32>
      }
      gpu.return
    }
    gpu.func @k_0(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, obs.entry = "k"} {
      %c64 = arith.constant 64 : index
      %c5 = arith.constant 5 : index
      %c0 = arith.constant 0 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [2000], strides: [1] : memref<i32> to memref<2000xi32>
      %y = memref.reinterpret_cast %a to offset: [0], sizes: [64, 3], strides: [3, 1] : memref<i32> to memref<64x3xi32>
      %g = gpu.grid_dim x
      %step = arith.muli %g, %c64 : index
      scf.for %i = %c0 to %c64 step %step {
        memref.store %v, %x[%i] : memref<2000xi32>
      }
      scf.for %i = %c0 to %c64 step %step {
        memref.store %v, %y[%i, %c0] : memref<64x3xi32>
      }
      scf.for %i = %c0 to %c5 step %g {
        memref.store %v, %x[%i] : memref<2000xi32>
      }
      gpu.return
    }
  }
}

// -----

// A number that is no such bound is code: an offset, the bound of a loop of each thread. Entry points that the
// source names stay as they are: another name, and a kernel without one.
// CHECK-LABEL: func.func @none(
// CHECK: gpu.launch_func @kernels::@k {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK: gpu.launch_func @kernels::@k_0 {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK: gpu.launch_func @kernels::@k_1 {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK: gpu.launch_func @kernels::@other {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK: gpu.launch_func @kernels::@unnamed {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK-COUNT-5: gpu.func @{{[a-z0-9_]*}}(%{{[a-z0-9]*}}: memref<i32>) kernel
// CHECK-NOT: gpu.func
module attributes {gpu.container_module} {
  func.func @none(%a: memref<i32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@unnamed blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [99], strides: [1] : memref<i32> to memref<99xi32>
      %g = gpu.grid_dim x
      scf.for %i = %c0 to %c10 step %g {
        %j = arith.addi %i, %c10 : index
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %v, %x[%j] : memref<99xi32>
        }
      }
      gpu.return
    }
    gpu.func @k_0(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c20 = arith.constant 20 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [99], strides: [1] : memref<i32> to memref<99xi32>
      %g = gpu.grid_dim x
      scf.for %i = %c0 to %c20 step %g {
        %j = arith.addi %i, %c20 : index
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %v, %x[%j] : memref<99xi32>
        }
      }
      gpu.return
    }
    gpu.func @k_1(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c10 = arith.constant 10 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [99], strides: [1] : memref<i32> to memref<99xi32>
      %g = gpu.grid_dim x
      scf.for %i = %c0 to %c10 step %g {
        %j = arith.addi %i, %c10 : index
        scf.for %k = %c0 to %c5 step %c1 {
          memref.store %v, %x[%j] : memref<99xi32>
        }
      }
      gpu.return
    }
    gpu.func @other(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      %c11 = arith.constant 11 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [99], strides: [1] : memref<i32> to memref<99xi32>
      %g = gpu.grid_dim x
      scf.for %i = %c0 to %c11 step %g {
        %j = arith.addi %i, %c10 : index
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %v, %x[%j] : memref<99xi32>
        }
      }
      gpu.return
    }
    gpu.func @unnamed(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.unnamed} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      %c12 = arith.constant 12 : index
      %v = arith.constant 7 : i32
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [99], strides: [1] : memref<i32> to memref<99xi32>
      %g = gpu.grid_dim x
      scf.for %i = %c0 to %c12 step %g {
        %j = arith.addi %i, %c10 : index
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %v, %x[%j] : memref<99xi32>
        }
      }
      gpu.return
    }
  }
}
