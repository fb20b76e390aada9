// RUN: obs-opt %s --obs-expand-collectives | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives --canonicalize --cse --obs-fuse-arrays -o %t

// In scalar code: a loop from left to right, starting from the initial value.
// CHECK-LABEL: @scalar(
// CHECK-SAME: %[[A:.*]]: !obs.pull<4 x !obs.pull<8 x i32>>, %[[Z:.*]]: i32
func.func @scalar(%a: !obs.pull<4 x !obs.pull<8 x i32>>, %z: i32) -> !obs.pull<4 x i32> {
  // CHECK: obs.map (%[[ROW:.*]] = %[[A]]
  %b = obs.map (%row = %a : !obs.pull<4 x !obs.pull<8 x i32>>) -> !obs.pull<4 x i32> {
    // CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %[[Z]])
    // CHECK: %[[X:.*]] = obs.get %[[ROW]][%[[I]]]
    // CHECK: %[[NEXT:.*]] = arith.addi %[[ACC]], %[[X]]
    // CHECK: scf.yield %[[NEXT]]
    %s = obs.reduce (%x, %y) = %row init %z : !obs.pull<8 x i32> -> i32 {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    // CHECK: obs.yield %[[SUM]] : i32
    obs.yield %s : i32
  }
  return %b : !obs.pull<4 x i32>
}

// The example of the pass: half of the elements are stored, then one worker
// combines them behind the initial value.
// CHECK-LABEL: @block(
// CHECK-SAME: %[[A:.*]]: !obs.pull<4 x i32>, %[[Z:.*]]: i32
func.func @block(%a: !obs.pull<4 x i32>, %z: i32) -> i32 attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[HALF:.*]] = obs.generate
  // CHECK-COUNT-2: obs.get %[[A]]
  // CHECK: } : !obs.pull<2 x i32>
  // CHECK: obs.push block %[[HALF]]
  // CHECK: %[[F:.*]] = obs.force
  // CHECK: obs.generate
  // CHECK: %[[X:.*]] = obs.get %[[F]]
  // CHECK: %[[ZX:.*]] = arith.addi %[[Z]], %[[X]]
  // CHECK: %[[Y:.*]] = obs.get %[[F]]
  // CHECK: arith.addi %[[ZX]], %[[Y]]
  // CHECK: %[[ONE:.*]] = obs.force
  // CHECK: %[[S:.*]] = obs.get %[[ONE]]
  // CHECK: return %[[S]]
  %s = obs.reduce (%x, %y) = %a init %z : !obs.pull<4 x i32> -> i32 {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  return %s : i32
}

// Stages beyond 128 elements are a loop: the code does not grow.
// CHECK-LABEL: @loop(
func.func @loop(%a: !obs.pull<1000000 x i32>, %z: i32) -> i32 attributes {obs.level = #obs.level<block>} {
  // CHECK-COUNT-3: obs.force
  // CHECK-NOT: obs.force
  // CHECK: return
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "adjacent_tree"} : !obs.pull<1000000 x i32> -> i32 {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  return %s : i32
}

// An array of unknown extent is reduced without storing it.
// CHECK-LABEL: @unbounded(
func.func @unbounded(%a: !obs.pull<? x i32>, %z: i32) -> i32 attributes {obs.level = #obs.level<block>} {
  // CHECK: scf.for {{.*}} step %c128
  // CHECK: obs.distribute warp in block
  // CHECK: obs.force {{.*}} : !obs.push<block, ? x i32 bound [128]>
  %s = obs.reduce (%x, %y) = %a init %z : !obs.pull<? x i32> -> i32 {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  return %s : i32
}

// Warps take 32 elements each, in arrays of their own.
// CHECK-LABEL: @warps(
func.func @warps(%a: !obs.pull<1024 x i32>, %z: i32) -> i32 attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[PARTS:.*]] = obs.distribute warp in block
  // CHECK-COUNT-6: obs.force {{.*}} : !obs.push<warp, 32 x i32>
  // CHECK-NOT: obs.force {{.*}} : !obs.push<warp
  // CHECK: obs.join %[[PARTS]] to [32] : !obs.push<block, 32 x 1 x i32>
  // CHECK: obs.force {{.*}} : !obs.push<block, 32 x i32>
  // CHECK: %[[WHOLE:.*]] = obs.distribute warp in block
  // CHECK: obs.join %[[WHOLE]] to [1] : !obs.push<block, 1 x 1 x i32>
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "warps"} : !obs.pull<1024 x i32> -> i32 {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  return %s : i32
}

// One thread writes the elements of a scan as it goes, and stores none.
// CHECK-LABEL: @thread(
func.func @thread(%a: !obs.pull<100 x i32>, %z: i32) -> !obs.pull<100 x i32> attributes {obs.level = #obs.level<thread>} {
  // CHECK: %[[P:.*]] = obs.fill
  // CHECK: scf.for
  // CHECK: %[[Y:.*]] = arith.addi
  // CHECK: obs.write %[[Y]]
  // CHECK-NOT: obs.force
  // CHECK: obs.force %[[P]]
  %p = obs.scan inclusive (%x, %y) = %a init %z : !obs.pull<100 x i32> -> !obs.push<thread, 100 x i32> {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  %f = obs.force %p : !obs.push<thread, 100 x i32> -> !obs.pull<100 x i32>
  return %f : !obs.pull<100 x i32>
}

// With segments a flag goes along. If the right flag is set, the right value
// is kept.
// CHECK-LABEL: @segments(
func.func @segments(%a: !obs.pull<32 x i32>, %f: !obs.pull<32 x i1>, %z: i32) -> !obs.pull<32 x i32> attributes {obs.level = #obs.level<warp>} {
  // CHECK: obs.force {{.*}} : !obs.push<warp, 32 x i1, i32>
  %p = obs.segmented_scan inclusive (%x, %y) = %a init %z flags %f : !obs.pull<32 x i32>, !obs.pull<32 x i1> -> !obs.push<warp, 32 x i32> {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  %q = obs.force %p : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
  return %q : !obs.pull<32 x i32>
}
