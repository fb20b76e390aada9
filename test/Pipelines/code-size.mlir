// Loops stay loops, so the code does not depend on the number of elements: the
// same lines for 2^16 and for 2^26 of them. All tiles are full.

// RUN: sed s/SIZE/65536/g %s > %t.small.mlir
// RUN: sed s/SIZE/67108864/g %s > %t.large.mlir
// RUN: obs-translate --obs-to-ptx %t.small.mlir | grep -c . > %t.small
// RUN: obs-translate --obs-to-ptx %t.large.mlir | grep -c . > %t.large
// RUN: diff %t.small %t.large
// RUN: obs-translate --obs-to-ptx %t.large.mlir | FileCheck %s
// CHECK: .visible .entry twice(
// CHECK-COUNT-1: ld.global.nc.v4.b32
// CHECK-NOT: ld.global

func.func @main(%a: !obs.pull<SIZE x f32>) -> !obs.pull<SIZE x f32> {
  %b = obs.map (%x = %a : !obs.pull<SIZE x f32>) -> !obs.pull<SIZE x f32> {
    %y = arith.addf %x, %x : f32
    obs.yield %y : f32
  }
  %p = obs.push %b : !obs.pull<SIZE x f32> -> !obs.push<grid, SIZE x f32>
  %r = obs.force %p {kernel = "twice"} : !obs.push<grid, SIZE x f32> -> !obs.pull<SIZE x f32>
  return %r : !obs.pull<SIZE x f32>
}
