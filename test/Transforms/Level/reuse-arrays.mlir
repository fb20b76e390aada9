// RUN: obs-opt %s --obs-reuse-arrays --split-input-file | FileCheck %s

!a = memref<8192xi32, #obs.home<block, shared>>

// A thread reads elements 32 t + j, and writes them. So the second array takes the place of the first, and the third one
// takes that of the second. The fourth loop reads elements that other threads write: its array stays.
// CHECK-LABEL: obs.kernel @in_place
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc() : memref<8192
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: %[[D:.*]] = memref.alloc() : memref<8192
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[D]]
obs.kernel @in_place(%x: i32, %out: memref<?xi32>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : !a
  scf.forall (%t) in (8192) {
    memref.store %x, %a[%t] : !a
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : !a
  scf.forall (%t) in (256) {
    %own = memref.alloc() : memref<32xi32, #obs.home<thread, registers>>
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %t, %c5 : index
      %e = arith.ori %k, %j : index
      %v = memref.load %a[%e] : !a
      memref.store %v, %own[%j] : memref<32xi32, #obs.home<thread, registers>>
    }
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %t, %c5 : index
      %e = arith.ori %k, %j : index
      %v = memref.load %own[%j] : memref<32xi32, #obs.home<thread, registers>>
      memref.store %v, %b[%e] {obs.contract = "disjoint"} : !a
    }
  } {mapping = [#obs.map<block, thread>]}
  %c = memref.alloc() : !a
  scf.forall (%t) in (256) {
    %own = memref.alloc() : memref<32xi32, #obs.home<thread, registers>>
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %j, %c8 : index
      %e = arith.ori %k, %t : index
      %v = memref.load %b[%e] : !a
      memref.store %v, %own[%j] : memref<32xi32, #obs.home<thread, registers>>
    }
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %j, %c8 : index
      %e = arith.ori %k, %t : index
      %v = memref.load %own[%j] : memref<32xi32, #obs.home<thread, registers>>
      memref.store %v, %c[%e] {obs.contract = "disjoint"} : !a
    }
  } {mapping = [#obs.map<block, thread>]}
  %d = memref.alloc() : !a
  scf.forall (%t) in (256) {
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %j, %c8 : index
      %e = arith.ori %k, %t : index
      %r = arith.xori %e, %c1 : index
      %v = memref.load %c[%r] : !a
      memref.store %v, %d[%e] {obs.contract = "disjoint"} : !a
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (8192) {
    %v = memref.load %d[%t] : !a
    memref.store %v, %out[%t] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

!a = memref<8192xi32, #obs.home<block, shared>>

// The first array is read again after the loop, and a loop that writes before it has read
// the elements of its other iterations keeps both.
// CHECK-LABEL: obs.kernel @both
// CHECK-COUNT-3: memref.alloc() : memref<8192
obs.kernel @both(%x: i32, %out: memref<?xi32>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : !a
  scf.forall (%t) in (8192) {
    memref.store %x, %a[%t] : !a
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : !a
  scf.forall (%t) in (8192) {
    %v = memref.load %a[%t] : !a
    memref.store %v, %b[%t] {obs.contract = "disjoint"} : !a
  } {mapping = [#obs.map<block, thread>]}
  %c = memref.alloc() : !a
  scf.forall (%t) in (256) {
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.shli %j, %c8 : index
      %e = arith.ori %k, %t : index
      %i = arith.subi %c31, %j : index
      %l = arith.shli %i, %c8 : index
      %f = arith.ori %l, %t : index
      %v = memref.load %b[%f] : !a
      memref.store %v, %c[%e] {obs.contract = "disjoint"} : !a
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (8192) {
    %v = memref.load %a[%t] : !a
    %w = memref.load %c[%t] : !a
    %s = arith.addi %v, %w : i32
    memref.store %s, %out[%t] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

!a = memref<64xi32, #obs.home<block, shared>>

// Small arrays do not limit the number of resident threads.
// CHECK-LABEL: obs.kernel @small
// CHECK-COUNT-2: memref.alloc() : memref<64xi32
obs.kernel @small(%x: i32, %out: memref<?xi32>) attributes {threads = 64 : i64} {
  %a = memref.alloc() : !a
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : !a
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : !a
  scf.forall (%t) in (64) {
    %v = memref.load %a[%t] : !a
    memref.store %v, %b[%t] {obs.contract = "disjoint"} : !a
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %v = memref.load %b[%t] : !a
    memref.store %v, %out[%t] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

// In each iteration of its loop, a thread reads one element of its row, and overwrites it: the loops' counters are the
// indices, so no element is written twice. If the thread reads the element behind, it could be overwritten before.
// CHECK-LABEL: obs.kernel @rows
// CHECK: %[[A:.*]] = memref.alloc() : memref<1024x17
// CHECK-NOT: memref.alloc()
// CHECK: memref.store %{{.*}}, %[[A]][%{{.*}}, %{{.*}}]
// CHECK: scf.for
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: %[[B:.*]] = memref.alloc() : memref<1024x17
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[B]]
!rows = memref<1024x17xi32, #obs.home<block, shared>>
obs.kernel @rows(%x: i32, %out: memref<?xi32>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %a = memref.alloc() : !rows
  scf.forall (%t) in (1024) {
    scf.for %k = %c0 to %c17 step %c1 {
      memref.store %x, %a[%t, %k] : !rows
    }
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : !rows
  scf.forall (%t) in (1024) {
    scf.for %k = %c0 to %c17 step %c1 {
      %v = memref.load %a[%t, %k] : !rows
      %w = arith.addi %v, %x : i32
      memref.store %w, %b[%t, %k] : !rows
    }
  } {mapping = [#obs.map<block, thread>]}
  %c = memref.alloc() : !rows
  scf.forall (%t) in (1024) {
    scf.for %k = %c0 to %c17 step %c1 {
      %j = arith.subi %c16, %k : index
      %v = memref.load %b[%t, %j] : !rows
      memref.store %v, %c[%t, %k] : !rows
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (1024) {
    %v = memref.load %c[%t, %c0] : !rows
    memref.store %v, %out[%t] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}
