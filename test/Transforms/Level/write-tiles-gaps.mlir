// Accesses with gaps between neighbouring iterations, as those of windows that are two elements apart.
// RUN: obs-opt --obs-write-tiles --split-input-file %s | FileCheck %s

// Other loads of the same array read the elements in the gaps: a thread executes neighbours.
// CHECK-LABEL: gpu.func @windows
// CHECK: scf.if
// CHECK: %[[MINE:.*]] = arith.muli %thread_id_x{{.*}}, %c4
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[MINE]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[FIRST]]]
// CHECK: else
gpu.module @kernels {
  gpu.func @windows(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %n = arith.constant 4096 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [8194], strides: [1] : memref<f32> to memref<8194xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [4096], strides: [1] : memref<f32> to memref<4096xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %p = arith.muli %i, %c2 : index
      %q = arith.addi %p, %c1 : index
      %r = arith.addi %p, %c2 : index
      %u = memref.load %x[%p] : memref<8194xf32>
      %v = memref.load %x[%q] : memref<8194xf32>
      %w = memref.load %x[%r] : memref<8194xf32>
      %s = arith.addf %u, %v : f32
      %t = arith.addf %s, %w : f32
      memref.store %t, %y[%i] : memref<4096xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// Nothing reads the elements in the gaps: a warp reads elements that are closer to each other if neighbouring threads
// execute neighbouring iterations.
// CHECK-LABEL: gpu.func @even
// CHECK: scf.if
// CHECK-NOT: arith.muli %thread_id_x
// CHECK: arith.addi %{{.*}}, %thread_id_x
// CHECK: arith.addi %{{.*}}, %c256
// CHECK: else
gpu.module @kernels {
  gpu.func @even(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c2 = arith.constant 2 : index
    %c256 = arith.constant 256 : index
    %n = arith.constant 4096 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [8194], strides: [1] : memref<f32> to memref<8194xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [4096], strides: [1] : memref<f32> to memref<4096xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %p = arith.muli %i, %c2 : index
      %r = arith.addi %p, %c2 : index
      %u = memref.load %x[%p] : memref<8194xf32>
      %w = memref.load %x[%r] : memref<8194xf32>
      %s = arith.addf %u, %w : f32
      memref.store %s, %y[%i] : memref<4096xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// An iteration reads four neighbours, which are a vector: neighbouring threads read neighbouring rows.
// CHECK-LABEL: gpu.func @rows_of_four
// CHECK: scf.if
// CHECK-NOT: arith.muli %thread_id_x
// CHECK: arith.addi %{{.*}}, %thread_id_x
// CHECK: else
gpu.module @kernels {
  gpu.func @rows_of_four(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c256 = arith.constant 256 : index
    %n = arith.constant 4096 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [4096, 4], strides: [4, 1] : memref<f32> to memref<4096x4xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [4096], strides: [1] : memref<f32> to memref<4096xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %p = memref.load %x[%i, %c0] : memref<4096x4xf32>
      %q = memref.load %x[%i, %c1] : memref<4096x4xf32>
      %r = memref.load %x[%i, %c2] : memref<4096x4xf32>
      %s = memref.load %x[%i, %c3] : memref<4096x4xf32>
      %t = arith.addf %p, %q : f32
      %u = arith.addf %r, %s : f32
      %v = arith.addf %t, %u : f32
      memref.store %v, %y[%i] : memref<4096xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}
