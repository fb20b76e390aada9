// Operations in memory, in order and in place: twice [[0 1] [2 3]] + [[0 1 2] [3 4 5]] [[0 1] [2 3] [4 5]].
//
// RUN: obs-run %s iota:2x3xi32 iota:3x2xi32 iota:2x2xi32 --device=interpret | FileCheck %s
// RUN: obs-run %s iota:2x3xi32 iota:3x2xi32 iota:2x2xi32 --device=emulate | FileCheck %s
// CHECK: {{\[\[}}20, 28],
// CHECK-NEXT: [60, 86]]
func.func @main(%a: memref<?x?xi32>, %b: memref<?x?xi32>, %c: memref<2x2xi32>) -> tensor<2x2xi32> {
  linalg.matmul ins(%a, %b : memref<?x?xi32>, memref<?x?xi32>) outs(%c : memref<2x2xi32>)
  linalg.add ins(%c, %c : memref<2x2xi32>, memref<2x2xi32>) outs(%c : memref<2x2xi32>)
  %t = bufferization.to_tensor %c restrict : memref<2x2xi32> to tensor<2x2xi32>
  return %t : tensor<2x2xi32>
}
