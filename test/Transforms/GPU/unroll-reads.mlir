// The loads of several iterations are before the operations that use them, in order. With two loads in an iteration there are four iterations.
// RUN: obs-opt --obs-unroll-reads %s | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @dot
  // CHECK: %[[END:.*]] = arith.subi %[[N:.*]], %c768
  // CHECK: %[[FULL:.*]] = scf.for %{{.*}} = %thread_id_x to %[[END]] step %c1024{{.*}} iter_args(%[[T:.*]] =
  // CHECK-COUNT-8: memref.load
  // CHECK: %[[P:.*]] = arith.addf %[[T]]
  // CHECK: %[[Q:.*]] = arith.addf %[[P]]
  // CHECK: %[[R:.*]] = arith.addf %[[Q]]
  // CHECK: %[[S:.*]] = arith.addf %[[R]]
  // CHECK: scf.yield %[[S]]
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[END]], %thread_id_x
  // CHECK: %[[ANY:.*]] = arith.maxsi %[[DISTANCE]], %c0
  // CHECK: %[[TURNS:.*]] = arith.ceildivui %[[ANY]], %c1024
  // CHECK: %[[PASSED:.*]] = arith.muli %[[TURNS]], %c1024
  // CHECK: %[[REST:.*]] = arith.addi %thread_id_x, %[[PASSED]]
  // CHECK: scf.for %{{.*}} = %[[REST]] to %[[N]] step %c256{{.*}} iter_args(%{{.*}} = %[[FULL]])
  gpu.func @dot(%a: memref<f32>, %b: memref<f32>, %c: memref<f32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %s = scf.for %i = %thread to %n step %c256 iter_args(%t = %zero) -> f32 {
      %u = memref.load %x[%i] : memref<?xf32>
      %v = memref.load %y[%i] : memref<?xf32>
      %w = arith.mulf %u, %v : f32
      %r = arith.addf %t, %w : f32
      scf.yield %r : f32
    }
    memref.store %s, %c[] : memref<f32>
    gpu.return
  }

  // A store, a step of 1 and a number of turns that is known stay as they are.
  // CHECK-LABEL: gpu.func @others
  // CHECK-COUNT-3: scf.for
  // CHECK-NOT: scf.for
  gpu.func @others(%a: memref<f32>, %b: memref<f32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %s = scf.for %i = %thread to %n step %c256 iter_args(%t = %zero) -> f32 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.addf %t, %u : f32
      memref.store %r, %b[] : memref<f32>
      scf.yield %r : f32
    }
    %o = scf.for %i = %thread to %n step %c1 iter_args(%t = %s) -> f32 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    %p = scf.for %i = %thread to %c1024 step %c256 iter_args(%t = %o) -> f32 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    memref.store %p, %b[] : memref<f32>
    gpu.return
  }

  // A column of a matrix: eight loads of eight rows, and then the others.
  // CHECK-LABEL: gpu.func @column
  // CHECK: %[[END:.*]] = arith.subi %c100, %c7
  // CHECK: %[[FULL:.*]] = scf.for %[[ROW:.*]] = %c0 to %[[END]] step %c8 iter_args(%[[T:.*]] =
  // CHECK-COUNT-7: arith.addi %[[ROW]],
  // CHECK: memref.load %[[M:.*]][%[[ROW]], %[[THREAD:.*]]]
  // CHECK-COUNT-7: memref.load %[[M]][%{{.*}}, %[[THREAD]]]
  // CHECK-COUNT-8: arith.addf
  // CHECK: scf.for {{.*}} to %c100 step %c1 iter_args(%{{.*}} = %[[FULL]])
  // CHECK-LABEL: gpu.func @rows
  gpu.func @column(%a: memref<f32>, %b: memref<f32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.reinterpret_cast %a to offset: [0], sizes: [100, 256], strides: [256, 1] : memref<f32> to memref<100x256xf32>
    %thread = gpu.thread_id x
    %s = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %zero) -> f32 {
      %u = memref.load %m[%i, %thread] : memref<100x256xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    memref.store %s, %b[] : memref<f32>
    gpu.return
  }

  // A row of a thread, a diagonal, one element, and a short column stay.
  // CHECK-COUNT-4: scf.for
  // CHECK-NOT: scf.for
  gpu.func @rows(%a: memref<f32>, %b: memref<f32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.reinterpret_cast %a to offset: [0], sizes: [256, 256], strides: [256, 1] : memref<f32> to memref<256x256xf32>
    %thread = gpu.thread_id x
    %s = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %zero) -> f32 {
      %u = memref.load %m[%thread, %i] : memref<256x256xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    %d = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %s) -> f32 {
      %j = arith.addi %i, %c1 : index
      %u = memref.load %m[%i, %j] : memref<256x256xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    %e = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %d) -> f32 {
      %u = memref.load %m[%thread, %c1] : memref<256x256xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    %f = scf.for %i = %c0 to %c32 step %c1 iter_args(%t = %e) -> f32 {
      %u = memref.load %m[%i, %thread] : memref<256x256xf32>
      %r = arith.addf %t, %u : f32
      scf.yield %r : f32
    }
    memref.store %f, %b[] : memref<f32>
    gpu.return
  }

  // Results of a row of unknown length: eight loads, then eight results. The original loop has the rest.
  // CHECK-LABEL: gpu.func @stored
  // CHECK: %[[END:.*]] = arith.subi %[[N:.*]], %c1792
  // CHECK: scf.for %[[I:.*]] = %[[THREAD:.*]] to %[[END]] step %c2048 {
  // CHECK-COUNT-8: memref.load
  // CHECK-COUNT-8: arith.mulf
  // CHECK-COUNT-8: memref.store
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step %c256 {
  // CHECK-NOT: scf.for
  gpu.func @stored(%a: memref<f32>, %b: memref<f32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    scf.for %i = %thread to %n step %c256 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.mulf %u, %u : f32
      memref.store %r, %y[%i] : memref<?xf32>
    }
    gpu.return
  }

  // A loop in place, the last part of a tile, and a static number of up to 32 iterations stay.
  // CHECK-LABEL: gpu.func @stored_otherwise
  // CHECK-COUNT-3: scf.for
  // CHECK-NOT: scf.for
  gpu.func @stored_otherwise(%a: memref<f32>, %b: memref<f32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %c8192 = arith.constant 8192 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    scf.for %i = %thread to %n step %c256 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.mulf %u, %u : f32
      memref.store %r, %x[%i] : memref<?xf32>
    }
    %first = arith.muli %block, %c1024 : index
    %own = arith.addi %first, %thread : index
    %last = arith.addi %first, %c1024 : index
    %end = arith.minsi %last, %n : index
    scf.for %i = %own to %end step %c256 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.mulf %u, %u : f32
      memref.store %r, %y[%i] : memref<?xf32>
    }
    scf.for %i = %thread to %c8192 step %c256 {
      %u = memref.load %x[%i] : memref<?xf32>
      %r = arith.mulf %u, %u : f32
      memref.store %r, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
