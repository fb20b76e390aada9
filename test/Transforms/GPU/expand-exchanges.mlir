// Operations between blocks become atomic operations, fences and barriers.

// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-expand-exchanges)))' | FileCheck %s

gpu.module @kernels {
  // The example of the description: one thread draws a number, and all threads read it after a barrier.
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

  // The first thread arrives between two fences.
  // CHECK-LABEL: gpu.func @arrive_block(
  // CHECK-SAME: %[[COUNTER:.*]]: memref<i32>, %[[CELL:.*]]: memref<index, 3>, %[[LAST:.*]]: index,
  // CHECK: scf.if
  // CHECK-NEXT: llvm.fence syncscope("device") release
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[OLD:.*]] = memref.atomic_rmw addi %[[ONE]], %[[COUNTER]][]
  // CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[OLD]]
  // CHECK-NEXT: llvm.fence syncscope("device") acquire
  // CHECK-NEXT: memref.store %[[NUMBER]], %[[CELL]][]
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[N:.*]] = memref.load %[[CELL]][]
  // CHECK-NEXT: %[[IS_LAST:.*]] = arith.cmpi eq, %[[N]], %[[LAST]]
  // CHECK-NEXT: scf.if %[[IS_LAST]]
  gpu.func @arrive_block(%counter: memref<i32>, %cell: memref<index, 3>, %last: index, %x: i32, %out: memref<i32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %isLast = obs.arrive %counter[] after %last via %cell : memref<i32>, memref<index, 3>
    scf.if %isLast {
      memref.store %x, %out[] : memref<i32>
    }
    gpu.return
  }

  // Each thread arrives. Only the last one needs an acquire fence.
  // CHECK-LABEL: gpu.func @arrive_thread(
  // CHECK-NEXT: llvm.fence syncscope("device") release
  // CHECK: memref.atomic_rmw addi {{.*}} {obs.least_threads = 512 : i32}
  // CHECK: %[[IS_LAST:.*]] = arith.cmpi eq
  // CHECK-NEXT: scf.if %[[IS_LAST]] {
  // CHECK-NEXT: llvm.fence syncscope("device") acquire
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[IS_LAST]] {
  // CHECK-NEXT: memref.store
  gpu.func @arrive_thread(%counters: memref<?xi32>, %i: index, %last: index, %x: i32, %out: memref<i32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %isLast = obs.arrive %counters[%i] after %last {obs.least_threads = 512 : i32} : memref<?xi32>
    scf.if %isLast {
      memref.store %x, %out[] : memref<i32>
    }
    gpu.return
  }

  // State 2 of result i has the second of its two elements.
  // CHECK-LABEL: gpu.func @publish(
  // CHECK-SAME: %[[M:.*]]: memref<?xf64>, %[[F:.*]]: memref<?xi32>, %[[I:.*]]: index, %[[X:.*]]: f64)
  // CHECK: %[[EVEN:.*]] = arith.muli %[[I]], %c2
  // CHECK: %[[PLACE:.*]] = arith.addi %[[EVEN]], %c1
  // CHECK-NEXT: memref.store %[[X]], %[[M]][%[[PLACE]]]
  // CHECK-NEXT: llvm.fence syncscope("device") release
  // CHECK-NEXT: %[[STATE:.*]] = arith.constant 2 : i32
  // CHECK-NEXT: memref.atomic_rmw assign %[[STATE]], %[[F]][%[[I]]]
  gpu.func @publish(%m: memref<?xf64>, %flags: memref<?xi32>, %i: index, %x: f64) kernel {
    obs.publish %x in %m flag %flags[%i] = 2 : f64 in memref<?xf64> flag memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @await(
  // CHECK-SAME: %[[M:.*]]: memref<?xf64>, %[[F:.*]]: memref<?xi32>, %[[I:.*]]: index, %[[LEAST:.*]]: i32, %[[OUT:.*]]: memref<f64>)
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[FOUND:.*]] = scf.while
  // CHECK-NEXT: %[[FLAG:.*]] = memref.atomic_rmw ori %[[ZERO]], %[[F]][%[[I]]]
  // CHECK-NEXT: %[[EARLY:.*]] = arith.cmpi ult, %[[FLAG]], %[[LEAST]]
  // CHECK-NEXT: scf.condition(%[[EARLY]]) %[[FLAG]]
  // CHECK: llvm.fence syncscope("device") acquire
  // CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[FOUND]], %{{.*}}
  // CHECK: %[[PLACE:.*]] = arith.select %[[SECOND]]
  // CHECK-NEXT: %[[X:.*]] = memref.load %[[M]][%[[PLACE]]]
  // CHECK-NEXT: memref.store %[[X]], %[[OUT]][]
  gpu.func @await(%m: memref<?xf64>, %flags: memref<?xi32>, %i: index, %least: i32, %out: memref<f64>) kernel {
    %flag, %x = obs.await %m flag %flags[%i] >= %least : memref<?xf64> flag memref<?xi32> -> f64
    memref.store %x, %out[] : memref<f64>
    gpu.return
  }
}
