// Sources survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: @view(
// CHECK-SAME: %[[M:.*]]: memref<?x4xf32>, %[[N:.*]]: memref<?x4xi32>
func.func @view(%m: memref<?x4xf32>, %n: memref<?x4xi32>) -> !obs.pull<? x 4 x f32, i32> {
  // CHECK: obs.view %[[M]], %[[N]] : memref<?x4xf32>, memref<?x4xi32>
  %a = obs.view %m, %n : memref<?x4xf32>, memref<?x4xi32>
  return %a : !obs.pull<? x 4 x f32, i32>
}

// CHECK-LABEL: @constant(
func.func @constant() -> (!obs.pull<4 x i32>, !obs.pull<2 x 2 x f16>) {
  // CHECK: obs.constant dense<[2, 3, 5, 7]> : tensor<4xi32>
  %a = obs.constant dense<[2, 3, 5, 7]> : tensor<4xi32>
  // CHECK: obs.constant dense<1.500000e+00> : tensor<2x2xf16>
  %b = obs.constant dense<1.5> : tensor<2x2xf16>
  return %a, %b : !obs.pull<4 x i32>, !obs.pull<2 x 2 x f16>
}

// CHECK-LABEL: @iota(
// CHECK-SAME: %[[N:.*]]: index
func.func @iota(%n: index) {
  // CHECK: obs.iota : !obs.pull<16 x i8>
  %a = obs.iota : !obs.pull<16 x i8>
  // CHECK: obs.iota[%[[N]]] : !obs.pull<? x index bound [64]>
  %b = obs.iota [%n] : !obs.pull<? x index bound [64]>
  return
}

// CHECK-LABEL: @splat(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: i32, %[[N:.*]]: index
func.func @splat(%x: f32, %y: i32, %n: index, %a: !obs.pull<4 x i32>) {
  // CHECK: obs.splat %[[X]] : !obs.pull<1 x f32>
  %one = obs.splat %x : !obs.pull<1 x f32>
  // CHECK: obs.splat %[[X]], %[[Y]] [%[[N]], %[[N]]] : !obs.pull<? x 3 x ? x f32, i32>
  %many = obs.splat %x, %y [%n, %n] : !obs.pull<? x 3 x ? x f32, i32>
  // CHECK: obs.splat %{{.*}} : !obs.pull<2 x !obs.pull<4 x i32>>
  %rows = obs.splat %a : !obs.pull<2 x !obs.pull<4 x i32>>
  return
}

// CHECK-LABEL: @generate(
// CHECK-SAME: %[[N:.*]]: index
func.func @generate(%n: index) {
  // CHECK: obs.generate (%[[R:.*]], %[[C:.*]]) [%[[N]]] {
  // CHECK-NEXT: obs.yield %[[R]], %[[C]] : index, index
  // CHECK-NEXT: } {name = "pairs"} : !obs.pull<? x 4 x index, index>
  %a = obs.generate (%r, %c) [%n] {
    obs.yield %r, %c : index, index
  } {name = "pairs"} : !obs.pull<? x 4 x index, index>
  return
}
