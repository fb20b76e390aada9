// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s

// The flags are summed, and each element kept is written behind those before.
// CHECK-LABEL: @compact(
// CHECK-SAME: %[[A:.*]]: !obs.pull<4 x f32>, %[[F:.*]]: !obs.pull<4 x i1>, %[[Z:.*]]: f32
func.func @compact(%a: !obs.pull<4 x f32>, %f: !obs.pull<4 x i1>, %z: f32) -> !obs.push<block, 4 x f32> attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[BIT:.*]] = obs.get %[[F]]
  // CHECK: arith.extui %[[BIT]] : i1 to i32
  // CHECK: obs.fill init %[[Z]] unchecked par (%[[I:.*]]) in (%{{.*}}) {
  // CHECK-NEXT: %[[KEPT:.*]] = obs.get %[[F]][%[[I]]]
  // CHECK-NEXT: scf.if %[[KEPT]] {
  // CHECK: %[[P:.*]] = arith.subi %{{.*}}, %c1 : index
  // CHECK: %[[X:.*]] = obs.get %[[A]][%[[I]]]
  // CHECK: obs.write %[[X]] at [%[[P]]] : f32
  %p, %n = obs.compact %a flags %f init %z : !obs.pull<4 x f32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x f32>, !obs.push<block, 1 x index>
  return %p : !obs.push<block, 4 x f32>
}

// One thread stores nothing.
// CHECK-LABEL: @thread(
// CHECK-NOT: obs.force
func.func @thread(%a: !obs.pull<? x f32>, %f: !obs.pull<? x i1>, %k: !obs.pull<? x i8>) -> (!obs.push<thread, ? x f32>, !obs.push<thread, ? x i32>) attributes {obs.level = #obs.level<thread>} {
  // CHECK: obs.fill unchecked
  // CHECK: scf.for {{.*}} iter_args(%[[POSITION:.*]] = %c0)
  // CHECK: obs.write %{{.*}} at [%[[POSITION]]]
  %p, %n = obs.compact %a flags %f : !obs.pull<? x f32>, !obs.pull<? x i1> -> !obs.push<thread, ? x f32>, !obs.push<thread, 1 x index>
  // CHECK: obs.fill unchecked
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  %r, %c = obs.rank %k : !obs.pull<? x i8> -> !obs.push<thread, ? x i32>, !obs.push<thread, 8 x index>
  // CHECK: return
  return %p, %r : !obs.push<thread, ? x f32>, !obs.push<thread, ? x i32>
}

// How often each of 16 keys occurs in each of 8 chunks of 8.
// CHECK-LABEL: @rank(
func.func @rank(%k: !obs.pull<64 x i8>) -> !obs.push<block, 64 x i32> attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.fill init %{{.*}} reduce(addi) par
  // CHECK: obs.push<block, 128 x i32>
  %r, %c = obs.rank %k : !obs.pull<64 x i8> -> !obs.push<block, 64 x i32>, !obs.push<block, 16 x index>
  return %r : !obs.push<block, 64 x i32>
}

// Each element of the result looks for its length, in 7 steps for 64 of them.
// CHECK-LABEL: @expand(
func.func @expand(%l: !obs.pull<64 x i32>) -> !obs.push<block, 1000 x index> attributes {obs.level = #obs.level<block>} {
  // CHECK-DAG: %[[STEPS:.*]] = arith.constant 7 : index
  // CHECK: obs.fill par (%[[T:.*]]) in (%{{.*}}) {
  // CHECK: scf.for {{.*}} to %[[STEPS]] {{.*}} -> (index, index)
  // CHECK: obs.write %{{.*}} at [%[[T]]]
  %p, %n = obs.expand (%i, %j) = %l : !obs.pull<64 x i32> -> !obs.push<block, 1000 x index>, !obs.push<block, 1 x index> {
    obs.yield %i : index
  }
  return %p : !obs.push<block, 1000 x index>
}

// CHECK-LABEL: @scatter(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[I:.*]]: !obs.pull<8 x i32>, %[[Z:.*]]: i32
func.func @scatter(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i32>, %z: i32) -> !obs.push<block, 5 x i32> attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.fill init %[[Z]] reduce(addi) par (%[[K:.*]]) in
  // CHECK: %[[N:.*]] = obs.get %[[I]][%[[K]]]
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[N]]
  // CHECK: %[[IS:.*]] = arith.cmpi ult, %[[INDEX]], %c5
  // CHECK: scf.if %[[IS]]
  // CHECK: %[[X:.*]] = obs.get %[[A]][%[[K]]]
  // CHECK: obs.write %[[X]] at [%[[INDEX]]]
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 5 x i32>
  return %p : !obs.push<block, 5 x i32>
}

// What is found comes from atomic operations on memory of the block.
// CHECK-LABEL: @fetch(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[I:.*]]: !obs.pull<8 x i32>, %[[Z:.*]]: i32
func.func @fetch(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i32>, %z: i32) -> (!obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>) attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[M:.*]] = memref.alloc() : memref<5xi32, #obs.home<block, auto>>
  // CHECK: obs.fill {
  // CHECK: memref.store %[[Z]], %[[M]]
  // CHECK: obs.par
  // CHECK: %[[OLD:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK: memref.atomic_rmw addi %{{.*}}, %[[M]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[Z]]
  // CHECK: obs.write %[[OLD]]
  // CHECK: obs.force
  // CHECK: memref.load %[[M]]
  %p, %f = obs.scatter %a at %i init %z reduce(addi) fetch : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>
  return %p, %f : !obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>
}

// A small result of many elements: each block combines 8192 of them in a copy
// that starts from the neutral element.
// CHECK-LABEL: @copies(
// CHECK-SAME: %[[A:.*]]: !obs.pull<100000 x i32>, %[[Z:.*]]: i32
func.func @copies(%a: !obs.pull<100000 x i32>, %z: i32) -> !obs.pull<10 x i32> {
  // CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK: obs.fill init %[[Z]] reduce(maxs) {
  // CHECK: obs.par block (%{{.*}}) in (%c13)
  // CHECK: %[[COPY:.*]] = obs.fill init %[[LEAST]] reduce(maxs) par
  // CHECK: obs.push<block, 10 x i32>
  // CHECK: %[[STORED:.*]] = obs.force %[[COPY]]
  // CHECK: %[[X:.*]] = obs.get %[[STORED]][%[[I:.*]]]
  // CHECK: arith.cmpi ne, %[[X]], %[[LEAST]]
  // CHECK: obs.write %[[X]] at [%[[I]]]
  %p = obs.scatter %a at %a init %z reduce(maxs) : !obs.pull<100000 x i32>, !obs.pull<100000 x i32> -> !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

// A function has no neutral element to start copies from.
// CHECK-LABEL: @function(
func.func @function(%a: !obs.pull<100000 x i32>, %z: i32) -> !obs.pull<10 x i32> {
  // CHECK-NOT: obs.par block
  // CHECK: obs.fill init %{{.*}} reduce(@sum) par
  %p = obs.scatter %a at %a init %z reduce(@sum) : !obs.pull<100000 x i32>, !obs.pull<100000 x i32> -> !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

func.func private @sum(%x: i32, %y: i32) -> i32 {
  %z = arith.addi %x, %y : i32
  return %z : i32
}

// Forced together, elements and count become two kernels, the first in one pass.
// CHECK-LABEL: @one_pass(
func.func @one_pass(%a: !obs.pull<? x i32>, %f: !obs.pull<? x i1>) -> (!obs.pull<1 x i32>, !obs.pull<? x i32>) {
  // CHECK: %[[FILL:.*]] = obs.fill unchecked
  // CHECK: %[[R:.*]] = obs.force %[[FILL]] {kernel = "kept", threads = 64 : i64}
  // CHECK: %[[C:.*]] = obs.force %{{.*}} {threads = 64 : i64} : !obs.push<grid, 1 x i32>
  // CHECK: return %[[C]], %[[R]]
  %p, %n = obs.compact %a flags %f : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %c, %r = obs.force %n, %p {kernel = "kept", threads = 64 : i64} : !obs.push<grid, 1 x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<1 x i32>, !obs.pull<? x i32>)
  return %c, %r : !obs.pull<1 x i32>, !obs.pull<? x i32>
}

// Where the count is needed first, the elements are counted before they move.
// CHECK-LABEL: @three_kernels(
func.func @three_kernels(%a: !obs.pull<? x i32>, %f: !obs.pull<? x i1>) -> (!obs.pull<1 x i32>, !obs.pull<? x i32>) {
  // CHECK: obs.force
  // CHECK: obs.force
  // CHECK: obs.fill unchecked
  // CHECK: obs.force %{{.*}} : !obs.push<grid, 1 x i32>
  // CHECK: obs.force %{{.*}} : !obs.push<grid, ? x i32>
  %p, %n = obs.compact %a flags %f : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %c = obs.force %n : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %c, %r : !obs.pull<1 x i32>, !obs.pull<? x i32>
}
