// RUN: obs-run %s --entry=riffle iota:8xi32 4 | FileCheck %s --check-prefix=RIFFLE
// RUN: obs-run %s --device=emulate --threads=17 --entry=riffle iota:8xi32 4 | FileCheck %s --check-prefix=RIFFLE
// RUN: not obs-run %s --entry=riffle iota:8xi32 5 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=push iota:2x2xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:2x2xi32 | FileCheck %s --check-prefix=PUSH

// The elements of the halves of 0 to 7 alternate.
// RIFFLE: {{^}}[0, 4, 1, 5, 2, 6, 3, 7]{{$}}
// EXTENTS: interleave.mlir:[[#@LINE+6]]:8: error: [R4-extents] the arrays have extents [5] and [3]
func.func @riffle(%a: !obs.pull<? x i32>, %h: index) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %rest = arith.subi %n, %h : index
  %x = obs.slice %a [0] [%h] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  %y = obs.slice %a [%h] [%rest] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  %r = obs.interleave %x, %y : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Along dimension 0, whole rows alternate; the second operand is upside down.
// PUSH: [0, 1],
// PUSH-NEXT: [2, 3],
// PUSH-NEXT: [2, 3],
// PUSH-NEXT: [0, 1]
func.func @push(%a: !obs.pull<2 x 2 x i32>) -> !obs.pull<4 x 2 x i32> {
  %p = obs.push %a : !obs.pull<2 x 2 x i32> -> !obs.push<grid, 2 x 2 x i32>
  %q = obs.reverse %p : !obs.push<grid, 2 x 2 x i32>
  %i = obs.interleave %p, %q : !obs.push<grid, 2 x 2 x i32>, !obs.push<grid, 2 x 2 x i32> -> !obs.push<grid, 4 x 2 x i32>
  %r = obs.force %i : !obs.push<grid, 4 x 2 x i32> -> !obs.pull<4 x 2 x i32>
  return %r : !obs.pull<4 x 2 x i32>
}
