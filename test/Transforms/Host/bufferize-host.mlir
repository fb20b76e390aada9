// RUN: obs-opt %s --obs-bufferize-host | FileCheck %s

obs.kernel @k(%a: memref<?xi32>, %out: memref<1xi32>) {
}

// The host reads one element.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: memref<?xi32>, %[[I:.*]]: index) -> i32
// CHECK: %[[OUT:.*]] = gpu.alloc
// CHECK: obs.launch @k {{.*}} args(%[[A]], %[[OUT]])
// CHECK: %[[ELEMENT:.*]] = memref.subview %[[OUT]][%[[I]]]
// CHECK: %[[HOST:.*]] = memref.alloca() : memref<1xi32>
// CHECK: gpu.memcpy %[[HOST]], %[[ELEMENT]]
// CHECK: %[[X:.*]] = memref.load %[[HOST]]
// CHECK: return %[[X]]
func.func @main(%a: !obs.pull<? x i32>, %i: index) -> i32 {
  %m = builtin.unrealized_conversion_cast %a : !obs.pull<? x i32> to memref<?xi32>
  %out = gpu.alloc() : memref<1xi32>
  obs.launch @k work [] [] args(%m, %out) : memref<?xi32>, memref<1xi32>
  %r = obs.view %out : memref<1xi32>
  %x = obs.get %r[%i] : !obs.pull<1 x i32>
  return %x : i32
}

// Loops and branches carry memory; a pair is two memrefs, and part of an array is a view.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[X:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?xf32>, %[[C:arg2]]: i1, %[[N:.*]]: index) -> memref<?xf32>
// CHECK: %[[R:.*]]:2 = scf.if %[[C]] -> (memref<?xi32>, memref<?xf32>)
// CHECK: %[[L:.*]] = memref.reinterpret_cast %[[R]]#1 to offset: [0], sizes: [%[[N]]]
// CHECK: return %[[L]]
func.func @carried(%a: !obs.pull<? x i32, f32>, %c: i1, %n: index) -> !obs.pull<? x f32> {
  %r = scf.if %c -> !obs.pull<? x i32, f32> {
    %s = scf.for %i = %n to %n step %n iter_args(%x = %a) -> !obs.pull<? x i32, f32> {
      scf.yield %x : !obs.pull<? x i32, f32>
    }
    scf.yield %s : !obs.pull<? x i32, f32>
  } else {
    scf.yield %a : !obs.pull<? x i32, f32>
  }
  %u, %f = obs.unzip %r : !obs.pull<? x i32, f32>
  %t = obs.take %f [%n] : !obs.pull<? x f32> -> !obs.pull<? x f32>
  return %t : !obs.pull<? x f32>
}
