// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s --check-prefix=PLAIN
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX

// Reductions by all blocks read rows: 4 neighbours of each thread in each of 8 rows if the order
// matters, else of 4 rows, before anything is combined.

// In order, warps combine segments of 1024 elements, of which a block stores 1024 results at a time. A lane
// combines its neighbours. In each stage, two lanes exchange half of the rows, and one lane combines the 8 rows.
// CHECK-LABEL: @in_order(
// CHECK-SAME: %[[X:.*]]: !obs.pull<? x f32>
// CHECK: obs.par block
// CHECK: %[[SEGMENTS:.*]] = arith.divui %{{.*}}, %c1024
// CHECK: scf.for {{.*}} step %c1024
// CHECK: obs.distribute warp
// CHECK: arith.cmpi slt, %{{.*}}, %[[SEGMENTS]]
// CHECK-COUNT-32: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-24: arith.addf
// CHECK-NOT: arith.addf
// CHECK: obs.push<warp, 32 x f32, f32, f32, f32, f32, f32, f32, f32>
// CHECK-COUNT-4: arith.addf
// CHECK: obs.push<warp, 32 x f32, f32, f32, f32>
// CHECK-COUNT-2: arith.addf
// CHECK: obs.push<warp, 32 x f32, f32>
// CHECK-COUNT-3: arith.addf
// CHECK: obs.push<warp, 32 x f32>
// The lanes now have the results of the rows, which three more stages combine.
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// The remaining elements are less than a segment: warps combine pieces of 64, a lane one element of each of 2 rows.
// CHECK: else
// CHECK-COUNT-2: obs.get %[[X]]
// CHECK-NOT: obs.get %[[X]]
// CHECK: obs.push<block, ? x f32 bound [1024]>
// CHECK: obs.force %{{.*}} {kernel = "in_order"}

// PLAIN-LABEL: @in_order(
// PLAIN-NOT: %c1024
// PLAIN: return

// Elements of a row are one access, and no shuffle waits for another row.
// PTX: .entry in_order(
// PTX-COUNT-8: ld.global.{{(nc\.)?(L1::evict_first\.)?}}v4.b32
// PTX-COUNT-12: shfl.sync.bfly.b32
// PTX-NOT: shfl.sync.bfly.b32
// PTX: shfl.sync.idx.b32
func.func @in_order(%x: !obs.pull<? x f32>) -> !obs.pull<1 x f32> {
  %z = arith.constant 0.0 : f32
  %p = obs.reduce grid { arith.addf } %x init %z : !obs.pull<? x f32>
  %r = obs.force %p {kernel = "in_order"} : !obs.push<grid, 1 x f32>
  return %r : !obs.pull<1 x f32>
}

// In any order, each of 256 threads has 4 accumulators, which it combines at the end. The elements behind the last
// 4096 are read one by one.
// CHECK-LABEL: @any_order(
// CHECK-SAME: %[[X:.*]]: !obs.pull<? x i32>
// CHECK: obs.par block
// CHECK: %[[WHOLE:.*]] = arith.muli %{{.*}}, %c4096
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi sgt, %[[WHOLE]], %c0
// CHECK: scf.if %[[IS_WHOLE]]
// CHECK-COUNT-16: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-12: arith.addi %{{.*}} : i32
// CHECK: scf.for %{{.*}} step %c4096 iter_args(
// CHECK-SAME: -> (i32, i32, i32, i32)
// CHECK-COUNT-16: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-16: arith.addi %{{.*}} : i32
// CHECK: scf.yield
// CHECK-COUNT-3: arith.addi %{{.*}} : i32
// CHECK: } else {
// CHECK: obs.get %[[X]]
// CHECK: scf.for %{{.*}} step %c256

// PLAIN-LABEL: @any_order(
// PLAIN-COUNT-2: obs.get %{{.*}} : !obs.pull<? x i32>
// PTX: .entry any_order(
// PTX-COUNT-8: ld.global.{{(nc\.)?(L1::evict_first\.)?}}v4.b32
// PTX-NOT: ld.global.{{(nc\.)?(L1::evict_first\.)?}}v4
func.func @any_order(%x: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  %z = arith.constant 0 : i32
  %p = obs.reduce grid { arith.addi } %x init %z {strategy = "one_kernel"} : !obs.pull<? x i32>
  %r = obs.force %p {kernel = "any_order"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// Elements that take a loop are computed in one place of the code.
// CHECK-LABEL: @long_elements(
// CHECK: obs.map
// CHECK: scf.for
// CHECK-NOT: %c512
// CHECK: return
func.func @long_elements(%x: !obs.pull<? x f32>, %n: index) -> !obs.pull<1 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %y = obs.map (%e = %x : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%v = %e) -> f32 {
      %w = arith.mulf %v, %e : f32
      scf.yield %w : f32
    }
    obs.yield %s : f32
  }
  %p = obs.reduce grid { arith.addf } %y init %z : !obs.pull<? x f32>
  %r = obs.force %p : !obs.push<grid, 1 x f32>
  return %r : !obs.pull<1 x f32>
}

// Elements that are computed from their index alone need no shuffles.
// CHECK-LABEL: @computed(
// CHECK-NOT: %c512
// CHECK: return
func.func @computed(%n: index) -> !obs.pull<1 x f32> {
  %z = arith.constant 0.0 : f32
  %y = obs.generate (%i) [%n] {
    %k = arith.index_cast %i : index to i32
    %e = arith.sitofp %k : i32 to f32
    obs.yield %e : f32
  } : !obs.pull<? x f32>
  %p = obs.reduce grid { arith.addf } %y init %z : !obs.pull<? x f32>
  %r = obs.force %p : !obs.push<grid, 1 x f32>
  return %r : !obs.pull<1 x f32>
}

// A block that may keep an array reads it by rows, too. In order: four warps have two rows of 128 elements. All
// warps execute the same code, and all threads combine the four results.
// CHECK-LABEL: @block_in_order(
// CHECK-SAME: %[[X:.*]]: !obs.pull<1000 x f32>
// CHECK: obs.distribute warp
// The first row exists in every warp.
// CHECK-COUNT-4: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-3: arith.addf
// The neighbours in the second row exist together.
// CHECK: arith.cmpi slt, %{{.*}}, %c1000
// CHECK: scf.if
// CHECK-COUNT-4: obs.get %[[X]]
// CHECK: } else {
// CHECK: obs.force {{.*}} : !obs.push<warp, 32 x f32, f32>
// Two lanes exchange a row, 5 stages combine the lanes, and one combines the rows.
// CHECK-COUNT-7: obs.force {{.*}} : !obs.push<warp, 32 x f32>
// CHECK-NOT: obs.push<warp, 32
// CHECK: %[[PARTS:.*]] = obs.force {{.*}} : !obs.push<block, 4 x f32>
// CHECK-COUNT-4: obs.get %[[PARTS]]
// CHECK-NOT: obs.force
// CHECK: return
// PLAIN-LABEL: @block_in_order(
// PLAIN: obs.push<block, 32 x 1 x f32>
func.func @block_in_order(%x: !obs.pull<1000 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z : !obs.pull<1000 x f32>
  return %s : f32
}

// In any order a lane combines its elements of all rows, so one array is shuffled.
// CHECK-LABEL: @block_any_order(
// CHECK-SAME: %[[X:.*]]: !obs.pull<8192 x f32>
// CHECK: obs.distribute warp
// CHECK-COUNT-32: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-31: arith.addf
// CHECK-NOT: arith.addf
// CHECK-COUNT-6: obs.push<warp, 32 x f32>
// CHECK: obs.force {{.*}} : !obs.push<block, 8 x f32>
func.func @block_any_order(%x: !obs.pull<8192 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z {commutative} : !obs.pull<8192 x f32>
  return %s : f32
}

// Fewer and more elements than a block keeps have other strategies.
// CHECK-LABEL: @block_few(
// CHECK: obs.push<block, 16 x f32>
// CHECK-LABEL: @block_many(
// CHECK: obs.distribute warp in block
// CHECK-COUNT-8: obs.get
// CHECK: obs.push<warp, 32 x f32, f32, f32, f32, f32, f32, f32, f32>
func.func @block_few(%x: !obs.pull<32 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z : !obs.pull<32 x f32>
  return %s : f32
}
func.func @block_many(%x: !obs.pull<8193 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z : !obs.pull<8193 x f32>
  return %s : f32
}

// In order, 28 rows of single elements in each of seven warps. Rows of all warps but the last one are full. Pairs of lanes
// have 14, 7, 4, 2 and 1 of them after the stages. The last warp has 24 full rows, and one element.
// CHECK-LABEL: @block_odd(
// CHECK: obs.distribute warp in block
// CHECK: arith.cmpi slt, %{{.*}}, %c6
// CHECK: scf.if
// CHECK-COUNT-28: obs.get %[[X:.*]][
// CHECK-NOT: obs.get %[[X]]
// CHECK: obs.push<warp, 32 x f32, f32, f32, f32, f32, f32, f32>
// CHECK: obs.push<warp, 32 x f32, f32, f32, f32>
// CHECK: obs.push<warp, 32 x f32, f32>
// CHECK: obs.push<warp, 32 x f32>
// CHECK: else
// CHECK-COUNT-25: obs.get %[[X]]
// CHECK-NOT: obs.get %[[X]]
// CHECK: obs.force {{.*}} : !obs.push<block, 7 x f32>
func.func @block_odd(%x: !obs.pull<6145 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z : !obs.pull<6145 x f32>
  return %s : f32
}

// By name, for any bounded number: warps without elements have no part, and a row without elements is left out.
// CHECK-LABEL: @block_bounded(
// CHECK: arith.cmpi slt
// CHECK: obs.force {{.*}} : !obs.push<block, ? x f32 bound [1]>
// CHECK: scf.if
// CHECK: return
func.func @block_bounded(%x: !obs.pull<? x f32 bound [100]>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z {strategy = "rows"} : !obs.pull<? x f32 bound [100]>
  return %s : f32
}

// A row of any length: 256 threads read eight elements each before they combine them. The next eight are a loop.
// CHECK-LABEL: @block_unbounded(
// CHECK-SAME: %[[X:.*]]: !obs.pull<? x f32>
// CHECK: arith.remui %{{.*}}, %c2048
// CHECK: scf.if
// CHECK-COUNT-8: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-7: arith.addf
// CHECK: scf.for %{{.*}} step %c2048 iter_args(
// CHECK-COUNT-8: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-8: arith.addf
// CHECK: } else {
// CHECK-NEXT: obs.get %[[X]]
// The elements behind the last 2048 are read without a loop. Those that do not exist are not combined.
// CHECK-NOT: scf.for
// CHECK-COUNT-8: obs.get %[[X]]
// CHECK-NOT: obs.get
// CHECK-COUNT-8: arith.cmpi slt
// CHECK: obs.force {{.*}} : !obs.push<block, ? x f32 bound [256]>
// CHECK: return
func.func @block_unbounded(%x: !obs.pull<? x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z {commutative} : !obs.pull<? x f32>
  return %s : f32
}

// A multiple of 4 elements: four neighbours are one access.
// CHECK-LABEL: @block_neighbours(
// CHECK-SAME: %[[X:.*]]: !obs.pull<10000 x f32>
// CHECK: arith.muli %{{.*}}, %c4
// CHECK-COUNT-16: obs.get %[[X]]
// CHECK: return
func.func @block_neighbours(%x: !obs.pull<10000 x f32>) -> f32 attributes {obs.level = #obs.level<block>} {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce { arith.addf } %x init %z {commutative} : !obs.pull<10000 x f32>
  return %s : f32
}

// The whole grid: 16 bytes are 16 elements of 8 bits, also where their sum is wider.
// CHECK-LABEL: @bytes(
// CHECK-SAME: %[[X:.*]]: !obs.pull<? x i8>
// CHECK: arith.remui %{{.*}}, %c8192
// CHECK: arith.muli %{{.*}}, %c16
// PTX: .entry bytes(
// PTX-COUNT-4: ld.global.{{(nc\.)?(L1::evict_first\.)?}}v4.b32
// PTX-NOT: ld.global.{{(nc\.)?(L1::evict_first\.)?}}v4
func.func @bytes(%x: !obs.pull<? x i8>) -> !obs.pull<1 x i32> {
  %z = arith.constant 0 : i32
  %wide = obs.map (%e = %x : !obs.pull<? x i8>) -> !obs.pull<? x i32> {
    %w = arith.extui %e : i8 to i32
    obs.yield %w : i32
  }
  %s = obs.reduce grid { arith.addi } %wide init %z {strategy = "one_kernel"} : !obs.pull<? x i32>
  %r = obs.force %s {kernel = "bytes"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}
