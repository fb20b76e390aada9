// RUN: obs-opt %s --obs-assign-homes --canonicalize --cse | FileCheck %s

// A thread has its own elements in a register; only those that others read are stored.

// CHECK-LABEL: obs.kernel @last
// CHECK-DAG: %[[ALL:.*]] = memref.alloc() : memref<32xf32, #obs.home<block, registers>>
// CHECK-DAG: %[[LAST:.*]] = memref.alloc() : memref<1xf32, #obs.home<block, shared>>
// CHECK: scf.forall (%[[T:.*]]) in (32)
// CHECK: memref.store %{{.*}}, %[[ALL]][%[[T]]]
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %[[T]], %c31
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: memref.store %{{.*}}, %[[LAST]][%c0]
// CHECK: memref.load %[[ALL]][
// CHECK: memref.load %[[LAST]][%c0]
obs.kernel @last(%x: f32, %out: memref<33xf32>) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : memref<32xf32, #obs.home<block, auto>>
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : memref<32xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %y = memref.load %a[%t] : memref<32xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<33xf32>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (1) {
    %y = memref.load %a[%c31] : memref<32xf32, #obs.home<block, auto>>
    memref.store %y, %out[%c32] : memref<33xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// Three neighbours, and one by all threads.
// CHECK-LABEL: obs.kernel @range
// CHECK-DAG: %[[ALL:.*]] = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
// CHECK-DAG: %[[SOME:.*]] = memref.alloc() : memref<4xf32, #obs.home<block, shared>>
// CHECK: scf.forall (%[[T:.*]]) in (64)
// CHECK: memref.store %{{.*}}, %[[ALL]][%[[T]]]
// CHECK: %[[PLACE:.*]] = arith.subi %[[T]], %c60
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi ult, %[[PLACE]], %c4
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: memref.store %{{.*}}, %[[SOME]][%[[PLACE]]]
// CHECK: memref.load %[[SOME]][%c3]
obs.kernel @range(%x: f32, %out: memref<64xf32>) attributes {threads = 64 : i64} {
  %c60 = arith.constant 60 : index
  %c63 = arith.constant 63 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %u = memref.load %a[%c63] : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    %y = memref.load %a[%t] : memref<64xf32, #obs.home<block, auto>>
    %z = arith.addf %y, %u : f32
    memref.store %z, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (3) {
    %e = arith.addi %t, %c60 : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// An array stays whole if others read more than an eighth, or if no thread reads its own element.
// CHECK-LABEL: obs.kernel @half
// CHECK: memref.alloc() : memref<32xf32, #obs.home<block, shared>>
// CHECK: memref.alloc() : memref<32xf32, #obs.home<block, shared>>
// CHECK-NOT: memref.alloc
obs.kernel @half(%x: f32, %out: memref<16xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloc() : memref<32xf32, #obs.home<block, auto>>
  %b = memref.alloc() : memref<32xf32, #obs.home<block, auto>>
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : memref<32xf32, #obs.home<block, auto>>
    memref.store %x, %b[%t] : memref<32xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (16) {
    %e = arith.addi %t, %c16 : index
    %y = memref.load %a[%t] : memref<32xf32, #obs.home<block, auto>>
    %z = memref.load %a[%e] : memref<32xf32, #obs.home<block, auto>>
    %s = arith.addf %y, %z : f32
    %f = memref.load %b[%c0] : memref<32xf32, #obs.home<block, auto>>
    %r = arith.addf %s, %f : f32
    memref.store %r, %out[%t] : memref<16xf32>
  } {mapping = [#obs.map<block, thread>]}
}
