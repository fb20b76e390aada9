// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=KERNEL
// RUN: obs-run %s --device=emulate iota:5xi32 | FileCheck %s --check-prefix=RESULT

// KERNEL: gpu.func @scale
// KERNEL: arith.muli
// RESULT: [0, 3, 6, 9, 12]
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %three = arith.constant 3 : i32
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %y = arith.muli %x, %three : i32
    obs.yield %y : i32
  }
  %f = obs.force %r {kernel = "scale"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
