// RUN: obs-opt %s --obs-map-levels --canonicalize --cse | FileCheck %s

// Leaf loops that use several registers of an array of the block are written out.

// Two elements for each thread, and a third one for the first eight.
// CHECK-LABEL: gpu.func @striped
// CHECK: %[[A:.*]] = memref.alloca() : memref<3xf32>
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[LAST:.*]] = arith.addi %[[T]], %c64
// CHECK: %[[Y:.*]] = arith.addf
// CHECK: memref.store %[[Y]], %[[A]][%c0]
// CHECK-NEXT: memref.store %[[Y]], %[[A]][%c1]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[LAST]], %c72
// CHECK-NEXT: scf.if %[[EXISTS]] {
// CHECK: memref.store %{{.*}}, %[[A]][%c2]
// CHECK-NEXT: }
// CHECK: %[[X0:.*]] = memref.load %[[A]][%c0]
// CHECK-NEXT: %[[X1:.*]] = memref.load %[[A]][%c1]
// CHECK: %{{.*}}:2 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[X0]], %[[S1:.*]] = %[[X1]]) -> (f32, f32) {
// CHECK-NEXT: %[[U:.*]] = memref.load
// CHECK-NEXT: arith.mulf %[[S0]], %[[U]]
// CHECK-NEXT: arith.mulf %[[S1]], %[[U]]
// CHECK-NEXT: scf.yield
// CHECK: scf.if
// CHECK: memref.load %[[A]][%c2]
obs.kernel @striped(%x: f32, %in: memref<8xf32>, %out: memref<72xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<72xf32, #obs.home<block, registers>>
  scf.forall (%t) in (72) {
    %y = arith.addf %x, %x : f32
    memref.store %y, %a[%t] : memref<72xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (72) {
    %y = memref.load %a[%t] : memref<72xf32, #obs.home<block, registers>>
    %p = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %y) -> f32 {
      %u = memref.load %in[%k] : memref<8xf32>
      %m = arith.mulf %s, %u : f32
      scf.yield %m : f32
    }
    memref.store %p, %out[%t] : memref<72xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// Thread t runs iterations 2 t and 2 t + 1, if there are such.
// CHECK-LABEL: gpu.func @blocked
// CHECK: memref.alloca() : memref<2xf32>
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.muli %[[T]], %c2
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1
// CHECK: arith.cmpi ult, %[[FIRST]], %c61
// CHECK: memref.store %{{.*}}, %alloca[%c0]
// CHECK: arith.cmpi ult, %[[SECOND]], %c61
// CHECK: memref.store %{{.*}}, %alloca[%c1]
// CHECK: memref.load %alloca[%c0]
// CHECK: memref.store %{{.*}}[%[[FIRST]]]
obs.kernel @blocked(%x: f32, %out: memref<61xf32>) attributes {threads = 32 : i64} {
  %a = memref.alloc() : memref<61xf32, #obs.home<block, registers>>
  scf.forall (%t) in (61) {
    memref.store %x, %a[%t] : memref<61xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
  scf.forall (%t) in (61) {
    %y = memref.load %a[%t] : memref<61xf32, #obs.home<block, registers>>
    memref.store %y, %out[%t] : memref<61xf32>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
}

// A loop each of whose iterations belongs to another thread stays one.
// CHECK-LABEL: gpu.func @one_register
// CHECK: memref.alloca() : memref<f32>
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load %alloca[]
obs.kernel @one_register(%x: f32, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : memref<32xf32, #obs.home<block, registers>>
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : memref<32xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %e = arith.andi %t, %c31 : index
    %isFirst = arith.cmpi ult, %t, %c32 : index
    scf.if %isFirst {
      %y = memref.load %a[%e] : memref<32xf32, #obs.home<block, registers>>
      memref.store %y, %out[%t] : memref<64xf32>
    }
  } {mapping = [#obs.map<block, thread>]}
}

// Each iteration has an array of its own, for which a thread has memory once: the second iteration begins after the
// last read of the first one.
// CHECK-LABEL: gpu.func @own
// CHECK: %[[P:.*]] = memref.alloca() : memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloca() : memref<2xf32>
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[P]]
// CHECK: %[[X0:.*]] = memref.load %[[P]]
// CHECK-NEXT: memref.store %[[X0]], %[[A]][%c0]
// CHECK-NEXT: scf.for
// CHECK: memref.store %{{.*}}, %[[P]]
// CHECK: %[[X1:.*]] = memref.load %[[P]]
// CHECK-NEXT: memref.store %[[X1]], %[[A]][%c1]
obs.kernel @own(%in: memref<64x4xf32>, %k: index, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    %p = memref.alloc() : memref<4xf32, #obs.home<thread, registers>>
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %in[%t, %i] : memref<64x4xf32>
      memref.store %x, %p[%i] : memref<4xf32, #obs.home<thread, registers>>
    }
    %y = memref.load %p[%k] : memref<4xf32, #obs.home<thread, registers>>
    memref.store %y, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %y = memref.load %a[%t] : memref<64xf32, #obs.home<block, registers>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}
