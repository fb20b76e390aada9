// A kernel that another one reads stands in the program of the other one. It runs before.
// RUN: obs-opt %s --obs-hoist-forces | FileCheck %s

// CHECK-LABEL: func.func @nested
// CHECK: %[[FIRST:.*]] = obs.fill par
// CHECK: %[[F:.*]] = obs.force %[[FIRST]]
// CHECK: %[[P:.*]] = obs.fill par
// CHECK-NEXT: obs.get %[[F]]
// CHECK: obs.force %[[P]]
func.func @nested(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %p = obs.fill {
    %q = obs.fill par (%i) in (%c8) {
      %x = obs.get %a[%i] : !obs.pull<8 x i32>
      obs.write %x at [%i] : i32
    } : !obs.push<grid, 8 x i32>
    %f = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    obs.par (%i) in (%c8) {
      %x = obs.get %f[%i] : !obs.pull<8 x i32>
      %y = arith.addi %x, %x : i32
      obs.write %y at [%i] : i32
    }
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
