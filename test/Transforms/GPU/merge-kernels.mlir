// RUN: obs-opt %s --obs-merge-kernels | FileCheck %s
// RUN: obs-opt %S/Inputs/stages.mlir --obs-to-gpu | FileCheck %s --check-prefix=STAGES
// RUN: obs-run %S/Inputs/stages.mlir iota:3xi32 iota:2000xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %S/Inputs/stages.mlir --device=emulate --check iota:3xi32 iota:2000xi32 | FileCheck %s --check-prefix=RESULT

// CHECK-LABEL: func.func @main(
// CHECK: gpu.launch_func @kernels::@k {{.*}} args(%[[A:.*]] : memref<i32>)
// CHECK: gpu.launch_func @kernels::@k {{.*}} args(%[[B:.*]] : memref<i32>)
// CHECK: gpu.launch_func @kernels::@k_1 {{.*}}
// CHECK: gpu.launch_func @kernels::@k_2 {{.*}}
// CHECK: gpu.launch_func @kernels::@other {{.*}}
// CHECK: gpu.launch_func @kernels::@k blocks
module attributes {gpu.container_module} {
  func.func @main(%a: memref<i32>, %b: memref<i32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<i32>)
    gpu.launch_func @kernels::@k_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<i32>)
    gpu.launch_func @kernels::@k_2 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<i32>)
    gpu.launch_func @kernels::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<i32>)
    gpu.launch_func @kernels::@else_kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<i32>)
    return
  }
  gpu.module @kernels {
    // CHECK: gpu.func @k(
    gpu.func @k(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c1 = arith.constant 1 : i32
      memref.store %c1, %a[] : memref<i32>
      gpu.return
    }
    // CHECK-NOT: gpu.func @k_0(
    gpu.func @k_0(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c1 = arith.constant 1 : i32
      memref.store %c1, %a[] : memref<i32>
      gpu.return
    }
    // Another constant.
    // CHECK: gpu.func @k_1(
    // CHECK-NOT: obs.entry
    gpu.func @k_1(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c2 = arith.constant 2 : i32
      memref.store %c2, %a[] : memref<i32>
      gpu.return
    }
    // Other blocks.
    // CHECK: gpu.func @k_2(
    gpu.func @k_2(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>, obs.entry = "k"} {
      %c1 = arith.constant 1 : i32
      memref.store %c1, %a[] : memref<i32>
      gpu.return
    }
    // No name: the one of a function was taken, of which this is not.
    // CHECK-NOT: gpu.func @else_kernel(
    gpu.func @else_kernel(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.unnamed} {
      %c1 = arith.constant 1 : i32
      memref.store %c1, %a[] : memref<i32>
      gpu.return
    }
    // A name of its own.
    // CHECK: gpu.func @other(
    gpu.func @other(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c1 = arith.constant 1 : i32
      memref.store %c1, %a[] : memref<i32>
      gpu.return
    }
  }
}

// One kernel runs the stage for arrays of all sizes, and another one a stage
// whose extent is part of the code.
// RUN: obs-opt %S/Inputs/shapes.mlir --obs-to-gpu | FileCheck %s --check-prefix=SHAPES
// STAGES-COUNT-2: gpu.launch_func @kernels::@square blocks
// STAGES: gpu.launch_func @kernels::@square_{{[0-9]}} blocks
// STAGES: gpu.func @square(
// STAGES: gpu.func @square_{{[0-9]}}(
// STAGES-NOT: gpu.func
// RESULT: [0, 1, 4]
// RESULT-NEXT: [0, 1, 4, ..., 3988009, 3992004, 3996001]
// RESULT-NEXT: [9, 9]

// Two functions launch a kernel without a name; kernels for arrays of three static shapes are one, where only the
// host knows how long they are.
// SHAPES-LABEL: func.func @first(
// SHAPES: gpu.launch_func @kernels::@first_kernel blocks
// SHAPES-LABEL: func.func @second(
// SHAPES: gpu.launch_func @kernels::@first_kernel blocks
// SHAPES-LABEL: func.func @thirds(
// SHAPES-COUNT-3: gpu.launch_func @kernels::@third blocks
// SHAPES-LABEL: func.func @other(
// SHAPES: gpu.launch_func @kernels::@third_2 blocks
// SHAPES: gpu.func @first_kernel(
// SHAPES: gpu.func @third(
// SHAPES: memref.reinterpret_cast %arg0 {{.*}} to memref<3000xi32>
// SHAPES: gpu.func @third_2(
// SHAPES-NOT: gpu.func @
