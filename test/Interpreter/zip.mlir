// RUN: obs-run %s --entry=zip iota:3xi32 iota:3xf32 | FileCheck %s --check-prefix=ZIP
// RUN: obs-run %s --device=emulate --threads=17 --entry=zip iota:3xi32 iota:3xf32 | FileCheck %s --check-prefix=ZIP
// RUN: not obs-run %s --entry=zip iota:3xi32 iota:4xf32 2>&1 | FileCheck %s --check-prefix=EXTENTS

// ZIP: {{^}}[0, 1, 2]{{$}}
// ZIP-NEXT: {{^}}[2.0, 1.0, 0.0]{{$}}
// ZIP-NEXT: {{^}}[0, 1, 2]{{$}}
// EXTENTS: zip.mlir:[[#@LINE+3]]:8: error: [R4-extents] the arrays have extents [4] and [3]
func.func @zip(%a: !obs.pull<? x i32>, %b: !obs.pull<? x f32>) -> !obs.pull<? x i32, f32, i32> {
  %r = obs.reverse %b : !obs.pull<? x f32>
  %z = obs.zip %a, %r : !obs.pull<? x i32>, !obs.pull<? x f32>
  %w = obs.zip %z, %a : !obs.pull<? x i32, f32>, !obs.pull<? x i32>
  return %w : !obs.pull<? x i32, f32, i32>
}
