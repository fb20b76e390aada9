// RUN: obs-run %s --entry=pull iota:5xi32 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:5xi32 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --entry=pull iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=columns iota:2x3xi32 | FileCheck %s --check-prefix=COLUMNS
// RUN: obs-run %s --device=emulate --threads=17 --entry=columns iota:2x3xi32 | FileCheck %s --check-prefix=COLUMNS

// PULL: {{^}}[4, 3, 2, 1, 0]{{$}}
// NONE: {{^}}[]{{$}}
func.func @pull(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = obs.reverse %a : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Rows stay where they are. As a push array, twice along dimension 1 and once
// along dimension 0.
// COLUMNS: [2, 1, 0],
// COLUMNS-NEXT: [5, 4, 3]
// COLUMNS-NEXT: [3, 4, 5],
// COLUMNS-NEXT: [0, 1, 2]
func.func @columns(%a: !obs.pull<2 x 3 x i32>) -> (!obs.pull<2 x 3 x i32>, !obs.pull<2 x 3 x i32>) {
  %r = obs.reverse %a dim 1 : !obs.pull<2 x 3 x i32>
  %p = obs.push %r : !obs.pull<2 x 3 x i32> -> !obs.push<grid, 2 x 3 x i32>
  %q = obs.reverse %p dim 1 : !obs.push<grid, 2 x 3 x i32>
  %s = obs.reverse %q : !obs.push<grid, 2 x 3 x i32>
  %f = obs.force %s : !obs.push<grid, 2 x 3 x i32> -> !obs.pull<2 x 3 x i32>
  return %r, %f : !obs.pull<2 x 3 x i32>, !obs.pull<2 x 3 x i32>
}
