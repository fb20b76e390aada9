// Collectives survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: @reduce(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[B:.*]]: !obs.pull<? x i32, f32>, %[[X:.*]]: i32, %[[Y:.*]]: f32
func.func @reduce(%a: !obs.pull<8 x i32>, %b: !obs.pull<? x i32, f32>, %x: i32, %y: f32) attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.reduce (%[[L:.*]], %[[R:.*]]) = %[[A]] init %[[X]] : !obs.pull<8 x i32> {
  // CHECK-NEXT: obs.yield %[[L]] : i32
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<8 x i32> -> i32 {
    obs.yield %l : i32
  }
  // CHECK: obs.reduce (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) = %[[B]] init %[[X]], %[[Y]] {commutative, strategy = "raking"} : !obs.pull<? x i32, f32> {
  %1:2 = obs.reduce (%l, %m, %r, %s) = %b init %x, %y {strategy = "raking", commutative} : !obs.pull<? x i32, f32> -> (i32, f32) {
    obs.yield %r, %m : i32, f32
  }
  return
}

// CHECK-LABEL: @grid(
func.func @grid(%a: !obs.pull<? x i32, f32>, %x: i32, %y: f32) {
  // CHECK: obs.reduce grid (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}}, %{{.*}} : !obs.pull<? x i32, f32> {
  %0 = obs.reduce (%l, %m, %r, %s) = %a init %x, %y : !obs.pull<? x i32, f32> -> !obs.push<grid, 1 x i32, f32> {
    obs.yield %r, %m : i32, f32
  }
  return
}

// CHECK-LABEL: @scan(
func.func @scan(%a: !obs.pull<8 x i32>, %x: i32) attributes {obs.level = #obs.level<warp>} {
  // CHECK: obs.scan warp inclusive (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} : !obs.pull<8 x i32> {
  %0 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<8 x i32> -> !obs.push<warp, 8 x i32> {
    obs.yield %l : i32
  }
  // CHECK: obs.scan warp exclusive (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} total {strategy = "sklansky"} : !obs.pull<8 x i32> {
  %1, %t = obs.scan exclusive (%l, %r) = %a init %x {strategy = "sklansky"} : !obs.pull<8 x i32> -> (!obs.push<warp, 8 x i32>, i32) {
    obs.yield %l : i32
  }
  // CHECK: obs.scan warp inclusive { arith.addi } %{{[^ ]*}} {commutative} : !obs.pull<8 x i32>
  %2 = obs.scan warp inclusive { arith.addi } %a {commutative} : !obs.pull<8 x i32>
  return
}

// CHECK-LABEL: @segmented(
func.func @segmented(%a: !obs.pull<8 x i32>, %f: !obs.pull<8 x i1>, %o: !obs.pull<? x i64>, %x: i32, %n: index) attributes {obs.level = #obs.level<thread>} {
  // CHECK: obs.segmented_reduce thread (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} flags %{{.*}} : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<thread, 4 x i32> {
  %0 = obs.segmented_reduce (%l, %r) = %a init %x flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<thread, 4 x i32> {
    obs.yield %l : i32
  }
  // CHECK: obs.segmented_reduce thread (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} flags %{{.*}} [%{{.*}}] {commutative} : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<thread, ? x i32 bound [8]> {
  %1 = obs.segmented_reduce (%l, %r) = %a init %x flags %f [%n] {commutative} : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<thread, ? x i32 bound [8]> {
    obs.yield %l : i32
  }
  // CHECK: obs.segmented_reduce thread (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} offsets %{{.*}} : !obs.pull<8 x i32>, !obs.pull<? x i64> {
  %2 = obs.segmented_reduce (%l, %r) = %a init %x offsets %o : !obs.pull<8 x i32>, !obs.pull<? x i64> -> !obs.push<thread, ? x i32> {
    obs.yield %l : i32
  }
  // CHECK: obs.segmented_scan thread inclusive (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} flags %{{.*}} : !obs.pull<8 x i32>, !obs.pull<8 x i1> {
  %3 = obs.segmented_scan inclusive (%l, %r) = %a init %x flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<thread, 8 x i32> {
    obs.yield %l : i32
  }
  // CHECK: obs.segmented_scan thread inclusive { arith.addi } %{{[^ ]*}} flags %{{[^ ]*}} : !obs.pull<8 x i32>, !obs.pull<8 x i1>
  %5 = obs.segmented_scan thread inclusive { arith.addi } %a flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1>
  // CHECK: obs.segmented_scan thread exclusive (%{{.*}}, %{{.*}}) = %{{.*}} init %{{.*}} offsets %{{.*}} : !obs.pull<8 x i32>, !obs.pull<? x i64> {
  %4 = obs.segmented_scan exclusive (%l, %r) = %a init %x offsets %o : !obs.pull<8 x i32>, !obs.pull<? x i64> -> !obs.push<thread, 8 x i32> {
    obs.yield %l : i32
  }
  return
}

// In scalar code a reduction is a loop of one thread.
// CHECK-LABEL: @scalar(
func.func @scalar(%rows: !obs.pull<4 x !obs.pull<8 x i32>>, %x: i32) {
  %0 = obs.map (%row = %rows : !obs.pull<4 x !obs.pull<8 x i32>>) -> !obs.pull<4 x i32> {
    // CHECK: obs.reduce
    %s = obs.reduce (%l, %r) = %row init %x : !obs.pull<8 x i32> -> i32 {
      obs.yield %l : i32
    }
    obs.yield %s : i32
  }
  return
}

// The push array of a scan writes every element once, so it can be mapped.
// CHECK-LABEL: @mapped(
func.func @mapped(%a: !obs.pull<8 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  %0 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32> {
    obs.yield %l : i32
  }
  // CHECK: obs.map
  %1 = obs.map (%y = %0 : !obs.push<block, 8 x i32>) -> !obs.push<block, 8 x i32> {
    obs.yield %y : i32
  }
  return
}

// CHECK-LABEL: @matmul(
// CHECK-SAME: %[[A:.*]]: !obs.pull<16 x ? x f16>, %[[B:.*]]: !obs.pull<? x 8 x f16>, %[[X:.*]]: f32, %[[Y:.*]]: i32
func.func @matmul(%a: !obs.pull<16 x ? x f16>, %b: !obs.pull<? x 8 x f16>, %x: f32, %y: i32, %c: !obs.pull<? x 3 x i8>, %d: !obs.pull<3 x ? x i8>, %e: !obs.pull<? x 5 x 2 x ? x f16>, %f: !obs.pull<7 x 5 x ? x 3 x f16>) attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.matmul %[[A]], %[[B]] init %[[X]] : !obs.pull<16 x ? x f16>, !obs.pull<? x 8 x f16> -> !obs.push<block, 16 x 8 x f32>
  %0 = obs.matmul %a, %b init %x : !obs.pull<16 x ? x f16>, !obs.pull<? x 8 x f16> -> !obs.push<block, 16 x 8 x f32>
  // CHECK: obs.matmul %[[A]], %[[B]] init %[[X]] {contract, strategy = "sequential"}
  %1 = obs.matmul %a, %b init %x {strategy = "sequential", contract} : !obs.pull<16 x ? x f16>, !obs.pull<? x 8 x f16> -> !obs.push<block, 16 x 8 x f32>
  // CHECK: obs.matmul %{{.*}}, %{{.*}} init %[[Y]] : !obs.pull<? x 3 x i8>, !obs.pull<3 x ? x i8> -> !obs.push<block, ? x ? x i32>
  %2 = obs.matmul %c, %d init %y : !obs.pull<? x 3 x i8>, !obs.pull<3 x ? x i8> -> !obs.push<block, ? x ? x i32>
  // CHECK: obs.matmul %{{.*}}, %{{.*}} init %[[X]] : !obs.pull<? x 5 x 2 x ? x f16>, !obs.pull<7 x 5 x ? x 3 x f16> -> !obs.push<block, ? x 5 x 2 x 3 x f32>
  %3 = obs.matmul %e, %f init %x : !obs.pull<? x 5 x 2 x ? x f16>, !obs.pull<7 x 5 x ? x 3 x f16> -> !obs.push<block, ? x 5 x 2 x 3 x f32>
  return
}

// CHECK-LABEL: @mma(
// CHECK-SAME: %[[X:.*]]: f16, %[[S:.*]]: f32
func.func @mma(%x: f16, %s: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  // CHECK: %[[D:.*]]:4 = obs.mma(%[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]) times(%[[X]], %[[X]], %[[X]], %[[X]]) plus(%[[S]], %[[S]], %[[S]], %[[S]]) : f16
  %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
  // CHECK: return %[[D]]#3
  return %d#3 : f32
}
