// A scan of floats in one pass has the same bits on any threads and blocks, in
// any order of them: tiles are combined from the left, whatever is known first.
// --deterministic does not change it.
//
// DEFINE: %{run} = obs-run %s --device=emulate random:20000xf32:1 --schedule=random
// RUN: %{run} --blocks=2 --threads=96 --seed=1 --out=%t.1
// RUN: %{run} --blocks=5 --threads=64 --seed=2 --out=%t.2
// RUN: %{run} --threads=256 --seed=3 --out=%t.3
// RUN: %{run} --deterministic --report --seed=1 --out=%t.4 | FileCheck %s
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: cmp %t.1 %t.4
// CHECK-COUNT-1: launch:
// CHECK-NOT: launch:
func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %zero = arith.constant 0.0 : f32
  %s = obs.scan inclusive (%x, %y) = %a init %zero {strategy = "one_pass"} : !obs.pull<? x f32> -> !obs.push<grid, ? x f32> {
    %r = arith.addf %x, %y : f32
    obs.yield %r : f32
  }
  %f = obs.force %s : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}
