// RUN: obs-run %s --device=interpret iota:5xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:5xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=32 --blocks=3 --schedule=random --seed=2 iota:5xi32 | FileCheck %s

// Fused, a force in place was refused by rule R8, which it keeps.

// CHECK: [1, 2, 3, 4, 5]
func.func @main(%m: memref<?xi32>) -> !obs.pull<? x i32> {
  %one = arith.constant 1 : i32
  %a = obs.view %m : memref<?xi32>
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
