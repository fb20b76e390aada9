// RUN: obs-run %s --entry=pull iota:5xi32 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:5xi32 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=pull iota:5xi32 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:5xi32 0 | FileCheck %s --check-prefix=ZERO
// RUN: not obs-run %s --entry=pull iota:5xi32 6 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=push iota:2x4xi32 3 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:2x4xi32 3 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=live | FileCheck %s --check-prefix=LIVE
// RUN: obs-run %s --device=emulate --threads=17 --entry=live | FileCheck %s --check-prefix=LIVE

// THREE: {{^}}[0, 1, 2]{{$}}
// ZERO: {{^}}[]{{$}}
// RANGE: take.mlir:[[#@LINE+2]]:8: error: [R4-range] takes [6] elements of an array with extents [5]
func.func @pull(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %r = obs.take %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Writes of column 3 are dropped.
// PUSH: [0, 1, 2],
// PUSH-NEXT: [4, 5, 6]
func.func @push(%a: !obs.pull<? x 4 x i32>, %n: index) -> !obs.pull<2 x ? x i32> {
  %p = obs.push %a : !obs.pull<? x 4 x i32> -> !obs.push<grid, ? x 4 x i32>
  %t = obs.take %p [2, %n] : !obs.push<grid, ? x 4 x i32> -> !obs.push<grid, 2 x ? x i32>
  %r = obs.force %t : !obs.push<grid, 2 x ? x i32> -> !obs.pull<2 x ? x i32>
  return %r : !obs.pull<2 x ? x i32>
}

// Only the first two elements of four are written, and only those are read.
// LIVE: {{^}}[5, 5]{{$}}
func.func @live() -> !obs.pull<2 x i32> {
  %c2 = arith.constant 2 : index
  %x = arith.constant 5 : i32
  %p = obs.fill par (%t) in (%c2) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 4 x i32>
  %a = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  %r = obs.take %a [2] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}
