// RUN: obs-opt %s --obs-align-accesses --split-input-file | FileCheck %s

// Sums, products and constants: LLVM's search would end before the thread. A constant that is subtracted and added again is 0.
// CHECK-LABEL: gpu.func @sums
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-NEXT: memref.load %{{.*}} : memref
// CHECK-NEXT: memref.load %{{.*}} {alignment = 8 : i64}
// CHECK-NEXT: memref.store %{{.*}} {alignment = 16 : i64}
// CHECK-NEXT: memref.load %{{.*}} : memref
gpu.module @kernels {
  gpu.func @sums(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32>, %n: index) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %cm1 = arith.constant -1 : index
    %c1024 = arith.constant 1024 : index
    %c4096 = arith.constant 4096 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %mine = arith.muli %thread, %c4 : index
    %big = arith.muli %n, %c4096 : index
    %least = arith.minsi %big, %c1024 : index
    %first = arith.muli %block, %least : index
    %i = arith.addi %first, %mine : index
    %j = arith.addi %i, %c1 : index
    %k = arith.addi %i, %c2 : index
    %below = arith.addi %i, %cm1 : index
    %above = arith.addi %below, %c5 : index
    %u = memref.load %x[%i] : memref<?xf32>
    %v = memref.load %x[%j] : memref<?xf32>
    %w = memref.load %x[%k] : memref<?xf32>
    memref.store %v, %x[%above] : memref<?xf32>
    // Nothing says where this array begins.
    %z = memref.load %y[%i] : memref<?xf32>
    gpu.return
  }
}

// -----

// The length of rows is a multiple of 4 in the branch only. Remainders by it keep the bits; quotients do not.
// CHECK-LABEL: gpu.func @rows
// CHECK: scf.if
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-NEXT: memref.load %{{.*}} : memref
// CHECK: else
// CHECK-NOT: alignment
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @rows(%a: memref<f32> {llvm.align = 16 : i64}, %h: index, %w: index, %full: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, %w], strides: [%w, 1] : memref<f32> to memref<?x?xf32>
    %width = memref.dim %x, %c1 : memref<?x?xf32>
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %rest = arith.remui %w, %c4 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %all = arith.andi %full, %even : i1
    scf.if %all {
      %row = arith.divui %i, %width : index
      %column = arith.remui %i, %width : index
      %u = memref.load %x[%row, %column] : memref<?x?xf32>
      %v = memref.load %x[%column, %row] : memref<?x?xf32>
    } else {
      %row = arith.divui %i, %width : index
      %column = arith.remui %i, %width : index
      %u = memref.load %x[%row, %column] : memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// Values that loops carry: the first one keeps its bits, the second one is odd after an iteration. The counter and its step.
// CHECK-LABEL: gpu.func @loops
// CHECK: scf.for
// CHECK-NEXT: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-NEXT: memref.load %{{.*}} : memref
// CHECK-NEXT: memref.load %{{.*}} {alignment = 8 : i64}
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @loops(%a: memref<f32> {llvm.align = 16 : i64}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %last:2 = scf.for %i = %c2 to %n step %c8 iter_args(%p = %c8, %q = %c8) -> (index, index) {
      %u = memref.load %x[%p] : memref<?xf32>
      %v = memref.load %x[%q] : memref<?xf32>
      %w = memref.load %x[%i] : memref<?xf32>
      %p1 = arith.addi %p, %c8 : index
      %q1 = arith.addi %q, %c1 : index
      scf.yield %p1, %q1 : index, index
    }
    %y = memref.load %x[%last#0] : memref<?xf32>
    gpu.return
  }
}

// -----

// An array in shared memory begins at a multiple of its offset; rows of 66 elements begin at a multiple of 8 bytes.
// CHECK-LABEL: gpu.func @shared
// CHECK: memref.load %{{.*}} {alignment = 8 : i64} : memref<16x66xf32
// CHECK: memref.load %{{.*}} {alignment = 16 : i64} : memref<16x68xf32
// CHECK: memref.load %{{.*}} : memref<16x68xf32
gpu.module @kernels {
  gpu.func @shared(%n: index) kernel {
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c20 = arith.constant 20 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %arena[%c32][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x66xf32, #gpu.address_space<workgroup>>
    %b = memref.view %arena[%c16][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x68xf32, #gpu.address_space<workgroup>>
    %c = memref.view %arena[%c20][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x68xf32, #gpu.address_space<workgroup>>
    %u = memref.load %a[%n, %i] : memref<16x66xf32, #gpu.address_space<workgroup>>
    %v = memref.load %b[%n, %i] : memref<16x68xf32, #gpu.address_space<workgroup>>
    %w = memref.load %c[%n, %i] : memref<16x68xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
