// RUN: obs-opt %s --obs-map-levels --canonicalize --cse | FileCheck %s

!lanes = memref<64xi32, #obs.home<warp, registers>>

// 64 elements are two registers of each lane. Reading the element whose number
// differs in bit 5 is reading the other register; in bit 1, a shuffle.
// CHECK-LABEL: gpu.func @exchange
// CHECK-COUNT-2: memref.alloca() {obs.lanes} : memref<2xi32>
// CHECK: memref.store %{{[0-9]+}}, %[[A:alloca[_0-9]*]][%c0] : memref<2xi32>
// CHECK: memref.store %{{.*}}, %[[A]][%c1] : memref<2xi32>
// CHECK: %[[A1:.*]] = memref.load %[[A]][%c1]
// CHECK: %[[A0:.*]] = memref.load %[[A]][%c0]
// CHECK: %[[S:.*]], %{{.*}} = gpu.shuffle xor %[[A0]], %c2_i32, %c32_i32 : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[A1]], %[[S]]
// CHECK: memref.store %[[SUM]], %[[B:alloca[_0-9]*]][%c0]
// CHECK: memref.load %[[A]][%c0]
// CHECK: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[B]][%c1]
// The whole warp reads element 40: register 1 of lane 8.
// CHECK: %[[B1:.*]] = memref.load %[[B]][%c1]
// CHECK: gpu.shuffle idx %[[B1]], %c8_i32, %c32_i32 : i32
obs.kernel @exchange(%in: memref<64xi32>, %out: memref<8xi32>) attributes {threads = 32 : i64} {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %c8 step %ws {
    %a = memref.alloc() : !lanes
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !lanes
    } {mapping = [#obs.map<warp, thread>]}
    %b = memref.alloc() : !lanes
    scf.forall (%t) in (64) {
      %i = arith.xori %t, %c32 : index
      %k = arith.xori %t, %c2 : index
      %x = memref.load %a[%i] : !lanes
      %y = memref.load %a[%k] : !lanes
      %z = arith.addi %x, %y : i32
      memref.store %z, %b[%t] : !lanes
    } {mapping = [#obs.map<warp, thread>]}
    %v = memref.load %b[%c40] : !lanes
    scf.forall (%t) in (1) {
      memref.store %v, %out[%j] : memref<8xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// All lanes take part in a shuffle, also under a condition that is false; the
// load of the input does not run where it must not.
// CHECK-LABEL: gpu.func @guarded
// CHECK: memref.alloca() {obs.lanes} : memref<1xi32>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %arg2
// CHECK: gpu.shuffle down
// CHECK: scf.if %[[IN]]
// CHECK-NEXT: memref.load
// CHECK: arith.select
obs.kernel @guarded(%in: memref<?xi32>, %n: index, %out: memref<?xi32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %c8 step %ws {
    %a = memref.alloc() : memref<32xi32, #obs.home<warp, registers>>
    scf.forall (%t) in (32) {
      memref.store %zero, %a[%t] : memref<32xi32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (32) {
      %k = arith.addi %t, %c1 : index
      %is = arith.cmpi ult, %t, %n : index
      %v = scf.if %is -> i32 {
        %x = memref.load %a[%k] : memref<32xi32, #obs.home<warp, registers>>
        %y = memref.load %in[%t] : memref<?xi32>
        %z = arith.addi %x, %y : i32
        scf.yield %z : i32
      } else {
        scf.yield %zero : i32
      }
      memref.store %v, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// A comparator writes both its elements. The owner of each runs it and keeps its
// own: of elements 2 t and 2 t + 1 even lanes keep the smaller, odd ones the
// larger. A lane has one of them, and the other one comes from its neighbour: one shuffle reads both.
// CHECK-LABEL: gpu.func @comparators
// CHECK: %[[LANE:.*]] = arith.remui %thread_id_x, %c32
// CHECK: %[[KEPT:.*]] = memref.load %{{.*}}[%c0]
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[KEPT]], %c1_i32, %c32_i32
// CHECK: %[[BIT:.*]] = arith.andi %[[LANE]], %c1
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0
// CHECK: %[[LEFT:.*]] = arith.select %[[ODD]], %[[OTHER]], %[[KEPT]]
// CHECK: %[[RIGHT:.*]] = arith.select %[[ODD]], %[[KEPT]], %[[OTHER]]
// CHECK-NOT: gpu.shuffle
// CHECK: %[[MIN:.*]] = arith.minsi %[[LEFT]], %[[RIGHT]]
// CHECK: %[[MAX:.*]] = arith.maxsi %[[LEFT]], %[[RIGHT]]
// CHECK: %[[OWN:.*]] = arith.select %[[ODD]], %[[MAX]], %[[MIN]]
// CHECK: memref.store %[[OWN]], %{{.*}}[%c0]
obs.kernel @comparators(%out: memref<32xi32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %c8 step %ws {
    %a = memref.alloc() : memref<32xi32, #obs.home<warp, registers>>
    %b = memref.alloc() : memref<32xi32, #obs.home<warp, registers>>
    scf.forall (%t) in (16) {
      %i = arith.muli %t, %c2 : index
      %k = arith.addi %i, %c1 : index
      %u = memref.load %a[%i] : memref<32xi32, #obs.home<warp, registers>>
      %v = memref.load %a[%k] : memref<32xi32, #obs.home<warp, registers>>
      %min = arith.minsi %u, %v : i32
      %max = arith.maxsi %u, %v : i32
      memref.store %min, %b[%i] : memref<32xi32, #obs.home<warp, registers>>
      memref.store %max, %b[%k] : memref<32xi32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (32) {
      %v = memref.load %b[%t] : memref<32xi32, #obs.home<warp, registers>>
      memref.store %v, %out[%t] : memref<32xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}
