// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s

// Two kernels would read the elements twice: there is one, and it runs once. A block draws its tile, counts keys in shared
// memory, and publishes the counts. A count and its state are one word of 32 bits: 0 is no count, and the sign
// says that the count is that of all tiles so far.
// CHECK-LABEL: @partition(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x i32>, %[[S:.*]]: !obs.pull<16 x i32>
func.func @partition(%a: !obs.pull<? x i32>, %starts: !obs.pull<16 x i32>) -> !obs.pull<? x i32> {
  %c15 = arith.constant 15 : i32
  // CHECK: %[[WORDS:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
  // CHECK: gpu.memset %[[WORDS]]
  // CHECK: obs.fill unchecked
  // CHECK: obs.par block
  // The tile, which other blocks do not process.
  // CHECK: obs.ticket %[[WORDS]]
  // The keys are counted in the table.
  // CHECK: %[[NEXT:.*]] = memref.alloc() : memref<8x16xi32, #obs.home<block, shared>>
  // CHECK: memref.atomic_rmw addi %{{.*}}, %[[NEXT]]
  // The first tile publishes the count of all tiles so far.
  // CHECK: scf.if
  // CHECK: arith.ori %{{.*}}, %c-2147483648_i32
  // CHECK-NEXT: memref.atomic_rmw assign %{{.*}}, %[[WORDS]]
  // CHECK: else
  // CHECK: arith.addi %{{.*}}, %c1_i32
  // CHECK-NEXT: memref.atomic_rmw assign %{{.*}}, %[[WORDS]]
  // The tile is sorted, then a thread looks back for each key, at four tiles at a time.
  // CHECK: memref.atomic_rmw xori
  // CHECK: scf.while
  // CHECK: scf.while
  // CHECK-COUNT-4: memref.atomic_rmw ori %{{.*}}, %[[WORDS]][%{{.*}}] {obs.least_threads = 768 : i32}
  // CHECK: memref.atomic_rmw assign %{{.*}}, %[[WORDS]]
  %p = obs.partition (%x) = %a from %starts : !obs.pull<? x i32>, !obs.pull<16 x i32> -> !obs.push<grid, ? x i32> {
    %key = arith.andi %x, %c15 : i32
    obs.yield %key : i32
  }
  // CHECK: obs.write
  // CHECK: obs.force
  // CHECK-NOT: obs.force %{{.*}} : !obs.push<grid
  %r = obs.force %p : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// Elements of 8 bytes need more registers, and counts of type index are words of 64 bits. Several tables of 2048 keys
// would need too much shared memory, so that there are two warps.
// CHECK-LABEL: @wide(
// CHECK: memref.alloc(%{{.*}}) : memref<?xi64>
// CHECK: memref.alloc() : memref<2x2048xi32, #obs.home<block, shared>>
// CHECK: {obs.least_threads = 256 : i32}
func.func @wide(%a: !obs.pull<? x i64>, %starts: !obs.pull<2048 x index>) -> !obs.pull<? x i64> {
  %c2047 = arith.constant 2047 : i64
  %p = obs.partition (%x) = %a from %starts : !obs.pull<? x i64>, !obs.pull<2048 x index> -> !obs.push<grid, ? x i64> {
    %key = arith.andi %x, %c2047 : i64
    obs.yield %key : i64
  }
  %r = obs.force %p : !obs.push<grid, ? x i64>
  return %r : !obs.pull<? x i64>
}
