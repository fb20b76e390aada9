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
