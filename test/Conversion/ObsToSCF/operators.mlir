// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-translate --obs-to-host-c %s | FileCheck %s --check-prefix=HOST
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX

// A function that combines writes becomes the body of an atomic operation, and
// that a loop of compare-and-swap, of 32 bits for floats and for bytes, too.
// The function itself is no host code.
// CHECK-NOT: func.func private
// HOST-NOT: largest
// HOST: main(
// CHECK-LABEL: gpu.func @floats
// CHECK: %[[X:.*]] = memref.load
// CHECK: memref.generic_atomic_rmw
// CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32):
// CHECK: %[[A:.*]] = math.absf %[[OLD]]
// CHECK: %[[B:.*]] = math.absf %[[X]]
// CHECK: %[[C:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK: memref.atomic_yield %[[C]]
// PTX-LABEL: .entry floats
// PTX: atom.relaxed.gpu.global.cas.b32
// PTX-LABEL: .entry bytes
// PTX: atom.relaxed.gpu.global.cas.b32
// PTX-LABEL: .entry longs
// PTX: atom.relaxed.gpu.global.cas.b64
func.func @main(%a: !obs.pull<? x f32>, %b: !obs.pull<? x i8>, %c: !obs.pull<? x i64>, %z: f32, %y: i8, %x: i64) -> (!obs.pull<4 x f32>, !obs.pull<4 x i8>, !obs.pull<4 x i64>) {
  %mask = arith.constant 3 : index
  %n = obs.dim %a, 0 : !obs.pull<? x f32>
  %p = obs.fill init %z reduce(@largest) par (%t) in (%n) {
    %e = obs.get %a[%t] : !obs.pull<? x f32>
    %i = arith.andi %t, %mask : index
    obs.write %e at [%i] : f32
  } {strategy = "atomic"} : !obs.push<grid, 4 x f32>
  %q = obs.fill init %y reduce(@saturate) par (%t) in (%n) {
    %e = obs.get %b[%t] : !obs.pull<? x i8>
    %i = arith.andi %t, %mask : index
    obs.write %e at [%i] : i8
  } {strategy = "atomic"} : !obs.push<grid, 4 x i8>
  %r = obs.fill init %x reduce(@product) par (%t) in (%n) {
    %e = obs.get %c[%t] : !obs.pull<? x i64>
    %i = arith.andi %t, %mask : index
    obs.write %e at [%i] : i64
  } {strategy = "atomic"} : !obs.push<grid, 4 x i64>
  %f = obs.force %p {kernel = "floats"} : !obs.push<grid, 4 x f32> -> !obs.pull<4 x f32>
  %g = obs.force %q {kernel = "bytes"} : !obs.push<grid, 4 x i8> -> !obs.pull<4 x i8>
  %h = obs.force %r {kernel = "longs"} : !obs.push<grid, 4 x i64> -> !obs.pull<4 x i64>
  return %f, %g, %h : !obs.pull<4 x f32>, !obs.pull<4 x i8>, !obs.pull<4 x i64>
}

func.func private @largest(%x: f32, %y: f32) -> f32 {
  %v = math.absf %x : f32
  %w = math.absf %y : f32
  %z = arith.maximumf %v, %w : f32
  return %z : f32
}

// Of numbers without sign.
func.func private @saturate(%x: i8, %y: i8) -> i8 {
  %all = arith.constant -1 : i8
  %sum, %over = arith.addui_extended %x, %y : i8, i1
  %z = arith.select %over, %all, %sum : i8
  return %z : i8
}

func.func private @product(%x: i64, %y: i64) -> i64 {
  %z = arith.muli %x, %y : i64
  return %z : i64
}
