// The loads of several turns stand before what combines them, in order. With two loads in a turn there are four turns.
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
}
