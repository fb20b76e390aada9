// RUN: obs-opt %s --convert-linalg-to-obs --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s

// 128 threads with 64 sums each.
// CHECK-LABEL: .entry large_kernel(
// CHECK: .maxntid 128, 1, 1
// CHECK-NEXT: .maxnreg 200
func.func @large(%a: tensor<1024x64xf32>, %b: tensor<64x1024xf32>, %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1024x64xf32>, tensor<64x1024xf32>) outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

// 256 threads with 16 sums each.
// CHECK-LABEL: .entry small_kernel(
// CHECK: .maxntid 256, 1, 1
// CHECK-NOT: .maxnreg
func.func @small(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
