// RUN: obs-run %s --entry=gather iota:8xi32 2 | FileCheck %s --check-prefix=GATHER
// RUN: obs-run %s --device=emulate --threads=17 --entry=gather iota:8xi32 2 | FileCheck %s --check-prefix=GATHER
// RUN: not obs-run %s --entry=gather iota:5xi32 2 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=scatter iota:8xi32 | FileCheck %s --check-prefix=SCATTER
// RUN: obs-run %s --device=emulate --threads=17 --entry=scatter iota:8xi32 | FileCheck %s --check-prefix=SCATTER
// RUN: obs-run %s --entry=diagonal iota:3x3xi32 | FileCheck %s --check-prefix=DIAGONAL
// RUN: obs-run %s --device=emulate --threads=17 --entry=diagonal iota:3x3xi32 | FileCheck %s --check-prefix=DIAGONAL
// RUN: not obs-run %s --entry=collision iota:4xi32 2>&1 | FileCheck %s --check-prefix=COLLISION

// Element i is element 6 i + 1.
// GATHER: {{^}}[1, 7]{{$}}
// RANGE: reindex.mlir:[[#@LINE+4]]:8: error: index [1] is mapped to [7], outside of the extents [5]
func.func @gather(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = obs.reindex (%i) = %a [%n] {
    %j = arith.muli %i, %c6 : index
    %k = arith.addi %j, %c1 : index
    obs.yield %k : index
  } : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The element at i of %a goes to i rotated left by one bit: 4 goes to 1,
// 1 to 2, 5 to 3, ...
// SCATTER: {{^}}[0, 4, 1, 5, 2, 6, 3, 7]{{$}}
func.func @scatter(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.reindex (%i) = %p {
    %j = obs.bit.rotate %i, %c1, %c3 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// The ranks may differ.
// DIAGONAL: {{^}}[0, 4, 8]{{$}}
func.func @diagonal(%a: !obs.pull<3 x 3 x i32>) -> !obs.pull<3 x i32> {
  %r = obs.reindex (%i) = %a {
    obs.yield %i, %i : index, index
  } : !obs.pull<3 x 3 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

// No bijection: 0 and 2 go to 0.
// COLLISION: reindex.mlir:[[#@LINE+3]]:8: error: [R5-disjoint] element [0] is written twice, here and at {{.*}}reindex.mlir:[[#@LINE+3]]:8
func.func @collision(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %p = obs.push %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %q = obs.reindex (%i) = %p unchecked {
    %j = arith.andi %i, %c1 : index
    obs.yield %j : index
  } : !obs.push<grid, 4 x i32> -> !obs.push<grid, 4 x i32>
  %r = obs.force %q : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
