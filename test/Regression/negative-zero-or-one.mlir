// A choice between -0 and 1 by a comparison with 1. The assembler of CUDA 13.0 makes 0 of the -0, so
// the PTX chooses between integers.

// RUN: obs-run %s --device=interpret iota:4xf32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:4xf32 | FileCheck %s
// RUN: %if cuda %{ obs-run %s --device=cuda iota:4xf32 | FileCheck %s %}
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX --implicit-check-not=selp.f32

// CHECK: [-0.0, 1.0, -0.0, -0.0]
// PTX: selp.b32 {{.*}}, -2147483648, 1065353216
func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %zero = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = obs.map (%x = %a : !obs.pull<? x f32>) {
    %other = arith.cmpf une, %x, %one : f32
    %y = arith.select %other, %zero, %x : f32
    obs.yield %y : f32
  }
  %f = obs.force %r : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}
