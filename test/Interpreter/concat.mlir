// RUN: obs-run %s --entry=pull iota:3xi32 iota:0xi32 iota:2xi32 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:3xi32 iota:0xi32 iota:2xi32 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --entry=push iota:3xi32 iota:2xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:3xi32 iota:2xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=columns iota:2x2xi32 iota:2x1xi32 | FileCheck %s --check-prefix=COLUMNS
// RUN: obs-run %s --device=emulate --threads=17 --entry=columns iota:2x2xi32 iota:2x1xi32 | FileCheck %s --check-prefix=COLUMNS
// RUN: not obs-run %s --entry=columns iota:2x2xi32 iota:3x1xi32 2>&1 | FileCheck %s --check-prefix=EXTENTS

// An empty array in the middle.
// PULL: {{^}}[0, 1, 2, 0, 1]{{$}}
func.func @pull(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>, %c: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = obs.concat %a, %b, %c : !obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The second program writes where the first ends.
// PUSH: {{^}}[2, 1, 0, 0, 1]{{$}}
func.func @push(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %q = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %v = obs.reverse %p : !obs.push<grid, ? x i32>
  %c = obs.concat %v, %q : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %c : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// COLUMNS: [0, 1, 0],
// COLUMNS-NEXT: [2, 3, 1]
// EXTENTS: concat.mlir:[[#@LINE+2]]:8: error: [R4-extents] the arrays have extents [2, 3] and [3, 3]
func.func @columns(%a: !obs.pull<? x 2 x i32>, %b: !obs.pull<? x 1 x i32>) -> !obs.pull<? x 3 x i32> {
  %r = obs.concat %a, %b dim 1 : !obs.pull<? x 2 x i32>, !obs.pull<? x 1 x i32> -> !obs.pull<? x 3 x i32>
  return %r : !obs.pull<? x 3 x i32>
}
