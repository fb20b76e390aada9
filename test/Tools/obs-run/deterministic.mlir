// A sum of floats in one pass is rounded as blocks happen to meet; with
// --deterministic the bits depend on the number of elements alone, not on
// threads, blocks and their order.
//
// DEFINE: %{run} = obs-run %s --device=emulate random:20000xf32:1 --schedule=random
// RUN: %{run} --deterministic --blocks=2 --threads=96 --seed=1 --out=%t.1
// RUN: %{run} --deterministic --blocks=5 --threads=64 --seed=2 --out=%t.2
// RUN: %{run} --deterministic --threads=256 --seed=3 --out=%t.3
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: %{run} --deterministic --report --seed=1 --out=%t.4 | FileCheck %s --check-prefix=THREE
// THREE-COUNT-3: launch:
// RUN: %{run} --report --seed=1 --out=%t.4 | FileCheck %s --check-prefix=ONE
// ONE-COUNT-1: launch:
// ONE-NOT: launch:
// RUN: obs-translate %s --obs-to-ptx --deterministic | FileCheck %s --check-prefix=PTX
// PTX-NOT: fence
// PTX-COUNT-3: .visible .entry
func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %zero = arith.constant 0.0 : f32
  %s = obs.scan inclusive (%x, %y) = %a init %zero {strategy = "one_pass"} : !obs.pull<? x f32> -> !obs.push<grid, ? x f32> {
    %r = arith.addf %x, %y : f32
    obs.yield %r : f32
  }
  %f = obs.force %s : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}
