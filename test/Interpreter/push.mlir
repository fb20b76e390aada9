// RUN: obs-run %s --entry=push iota:2x2xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:2x2xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=push iota:0x2xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:0x2xi32 | FileCheck %s --check-prefix=NONE

// PUSH: [0, 1],
// PUSH-NEXT: [2, 3]
// NONE: {{^}}[]{{$}}
func.func @push(%a: !obs.pull<? x 2 x i32>) -> !obs.pull<? x 2 x i32> {
  %p = obs.push %a : !obs.pull<? x 2 x i32> -> !obs.push<grid, ? x 2 x i32>
  %r = obs.force %p : !obs.push<grid, ? x 2 x i32> -> !obs.pull<? x 2 x i32>
  return %r : !obs.pull<? x 2 x i32>
}
