// One thread of a block draws a number, and all threads read it after a barrier.

// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-expand-tickets)))' | FileCheck %s

gpu.module @kernels {
  // The example of the description.
  // CHECK-LABEL: gpu.func @ticket(
  // CHECK-SAME: %[[COUNTERS:.*]]: memref<?xi32>, %[[I:.*]]: index, %[[CELL:.*]]: memref<index, 3>, %[[OUT:.*]]: memref<?xindex>)
  gpu.func @ticket(%counters: memref<?xi32>, %i: index, %cell: memref<index, 3>, %out: memref<?xindex>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
    // CHECK-DAG: %[[T:.*]] = gpu.thread_id x
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %[[ZERO]]
    // CHECK-NEXT: scf.if %[[FIRST]] {
    // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK-NEXT: %[[OLD:.*]] = memref.atomic_rmw addi %[[ONE]], %[[COUNTERS]][%[[I]]]
    // CHECK-NEXT: %[[DRAWN:.*]] = arith.index_cast %[[OLD]] : i32 to index
    // CHECK-NEXT: memref.store %[[DRAWN]], %[[CELL]][]
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: %[[N:.*]] = memref.load %[[CELL]][]
    // CHECK-NEXT: memref.store %[[N]], %[[OUT]][%[[I]]]
    %n = obs.ticket %counters[%i] via %cell : memref<?xi32>, memref<index, 3>
    memref.store %n, %out[%i] : memref<?xindex>
    gpu.return
  }

  // The threads of a short block are lanes of one warp.
  // CHECK-LABEL: gpu.func @warp
  // CHECK: scf.if
  // CHECK: memref.atomic_rmw addi %{{.*}}, %{{.*}}[] : (i64, memref<i64>) -> i64
  // CHECK: %[[MASK:.*]] = arith.constant 1048575 : i32
  // CHECK-NEXT: nvvm.bar.warp.sync %[[MASK]]
  // CHECK-NEXT: memref.load
  gpu.func @warp(%counter: memref<i64>, %cell: memref<index, 3>) kernel
      attributes {known_block_size = array<i32: 20, 1, 1>} {
    %n = obs.ticket %counter[] via %cell : memref<i64>, memref<index, 3>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @whole_warp
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]]
  gpu.func @whole_warp(%counter: memref<i64>, %cell: memref<index, 3>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %n = obs.ticket %counter[] via %cell : memref<i64>, memref<index, 3>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @thread
  // CHECK: scf.if
  // CHECK: }
  // CHECK-NEXT: memref.load
  gpu.func @thread(%counter: memref<i64>, %cell: memref<index, 3>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %n = obs.ticket %counter[] via %cell : memref<i64>, memref<index, 3>
    gpu.return
  }

  // A block of unknown size may have several warps.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK: gpu.barrier
  gpu.func @unknown(%counter: memref<i64>, %cell: memref<index, 3>) kernel {
    %n = obs.ticket %counter[] via %cell : memref<i64>, memref<index, 3>
    gpu.return
  }
}
