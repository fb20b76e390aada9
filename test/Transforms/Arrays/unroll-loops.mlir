// RUN: obs-opt --obs-unroll-loops %s | FileCheck %s

// Bounds of the inner loop are constants only when the outer one is unrolled:
// 1 + 2 + 3 iterations.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.for
// CHECK-COUNT-6: arith.muli
// CHECK-NOT: arith.muli
// CHECK: return
func.func @nested(%x: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c1 to %c4 step %c1 iter_args(%a = %x) -> i32 {
    %end = arith.addi %i, %c1 : index
    %s = scf.for %j = %c1 to %end step %c1 iter_args(%b = %a) -> i32 {
      %y = arith.muli %b, %b : i32
      scf.yield %y : i32
    } {obs.unroll}
    scf.yield %s : i32
  } {obs.unroll}
  return %r : i32
}

// Without the mark a loop stays one; without iterations nothing is left.
// CHECK-LABEL: func.func @others
// CHECK: %[[R:.*]] = scf.for
// CHECK-NOT: scf.for
// CHECK: return %[[R]]
func.func @others(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> i32 {
    %y = arith.muli %a, %a : i32
    scf.yield %y : i32
  }
  %s = scf.for %i = %c4 to %c4 step %c1 iter_args(%a = %r) -> i32 {
    %y = arith.muli %a, %a : i32
    scf.yield %y : i32
  } {obs.unroll}
  return %s : i32
}

// Arrays that a loop carries need no ring then.
// CHECK-LABEL: func.func @arrays
// CHECK-COUNT-2: obs.force
// CHECK-NOT: scf.for
// CHECK: return
func.func @arrays(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> !obs.pull<8 x i32> {
    %b = obs.reverse %x : !obs.pull<8 x i32>
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    %f = obs.force %p : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
    scf.yield %f : !obs.pull<8 x i32>
  } {obs.unroll}
  return %r : !obs.pull<8 x i32>
}

// A warp keeps 64 elements in two registers of each lane, whose numbers must be constants. So the loops over such an
// array are unrolled without a mark, also the inner one, whose bounds are constants then: 0 + 1 + 2 stages.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT: scf.for
// CHECK-COUNT-3: obs.force
// CHECK-NOT: obs.force
// CHECK: return
func.func @lanes(%a: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> attributes {obs.level = #obs.level<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> !obs.pull<64 x i32> {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x) -> !obs.pull<64 x i32> {
      %b = obs.reverse %y : !obs.pull<64 x i32>
      %p = obs.push %b : !obs.pull<64 x i32> -> !obs.push<warp, 64 x i32>
      %f = obs.force %p : !obs.push<warp, 64 x i32> -> !obs.pull<64 x i32>
      scf.yield %f : !obs.pull<64 x i32>
    }
    scf.yield %s : !obs.pull<64 x i32>
  }
  return %r : !obs.pull<64 x i32>
}

// One register of each lane, more than 1024 elements, or many iterations: these loops stay.
// CHECK-LABEL: func.func @loops
// CHECK-COUNT-3: scf.for
// CHECK: return
func.func @loops(%a: !obs.pull<32 x i32>, %b: !obs.pull<1025 x i32>, %c: !obs.pull<64 x i32>) -> i32 attributes {obs.level = #obs.level<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c17 = arith.constant 17 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> !obs.pull<32 x i32> {
    %p = obs.push %x : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
    %f = obs.force %p : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
    scf.yield %f : !obs.pull<32 x i32>
  }
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b) -> !obs.pull<1025 x i32> {
    %p = obs.push %x : !obs.pull<1025 x i32> -> !obs.push<warp, 1025 x i32>
    %f = obs.force %p : !obs.push<warp, 1025 x i32> -> !obs.pull<1025 x i32>
    scf.yield %f : !obs.pull<1025 x i32>
  }
  %t = scf.for %i = %c0 to %c17 step %c1 iter_args(%x = %c) -> !obs.pull<64 x i32> {
    %p = obs.push %x : !obs.pull<64 x i32> -> !obs.push<warp, 64 x i32>
    %f = obs.force %p : !obs.push<warp, 64 x i32> -> !obs.pull<64 x i32>
    scf.yield %f : !obs.pull<64 x i32>
  }
  %u = obs.get %r[%c0] : !obs.pull<32 x i32>
  %v = obs.get %s[%c0] : !obs.pull<1025 x i32>
  %w = obs.get %t[%c0] : !obs.pull<64 x i32>
  %uv = arith.addi %u, %v : i32
  %all = arith.addi %uv, %w : i32
  return %all : i32
}
