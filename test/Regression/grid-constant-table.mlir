// RUN: obs-run %s --device=interpret iota:8xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:8xi32 | FileCheck %s

// A table that host code forces `in constant` was refused after outlining.

// Each element of 0..7 read through the table 7..0.
// CHECK: [7, 6, 5, 4, 3, 2, 1, 0]
func.func @main(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %t = obs.generate (%i) {
    %c7 = arith.constant 7 : index
    %j = arith.subi %c7, %i : index
    obs.yield %j : index
  } : !obs.pull<8 x index>
  %p = obs.push %t : !obs.pull<8 x index> -> !obs.push<grid, 8 x index>
  %table = obs.force %p in constant : !obs.push<grid, 8 x index> -> !obs.pull<8 x index>
  %g = obs.generate (%i) {
    %j = obs.get %table[%i] : !obs.pull<8 x index>
    %x = obs.get %a[%j] : !obs.pull<8 x i32>
    obs.yield %x : i32
  } : !obs.pull<8 x i32>
  %q = obs.push %g : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
