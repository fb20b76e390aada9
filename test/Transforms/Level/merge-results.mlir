// RUN: obs-opt %s --pass-pipeline='builtin.module(obs.kernel(obs-merge-results))' | FileCheck %s

!array = memref<32xi32, #obs.home<block, auto>>

// Both loops fill an array in the same way; then one copies all of it, the other
// one element.
// CHECK-LABEL: obs.kernel @both
// CHECK: scf.for
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-COUNT-3: scf.forall
// CHECK-NOT: scf.forall
// CHECK-LABEL: obs.kernel @other_input
obs.kernel @both(%in: memref<?xi32>, %out: memref<?xi32>, %last: memref<?xi32>, %n: index) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %base = arith.muli %i, %c32 : index
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %e = arith.addi %base, %t : index
      %x = memref.load %in[%e] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (32) {
      %e = arith.addi %base, %t : index
      %x = memref.load %a[%t] : !array
      memref.store %x, %out[%e] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
  scf.for %i = %b to %n step %bs {
    %base = arith.muli %i, %c32 : index
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %e = arith.addi %base, %t : index
      %x = memref.load %in[%e] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (1) {
      %x = memref.load %a[%c31] : !array
      memref.store %x, %last[%i] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Arrays with other contents are not merged.
// CHECK-COUNT-2: memref.alloc
// CHECK-LABEL: obs.kernel @other_range
obs.kernel @other_input(%in: memref<?xi32>, %in2: memref<?xi32>, %out: memref<?xi32>, %last: memref<?xi32>, %n: index) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (1) {
      %x = memref.load %a[%c31] : !array
      memref.store %x, %out[%i] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in2[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (1) {
      %x = memref.load %a[%c31] : !array
      memref.store %x, %last[%i] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Loops over other instances are not merged, either.
// CHECK-COUNT-2: scf.for
obs.kernel @other_range(%in: memref<?xi32>, %out: memref<?xi32>, %n: index, %m: index) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
  scf.for %i = %b to %m step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// An array that the second loop alone reads before the last write of the array is not read after it.
// CHECK-LABEL: obs.kernel @read_between
// CHECK-COUNT-2: memref.alloc
// CHECK-LABEL: obs.kernel @leaves
obs.kernel @read_between(%in: memref<?xi32>, %out: memref<?xi32>, %old: memref<?xi32>, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (1) {
      memref.store %c5, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (32) {
      %x = memref.load %a[%t] : !array
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !array
    scf.forall (%t) in (32) {
      %x = memref.load %in[%t] : memref<?xi32>
      memref.store %x, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    %first = memref.load %a[%c0] : !array
    scf.forall (%t) in (1) {
      memref.store %c5, %a[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (32) {
      memref.store %first, %old[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Leaf loops with a common load become one loop.
// CHECK-NEXT: scf.forall
// CHECK-NEXT: memref.load
// CHECK-NEXT: arith.addi
// CHECK-NEXT: memref.store
// CHECK-NEXT: arith.muli
// CHECK-NEXT: memref.store
// CHECK-NOT: scf.forall
// CHECK-LABEL: obs.kernel @leaf_reads_result
obs.kernel @leaves(%in: memref<?xi32>, %sums: memref<?xi32>, %products: memref<?xi32>, %n: index) {
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %sums[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    %y = arith.muli %x, %x : i32
    memref.store %y, %products[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}

// A leaf loop that accesses what the other one writes stays.
// CHECK-COUNT-2: scf.forall
// CHECK-LABEL: obs.kernel @leaves_add
obs.kernel @leaf_reads_result(%in: memref<?xi32>, %a: memref<?xi32>, %b: memref<?xi32>, %n: index) {
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    memref.store %x, %a[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    %y = memref.load %a[%t] : memref<?xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %b[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}

// Two equal updates are two updates.
// CHECK-COUNT-2: memref.atomic_rmw
// CHECK-LABEL: obs.kernel @leaves_of_other_extents
obs.kernel @leaves_add(%in: memref<?xi32>, %a: memref<?xi32>, %n: index) {
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    %old = memref.atomic_rmw addi %x, %a[%t] : (i32, memref<?xi32>) -> i32
  } {mapping = [#obs.map<grid, thread>]}
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    %old = memref.atomic_rmw addi %x, %a[%t] : (i32, memref<?xi32>) -> i32
  } {mapping = [#obs.map<grid, thread>]}
}

// CHECK-COUNT-2: scf.forall
// CHECK-LABEL: obs.kernel @nothing_shared
obs.kernel @leaves_of_other_extents(%in: memref<?xi32>, %a: memref<?xi32>, %b: memref<?xi32>, %n: index, %m: index) {
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    memref.store %x, %a[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
  scf.forall (%t) in (%m) {
    %x = memref.load %in[%t] : memref<?xi32>
    memref.store %x, %b[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}

// Leaf loops without a common load stay as they are.
// CHECK-COUNT-2: scf.forall
obs.kernel @nothing_shared(%in: memref<?xi32>, %in2: memref<?xi32>, %a: memref<?xi32>, %b: memref<?xi32>, %n: index) {
  scf.forall (%t) in (%n) {
    %x = memref.load %in[%t] : memref<?xi32>
    memref.store %x, %a[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
  scf.forall (%t) in (%n) {
    %x = memref.load %in2[%t] : memref<?xi32>
    memref.store %x, %b[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}
