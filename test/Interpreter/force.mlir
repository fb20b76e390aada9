// RUN: obs-run %s --entry=two iota:3xi32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate --threads=17 --entry=two iota:3xi32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=into iota:3xi32 zeros:3xi32 | FileCheck %s --check-prefix=INTO
// RUN: not obs-run %s --entry=into iota:3xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=pairs iota:3xi32 zeros:3xi32 zeros:3xi32 | FileCheck %s --check-prefix=PAIRS
// RUN: not obs-run %s --entry=holes 2>&1 | FileCheck %s --check-prefix=HOLES

// Two arrays by one force.
// TWO: {{^}}[2, 1, 0]{{$}}
// TWO-NEXT: {{^}}[0, 1, 2]{{$}}
func.func @two(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>) {
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %q = obs.reverse %p : !obs.push<grid, ? x i32>
  %r:2 = obs.force %q, %p : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<? x i32>, !obs.pull<? x i32>)
  return %r#0, %r#1 : !obs.pull<? x i32>, !obs.pull<? x i32>
}

// The result, and the memory that was given.
// INTO: {{^}}[0, 1, 2]{{$}}
// INTO-NEXT: {{^}}2{{$}}
// EXTENTS: force.mlir:[[#@LINE+4]]:8: error: [R4-extents] the arrays have extents [3] and [4]
func.func @into(%a: !obs.pull<? x i32>, %m: memref<?xi32>) -> (!obs.pull<? x i32>, i32) {
  %c2 = arith.constant 2 : index
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  %x = memref.load %m[%c2] : memref<?xi32>
  return %r, %x : !obs.pull<? x i32>, i32
}

// One memref for each element type: (i, 2 i).
// PAIRS: {{^}}2{{$}}
// PAIRS-NEXT: {{^}}4{{$}}
func.func @pairs(%a: !obs.pull<? x i32>, %m: memref<?xi32>, %n: memref<?xi32>) -> (i32, i32) {
  %c2 = arith.constant 2 : index
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %d = arith.addi %x, %x : i32
    obs.yield %x, %d : i32, i32
  }
  %p = obs.push %b : !obs.pull<? x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %p into %m, %n : !obs.push<grid, ? x i32, i32> into memref<?xi32>, memref<?xi32> -> !obs.pull<? x i32, i32>
  %x = memref.load %m[%c2] : memref<?xi32>
  %y = memref.load %n[%c2] : memref<?xi32>
  return %x, %y : i32, i32
}

// An array with an element that was never written cannot be returned.
// HOLES: force.mlir:[[#@LINE+1]]:1: error: element [0] was never written (the array is made at {{.*}}force.mlir:[[#@LINE+7]]:8)
func.func @holes() -> !obs.pull<2 x i32> {
  %c1 = arith.constant 1 : index
  %x = arith.constant 5 : i32
  %p = obs.fill par (%t) in (%c1) {
    obs.write %x at [%c1] : i32
  } : !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}
