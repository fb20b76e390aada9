// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s

// Two tables of one program had one name.

// CHECK: [5, 9]
func.func @main() -> !obs.pull<2 x i32> {
  %a = obs.constant dense<[1, 4]> : tensor<2xi32>
  %b = obs.constant dense<[4, 5]> : tensor<2xi32>
  %s = obs.map (%x = %a : !obs.pull<2 x i32>, %y = %b : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %s : !obs.pull<2 x i32> -> !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}
