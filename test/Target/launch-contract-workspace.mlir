// RUN: obs-translate --obs-to-launch-json %s | FileCheck %s

// Blocks publish results for the last one, and count the blocks that are done.
// Both are parameters of the kernel like others; the counter starts from 0.
// CHECK: "entry": "main_kernel"
// CHECK: "access": "readwrite"
// CHECK: "elementType": "f32"
// CHECK: "access": "accumulate"
// CHECK: "elementType": "i32"
// CHECK: "initial": {
// CHECK-NEXT: "fill": 0
// CHECK: "access": "write"
// CHECK: "elementType": "f32"
// CHECK-NOT: "entry"
func.func @main(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}
