// Arrays run on the interpreter and, as kernels, on the emulator, and the
// launch parameters do not change the result.
//
// RUN: obs-run %s --entry=scale iota:10xi32 -3 | FileCheck %s --check-prefix=SCALE
// RUN: obs-run %s --entry=scale --device=emulate iota:10xi32 -3 | FileCheck %s --check-prefix=SCALE
// RUN: obs-run %s --entry=scale --device=emulate --threads=3 --blocks=2 iota:10xi32 -3 \
// RUN:   | FileCheck %s --check-prefix=SCALE
// RUN: obs-run %s --entry=scale --device=emulate --schedule=random --seed=5 iota:10xi32 -3 \
// RUN:   | FileCheck %s --check-prefix=SCALE
// SCALE: {{^}}[0, -3, -6, -9, -12, -15, -18, -21, -24, -27]{{$}}
// SCALE: {{^}}10{{$}}

// The report tells the launch parameters that were asked for.
// RUN: obs-run %s --entry=scale --device=emulate --report --threads=64 --blocks=3 \
// RUN:   random:1000xi32:1 7 | FileCheck %s --check-prefix=REPORT
// REPORT: launch: kernel=scale blocks=3 threads=64 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=4000 bytes-stored=4000

// A private function runs as well, and prints on the host.
// RUN: obs-run %s --entry=third iota:10xi32 | FileCheck %s --check-prefix=THIRD
// RUN: obs-run %s --entry=third --device=emulate iota:10xi32 | FileCheck %s --check-prefix=THIRD
// THIRD: 10 elements, the third is 2

// An error of the lowering is one diagnostic, only for the function that runs.
// RUN: not obs-run %s --entry=endless --device=emulate iota:10xi32 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENDLESS --implicit-check-not=error: --implicit-check-not=note:

func.func @scale(%a: !obs.pull<? x i32>, %x: i32) -> (!obs.pull<? x i32>, index) {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %b = obs.map (%v = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %r = arith.muli %v, %x : i32
    obs.yield %r : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "scale"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f, %n : !obs.pull<? x i32>, index
}

func.func private @third(%a: !obs.pull<? x i32>) {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %c2 = arith.constant 2 : index
  %r = obs.get %a[%c2] : !obs.pull<? x i32>
  obs.print "{} elements, the third is {}", %n, %r : index, i32
  return
}

func.func @endless(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  // ENDLESS: emulate.mlir:[[#@LINE+1]]:8: error: {{.*}}[call-inline]
  %r = func.call @endless(%a) : (!obs.pull<? x i32>) -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
