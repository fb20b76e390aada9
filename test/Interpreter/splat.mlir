// RUN: obs-run %s --entry=splat 1.5 -7 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --device=emulate --threads=17 --entry=splat 1.5 -7 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=splat 1.5 -7 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --device=emulate --threads=17 --entry=splat 1.5 -7 0 | FileCheck %s --check-prefix=ZERO

// THREE: {{^}}[1.5, 1.5, 1.5]{{$}}
// THREE-NEXT: {{^}}[-7, -7, -7]{{$}}
// ZERO: {{^}}[]{{$}}
// ZERO-NEXT: {{^}}[]{{$}}
func.func @splat(%x: f32, %y: i32, %n: index) -> !obs.pull<? x f32, i32> {
  %a = obs.splat %x, %y [%n] : !obs.pull<? x f32, i32>
  return %a : !obs.pull<? x f32, i32>
}
