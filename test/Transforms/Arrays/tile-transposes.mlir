// Loops over the grid that read along columns are divided into tiles.
// RUN: obs-opt --obs-fuse-arrays --canonicalize --cse --obs-tile-transposes --split-input-file %s | FileCheck %s

// The result does not depend on it. Extents are below, at and above those of tiles.
// RUN: obs-opt --obs-fuse-arrays --canonicalize --cse --obs-tile-transposes %S/Inputs/transposes.mlir -o %t.mlir
// RUN: %python %S/Inputs/transposes.py "obs-run" %S/Inputs/transposes.mlir %t.mlir %t.npy

// A tile of 32 x 32: the block reads it along the rows of the array.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: (%[[A:.*]]: !obs.pull<64 x 320 x f32>)
// CHECK: obs.par block (%[[P:.*]], %[[Q:.*]]) in
// CHECK: obs.fill par (%[[V:.*]], %[[U:.*]]) in
// CHECK: %[[X:.*]] = obs.get %[[A]][%[[J:.*]], %[[I:.*]]]
// CHECK: obs.write %[[X]] at [%[[V]], %[[U]]]
// CHECK: : !obs.push<block, 32 x 32 x f32>
// CHECK: %[[S:.*]] = obs.force %{{.*}} in shared
// CHECK: obs.par (%[[U2:.*]], %[[V2:.*]]) in
// CHECK: obs.get %[[S]][%[[V2]], %[[U2]]]
// CHECK: obs.write
func.func @transpose(%a: !obs.pull<64 x 320 x f32>) -> !obs.pull<320 x 64 x f32> {
  %t = obs.transpose %a [1, 0] : !obs.pull<64 x 320 x f32>
  %r = obs.force %t : !obs.pull<320 x 64 x f32>
  return %r : !obs.pull<320 x 64 x f32>
}

// -----

// Rows of three elements are whole in a tile, which has 320 of them.
// CHECK-LABEL: func.func @points
// CHECK: !obs.push<block, 320 x 3 x f32>
func.func @points(%a: !obs.pull<9000 x 3 x f32>) -> !obs.pull<3 x 9000 x f32> {
  %t = obs.transpose %a [1, 0] : !obs.pull<9000 x 3 x f32>
  %r = obs.force %t : !obs.pull<3 x 9000 x f32>
  return %r : !obs.pull<3 x 9000 x f32>
}

// -----

// Extents that are known at run time only: one of the two loops is executed, and the number of blocks is its own. Without
// the branch, the checker of races could not tell the writes of the two loops apart.
// RUN: obs-opt --obs-to-gpu --obs-check-races %S/Inputs/transposes.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-COUNT-3: is proved free of races
// RACES-NOT: error
// CHECK-LABEL: func.func @unknown
// CHECK: %[[NARROW:.*]] = arith.cmpi ult, %{{.*}}, %c6
// CHECK: %[[LOW:.*]] = arith.cmpi ult, %{{.*}}, %c16
// CHECK: %[[SHORT:.*]] = arith.ori %[[NARROW]], %[[LOW]]
// CHECK-COUNT-2: arith.select %[[SHORT]], %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[SHORT]]
// CHECK: obs.par (%{{.*}}, %{{.*}}) in
// CHECK: } else {
// CHECK: obs.par block (%{{.*}}, %{{.*}}) in
func.func @unknown(%a: !obs.pull<? x ? x f32>) -> !obs.pull<? x ? x f32> {
  %t = obs.transpose %a [1, 0] : !obs.pull<? x ? x f32>
  %r = obs.force %t : !obs.pull<? x ? x f32>
  return %r : !obs.pull<? x ? x f32>
}

// -----

// Only the read along columns has a tile. The index of its row is computed again.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: (%[[A:.*]]: !obs.pull<64 x 64 x f32>, %[[B:.*]]: !obs.pull<64 x 64 x f32>)
// CHECK: obs.fill par
// CHECK: obs.get %[[A]]
// CHECK: obs.par (
// CHECK: obs.get %[[B]]
func.func @sum(%a: !obs.pull<64 x 64 x f32>, %b: !obs.pull<64 x 64 x f32>) -> !obs.pull<64 x 64 x f32> {
  %c63 = arith.constant 63 : index
  %s = obs.generate (%i, %j) {
    %k = arith.subi %c63, %j : index
    %x = obs.get %a[%k, %i] : !obs.pull<64 x 64 x f32>
    %y = obs.get %b[%i, %j] : !obs.pull<64 x 64 x f32>
    %z = arith.addf %x, %y : f32
    obs.yield %z : f32
  } : !obs.pull<64 x 64 x f32>
  %r = obs.force %s : !obs.pull<64 x 64 x f32>
  return %r : !obs.pull<64 x 64 x f32>
}

// -----

// A warp writes two rows of 8 elements at once: there is no tile.
// CHECK-LABEL: func.func @short
// CHECK-NOT: block
func.func @short(%a: !obs.pull<8 x 9000 x f32>) -> !obs.pull<9000 x 8 x f32> {
  %t = obs.transpose %a [1, 0] : !obs.pull<8 x 9000 x f32>
  %r = obs.force %t : !obs.pull<9000 x 8 x f32>
  return %r : !obs.pull<9000 x 8 x f32>
}

// -----

// All threads read one column: its elements are not next to each other in the result either.
// CHECK-LABEL: func.func @column
// CHECK-NOT: block
func.func @column(%a: !obs.pull<64 x f32>) -> !obs.pull<64 x 64 x f32> {
  %s = obs.generate (%i, %j) {
    %x = obs.get %a[%i] : !obs.pull<64 x f32>
    obs.yield %x : f32
  } : !obs.pull<64 x 64 x f32>
  %r = obs.force %s : !obs.pull<64 x 64 x f32>
  return %r : !obs.pull<64 x 64 x f32>
}

// -----

// Data determines the place of the read.
// CHECK-LABEL: func.func @gather
// CHECK-NOT: block
func.func @gather(%a: !obs.pull<64 x 64 x f32>, %p: !obs.pull<64 x index>) -> !obs.pull<64 x 64 x f32> {
  %s = obs.generate (%i, %j) {
    %k = obs.get %p[%j] : !obs.pull<64 x index>
    %x = obs.get %a[%k, %i] : !obs.pull<64 x 64 x f32>
    obs.yield %x : f32
  } : !obs.pull<64 x 64 x f32>
  %r = obs.force %s : !obs.pull<64 x 64 x f32>
  return %r : !obs.pull<64 x 64 x f32>
}

// -----

// Rows without elements, and of one element.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: block
func.func @empty(%a: !obs.pull<64 x 0 x f32>, %b: !obs.pull<64 x 1 x f32>) -> (!obs.pull<0 x 64 x f32>, !obs.pull<1 x 64 x f32>) {
  %t = obs.transpose %a [1, 0] : !obs.pull<64 x 0 x f32>
  %r = obs.force %t : !obs.pull<0 x 64 x f32>
  %u = obs.transpose %b [1, 0] : !obs.pull<64 x 1 x f32>
  %s = obs.force %u : !obs.pull<1 x 64 x f32>
  return %r, %s : !obs.pull<0 x 64 x f32>, !obs.pull<1 x 64 x f32>
}

// -----

// The assertion stays before the read that it protects.
// CHECK-LABEL: func.func @checked
// CHECK-NOT: block
func.func @checked(%a: !obs.pull<64 x 64 x f32>, %k: index) -> !obs.pull<64 x 64 x f32> {
  %c64 = arith.constant 64 : index
  %s = obs.generate (%i, %j) {
    %row = arith.addi %j, %k : index
    %ok = arith.cmpi ult, %row, %c64 : index
    obs.assert %ok, "a row is outside of the array"
    %x = obs.get %a[%row, %i] : !obs.pull<64 x 64 x f32>
    obs.yield %x : f32
  } : !obs.pull<64 x 64 x f32>
  %r = obs.force %s : !obs.pull<64 x 64 x f32>
  return %r : !obs.pull<64 x 64 x f32>
}
