// RUN: obs-run %s --entry=matrix iota:2x3xi32 | FileCheck %s --check-prefix=MATRIX
// RUN: obs-run %s --device=emulate --threads=17 --entry=matrix iota:2x3xi32 | FileCheck %s --check-prefix=MATRIX
// RUN: obs-run %s --entry=cube iota:2x3x4xi32 | FileCheck %s --check-prefix=CUBE
// RUN: obs-run %s --device=emulate --threads=17 --entry=cube iota:2x3x4xi32 | FileCheck %s --check-prefix=CUBE

// Element (r, c) of the result is 3 c + r; and back again as a push array.
// MATRIX: [0, 3],
// MATRIX-NEXT: [1, 4],
// MATRIX-NEXT: [2, 5]
// MATRIX-NEXT: [0, 1, 2],
// MATRIX-NEXT: [3, 4, 5]
func.func @matrix(%a: !obs.pull<2 x ? x i32>) -> (!obs.pull<? x 2 x i32>, !obs.pull<2 x ? x i32>) {
  %t = obs.transpose %a [1, 0] : !obs.pull<2 x ? x i32>
  %p = obs.push %t : !obs.pull<? x 2 x i32> -> !obs.push<grid, ? x 2 x i32>
  %q = obs.transpose %p [1, 0] : !obs.push<grid, ? x 2 x i32>
  %f = obs.force %q : !obs.push<grid, 2 x ? x i32> -> !obs.pull<2 x ? x i32>
  return %t, %f : !obs.pull<? x 2 x i32>, !obs.pull<2 x ? x i32>
}

// Source (i, j, k) is 12 i + 4 j + k. Result dimension 0 is source dimension 2,
// 1 is 0, 2 is 1: result (k, i, j); element (3, 1, 2) is 12 + 8 + 3.
// CUBE: {{^}}23{{$}}
// CUBE-NEXT: {{^}}23{{$}}
func.func @cube(%a: !obs.pull<2 x 3 x 4 x i32>) -> (i32, i32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = obs.transpose %a [2, 0, 1] : !obs.pull<2 x 3 x 4 x i32>
  %x = obs.get %t[%c3, %c1, %c2] : !obs.pull<4 x 2 x 3 x i32>
  %p = obs.push %a : !obs.pull<2 x 3 x 4 x i32> -> !obs.push<grid, 2 x 3 x 4 x i32>
  %q = obs.transpose %p [2, 0, 1] : !obs.push<grid, 2 x 3 x 4 x i32>
  %f = obs.force %q : !obs.push<grid, 4 x 2 x 3 x i32> -> !obs.pull<4 x 2 x 3 x i32>
  %y = obs.get %f[%c3, %c1, %c2] : !obs.pull<4 x 2 x 3 x i32>
  return %x, %y : i32, i32
}
