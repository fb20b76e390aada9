// RUN: obs-run %s --entry=slice iota:10xi32 1 3 4 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --device=emulate --threads=17 --entry=slice iota:10xi32 1 3 4 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=slice iota:10xi32 10 0 1 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=slice iota:10xi32 10 0 1 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=slice iota:10xi32 2 3 4 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=corner iota:4x4xi32 | FileCheck %s --check-prefix=CORNER
// RUN: obs-run %s --device=emulate --threads=17 --entry=corner iota:4x4xi32 | FileCheck %s --check-prefix=CORNER

// 1, 1 + 4, 1 + 8; the last of 2, 6, 10 is too far.
// ODD: {{^}}[1, 5, 9]{{$}}
// NONE: {{^}}[]{{$}}
// RANGE: slice.mlir:[[#@LINE+2]]:8: error: [R4-range] the slice [2] [3] [4] leaves the extent 10 of dimension 0
func.func @slice(%a: !obs.pull<? x i32>, %o: index, %n: index, %s: index) -> !obs.pull<? x i32> {
  %r = obs.slice %a [%o] [%n] [%s] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Rows 1 and 2; columns 0 and 3.
// CORNER: [4, 7],
// CORNER-NEXT: [8, 11]
func.func @corner(%a: !obs.pull<4 x 4 x i32>) -> !obs.pull<2 x 2 x i32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = obs.slice %a [1, 0] [2, %c2] [1, %c3] : !obs.pull<4 x 4 x i32> -> !obs.pull<2 x 2 x i32>
  return %r : !obs.pull<2 x 2 x i32>
}
