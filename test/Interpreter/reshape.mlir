// RUN: obs-run %s --entry=pull iota:6xi32 3 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:6xi32 3 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --entry=pull iota:0xi32 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=pull iota:0xi32 0 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=pull iota:6xi32 4 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: obs-run %s --entry=push iota:2x3xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:2x3xi32 | FileCheck %s --check-prefix=PUSH

// PULL: [0, 1],
// PULL-NEXT: [2, 3],
// PULL-NEXT: [4, 5]
// NONE: {{^}}[]{{$}}
// SIZE: reshape.mlir:[[#@LINE+2]]:8: error: [R4-size] cannot reshape extents [6] to [4, 2]
func.func @pull(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x 2 x i32> {
  %r = obs.reshape %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x 2 x i32>
  return %r : !obs.pull<? x 2 x i32>
}

// PUSH: [0, 1],
// PUSH-NEXT: [2, 3],
// PUSH-NEXT: [4, 5]
func.func @push(%a: !obs.pull<2 x 3 x i32>) -> !obs.pull<3 x 2 x i32> {
  %p = obs.push %a : !obs.pull<2 x 3 x i32> -> !obs.push<grid, 2 x 3 x i32>
  %q = obs.reshape %p : !obs.push<grid, 2 x 3 x i32> -> !obs.push<grid, 3 x 2 x i32>
  %r = obs.force %q : !obs.push<grid, 3 x 2 x i32> -> !obs.pull<3 x 2 x i32>
  return %r : !obs.pull<3 x 2 x i32>
}
