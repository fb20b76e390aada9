// RUN: obs-run %s --entry=get iota:2x3xi32 1 2 | FileCheck %s --check-prefix=GET
// RUN: obs-run %s --device=emulate --threads=17 --entry=get iota:2x3xi32 1 2 | FileCheck %s --check-prefix=GET
// RUN: not obs-run %s --entry=get iota:2x3xi32 0 3 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not obs-run %s --entry=get iota:2x3xi32 -- -1 0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: obs-run %s --entry=pair iota:4xi32 iota:4xi64 3 | FileCheck %s --check-prefix=PAIR
// RUN: obs-run %s --device=emulate --threads=17 --entry=pair iota:4xi32 iota:4xi64 3 | FileCheck %s --check-prefix=PAIR

// Row 1, column 2 of three columns.
// GET: {{^}}5{{$}}
// RANGE: get.mlir:[[#@LINE+3]]:8: error: index [0, 3] is outside of the extents [2, 3]
// NEGATIVE: get.mlir:[[#@LINE+2]]:8: error: index [-1, 0] is outside of the extents [2, 3]
func.func @get(%a: !obs.pull<? x ? x i32>, %i: index, %j: index) -> i32 {
  %x = obs.get %a[%i, %j] : !obs.pull<? x ? x i32>
  return %x : i32
}

// PAIR: {{^}}3{{$}}
// PAIR-NEXT: {{^}}3{{$}}
func.func @pair(%a: !obs.pull<? x i32, i64>, %i: index) -> (i64, i32) {
  %x, %y = obs.get %a[%i] : !obs.pull<? x i32, i64>
  return %y, %x : i64, i32
}
