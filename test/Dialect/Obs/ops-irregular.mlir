// Operations whose places depend on values survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: @compact(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[B:.*]]: !obs.pull<? x i32, f32>, %[[F:.*]]: !obs.pull<8 x i1>, %[[G:.*]]: !obs.pull<? x i1>, %[[X:.*]]: i32, %[[Y:.*]]: f32
func.func @compact(%a: !obs.pull<8 x i32>, %b: !obs.pull<? x i32, f32>, %f: !obs.pull<8 x i1>, %g: !obs.pull<? x i1>, %x: i32, %y: f32) {
  // CHECK: obs.compact %[[A]] flags %[[F]] : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<grid, 8 x i32>, !obs.push<grid, 1 x index>
  %0, %n = obs.compact %a flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<grid, 8 x i32>, !obs.push<grid, 1 x index>
  // CHECK: obs.compact %[[B]] flags %[[G]] init %[[X]], %[[Y]] {strategy = "three_kernels"} : !obs.pull<? x i32, f32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32, f32>, !obs.push<grid, 1 x i8>
  %1, %m = obs.compact %b flags %g init %x, %y {strategy = "three_kernels"} : !obs.pull<? x i32, f32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32, f32>, !obs.push<grid, 1 x i8>
  return
}

// CHECK-LABEL: @rank(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x i8 bound [8]>
func.func @rank(%a: !obs.pull<? x i8 bound [8]>) attributes {obs.level = #obs.level<warp>} {
  // CHECK: obs.rank %[[A]] {strategy = "raking"} : !obs.pull<? x i8 bound [8]> -> !obs.push<warp, ? x index>, !obs.push<warp, 256 x i16>
  %0, %c = obs.rank %a {strategy = "raking"} : !obs.pull<? x i8 bound [8]> -> !obs.push<warp, ? x index>, !obs.push<warp, 256 x i16>
  return
}

// CHECK-LABEL: @partition(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x i32, f32>, %[[S:.*]]: !obs.pull<16 x index>
func.func @partition(%a: !obs.pull<? x i32, f32>, %starts: !obs.pull<16 x index>) -> !obs.push<grid, ? x i32, f32> {
  // CHECK: %[[P:.*]] = obs.partition (%[[X:.*]], %{{.*}}) = %[[A]] from %[[S]] {test} : !obs.pull<? x i32, f32>, !obs.pull<16 x index> -> !obs.push<grid, ? x i32, f32> {
  // CHECK-NEXT: obs.yield %[[X]] : i32
  %p = obs.partition (%x, %y) = %a from %starts {test} : !obs.pull<? x i32, f32>, !obs.pull<16 x index> -> !obs.push<grid, ? x i32, f32> {
    obs.yield %x : i32
  }
  // CHECK: return %[[P]]
  return %p : !obs.push<grid, ? x i32, f32>
}

// CHECK-LABEL: @expand(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[N:.*]]: index, %[[X:.*]]: index, %[[Y:.*]]: f32
func.func @expand(%a: !obs.pull<8 x i32>, %n: index, %x: index, %y: f32) attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.expand (%[[I:.*]], %[[J:.*]]) = %[[A]] : !obs.pull<8 x i32> -> !obs.push<block, 20 x index>, !obs.push<block, 1 x i32> {
  // CHECK-NEXT: arith.addi %[[I]], %[[J]] : index
  %0, %k = obs.expand (%i, %j) = %a : !obs.pull<8 x i32> -> !obs.push<block, 20 x index>, !obs.push<block, 1 x i32> {
    %s = arith.addi %i, %j : index
    obs.yield %s : index
  }
  // CHECK: obs.expand (%{{.*}}, %{{.*}}) = %[[A]] [%[[N]]] init %[[X]], %[[Y]] {strategy = "raking"} : !obs.pull<8 x i32> -> !obs.push<block, ? x index, f32>, !obs.push<block, 1 x i32> {
  %1, %l = obs.expand (%i, %j) = %a [%n] init %x, %y {strategy = "raking"} : !obs.pull<8 x i32> -> !obs.push<block, ? x index, f32>, !obs.push<block, 1 x i32> {
    obs.yield %i, %y : index, f32
  }
  return
}

// CHECK-LABEL: @scatter(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[I:.*]]: !obs.pull<8 x i8>, %[[N:.*]]: index, %[[X:.*]]: i32
func.func @scatter(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i8>, %n: index, %x: i32) attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.scatter %[[A]] at %[[I]] : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32>
  %0 = obs.scatter %a at %i : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32>
  // CHECK: obs.scatter %[[A]] at %[[I]] init %[[X]] any [%[[N]]] : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, ? x i32>
  %1 = obs.scatter %a at %i init %x any [%n] : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, ? x i32>
  // CHECK: obs.scatter %[[A]] at %[[I]] init %[[X]] reduce(@sum) fetch : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32>, !obs.push<block, 8 x i32>
  %2, %old = obs.scatter %a at %i init %x reduce(@sum) fetch : !obs.pull<8 x i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32>, !obs.push<block, 8 x i32>
  // CHECK: obs.scatter %{{.*}} at %[[I]] init %[[X]], %[[X]] reduce(@sums) fetch : !obs.pull<8 x i32, i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32, i32>, !obs.push<block, 8 x i32, i32>
  %pairs = obs.zip %a, %a : !obs.pull<8 x i32>, !obs.pull<8 x i32>
  %3, %older = obs.scatter %pairs at %i init %x, %x reduce(@sums) fetch : !obs.pull<8 x i32, i32>, !obs.pull<8 x i8> -> !obs.push<block, 9 x i32, i32>, !obs.push<block, 8 x i32, i32>
  return
}

func.func private @sums(%a: i32, %b: i32, %c: i32, %d: i32) -> (i32, i32) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i32
  return %x, %y : i32, i32
}

func.func private @sum(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}

// Counts and ranks are written once for each element, so they can be mapped.
// CHECK-LABEL: @mapped(
func.func @mapped(%a: !obs.pull<8 x i32>, %f: !obs.pull<8 x i1>) attributes {obs.level = #obs.level<block>} {
  %0, %n = obs.compact %a flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<block, 8 x i32>, !obs.push<block, 1 x i32>
  %r, %c = obs.rank %a : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, 4 x i32>
  // CHECK-COUNT-3: obs.map
  %1 = obs.map (%x = %n : !obs.push<block, 1 x i32>) -> !obs.push<block, 1 x i32> {
    obs.yield %x : i32
  }
  %2 = obs.map (%x = %r : !obs.push<block, 8 x i32>) -> !obs.push<block, 8 x i32> {
    obs.yield %x : i32
  }
  %3 = obs.map (%x = %c : !obs.push<block, 4 x i32>) -> !obs.push<block, 4 x i32> {
    obs.yield %x : i32
  }
  return
}
