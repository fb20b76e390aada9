// RUN: obs-opt %s --obs-expand-collectives | FileCheck %s

func.func private @sums(%a: i32, %b: f32, %c: i32, %d: f32) -> (i32, f32) {
  %x = arith.addi %a, %c : i32
  %y = arith.maximumf %b, %d : f32
  return %x, %y : i32, f32
}

// Elements of 64 bits are packed into words, which a function combines, and
// which are taken apart when they are complete.
// CHECK-LABEL: @words
// CHECK: %[[WORDS:.*]] = obs.map (%[[X:.*]], %[[Y:.*]] = %{{.*}} : !obs.pull<8 x i32, f32>) {
// CHECK-NEXT: %[[LOW:.*]] = arith.extui %[[X]] : i32 to i64
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[Y]] : f32 to i32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extui %[[BITS]] : i32 to i64
// CHECK: %[[HIGH:.*]] = arith.shli %[[WIDE]], %c32
// CHECK-NEXT: %[[WORD:.*]] = arith.ori %[[LOW]], %[[HIGH]]
// CHECK-NEXT: obs.yield %[[WORD]]
// CHECK: %[[PUSH:.*]] = obs.fill init %{{.*}} reduce(@sums_packed)
// CHECK: %[[APART:.*]] = obs.map (%{{.*}} = %[[PUSH]] : !obs.push<block, 4 x i64>) {
// CHECK: return %[[APART]]
func.func @words(%a: !obs.pull<8 x i32, f32>, %i: !obs.pull<8 x i32>, %x: i32, %y: f32) -> !obs.push<block, 4 x i32, f32> attributes {obs.level = #obs.level<block>} {
  %p = obs.scatter %a at %i init %x, %y reduce(@sums) : !obs.pull<8 x i32, f32>, !obs.pull<8 x i32> -> !obs.push<block, 4 x i32, f32>
  return %p : !obs.push<block, 4 x i32, f32>
}

// A fetched value is one element, so a kind with a name combines words, too. Those of 24
// bits are words of 32.
// CHECK-LABEL: @found
// CHECK: memref.generic_atomic_rmw %{{.*}} : memref<4xi32
func.func @found(%a: !obs.pull<8 x i8, i16>, %i: !obs.pull<8 x i32>, %x: i8, %y: i16) -> (!obs.push<block, 4 x i8, i16>, !obs.push<block, 8 x i8, i16>) attributes {obs.level = #obs.level<block>} {
  %p, %q = obs.scatter %a at %i init %x, %y reduce(addi) fetch : !obs.pull<8 x i8, i16>, !obs.pull<8 x i32> -> !obs.push<block, 4 x i8, i16>, !obs.push<block, 8 x i8, i16>
  return %p, %q : !obs.push<block, 4 x i8, i16>, !obs.push<block, 8 x i8, i16>
}

// Without fetch it combines each component.
// CHECK-LABEL: @components
// CHECK: obs.fill init %{{.*}}, %{{.*}} reduce(addi)
// CHECK-NOT: obs.force
// CHECK: return
func.func @components(%a: !obs.pull<8 x i8, i16>, %i: !obs.pull<8 x i32>, %x: i8, %y: i16) -> !obs.push<block, 4 x i8, i16> attributes {obs.level = #obs.level<block>} {
  %p = obs.scatter %a at %i init %x, %y reduce(addi) : !obs.pull<8 x i8, i16>, !obs.pull<8 x i32> -> !obs.push<block, 4 x i8, i16>
  return %p : !obs.push<block, 4 x i8, i16>
}

func.func private @longs(%a: i64, %b: i32, %c: i64, %d: i32) -> (i64, i32) {
  %x = arith.addi %a, %c : i64
  %y = arith.addi %b, %d : i32
  return %x, %y : i64, i32
}

// Longer ones have privatised copies in memory for each thread. Then one thread combines
// the 256 copies of an element in the block.
// CHECK-LABEL: @long
// CHECK: %[[COPIES:.*]] = obs.fill par (%[[W:.*]]) in (%c256
// CHECK: memref.alloc() : memref<4xi1, #obs.home<thread
// CHECK: memref.alloc() : memref<4xi64, #obs.home<thread
// CHECK: memref.alloc() : memref<4xi32, #obs.home<thread
// CHECK: scf.for %{{.*}} = %[[W]] to
// CHECK: %[[FORCED:.*]] = obs.force %[[COPIES]] : !obs.push<block, 4 x 256 x i1, i64, i32>
// CHECK: obs.fill par
// CHECK: obs.get %[[FORCED]][%{{.*}}, %{{.*}}]
// CHECK-NOT: atomic
// CHECK: return
func.func @long(%a: !obs.pull<? x i64, i32>, %i: !obs.pull<? x i32>, %x: i64, %y: i32) -> !obs.push<block, 4 x i64, i32> attributes {obs.level = #obs.level<block>} {
  %p = obs.scatter %a at %i init %x, %y reduce(@longs) : !obs.pull<? x i64, i32>, !obs.pull<? x i32> -> !obs.push<block, 4 x i64, i32>
  return %p : !obs.push<block, 4 x i64, i32>
}

// The function of words.
// CHECK-LABEL: func.func private @sums_packed
// CHECK-SAME: %[[A:.*]]: i64, %[[B:.*]]: i64) -> i64 attributes {obs.packed}
// CHECK: arith.trunci %[[A]] : i64 to i32
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.trunci %[[B]] : i64 to i32
// CHECK: arith.addi
// CHECK: arith.maximumf
