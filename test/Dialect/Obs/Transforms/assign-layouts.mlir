// RUN: obs-opt %s --obs-assign-layouts | FileCheck %s

// Striped unless something else was asked for.
// CHECK-LABEL: obs.kernel @layouts
obs.kernel @layouts(%n: index) {
  // CHECK: mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>]}
  // CHECK: obs.distribution = #obs.distribution<blocked>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<blocked>}
}

// A thread uses a run of four neighbours, which the program wants in registers;
// the other array stays in its place.
// CHECK-LABEL: obs.kernel @runs
// CHECK: memref.store {{.*}}memref<64xf32, #obs.home<block, registers>>
// CHECK-NEXT: obs.distribution = #obs.distribution<blocked>
// CHECK: memref.load {{.*}}memref<64xf32, #obs.home<block, registers>>
// CHECK: obs.distribution = #obs.distribution<blocked>
// CHECK: memref.store {{.*}}memref<64xf32, #obs.home<block, auto>>
// CHECK-NEXT: obs.distribution = #obs.distribution<striped>
obs.kernel @runs(%x: f32, %out: memref<32xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %e = arith.shli %t, %c1 : index
    %f = arith.addi %e, %c1 : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, registers>>
    %z = memref.load %a[%f] : memref<64xf32, #obs.home<block, registers>>
    %s = arith.addf %y, %z : f32
    memref.store %s, %out[%t] : memref<32xf32>
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %b[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// A blocked distribution does not help: the layout stays as it is.
// CHECK-LABEL: obs.kernel @reversed
// CHECK-NOT: blocked
obs.kernel @reversed(%x: f32) attributes {threads = 32 : i64} {
  %c63 = arith.constant 63 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %e = arith.subi %c63, %t : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}
