// RUN: obs-opt %s --convert-linalg-to-obs --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s

// 128 threads with 64 sums each.
// CHECK-LABEL: .entry large_kernel(
// CHECK: .maxntid 128, 1, 1
// CHECK-NEXT: .maxnreg 200
func.func @large(%a: tensor<1024x64xf32>, %b: tensor<64x1024xf32>, %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1024x64xf32>, tensor<64x1024xf32>) outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

// 128 threads with 128 sums each.
// CHECK-LABEL: .entry product_kernel(
// CHECK: .maxntid 128, 1, 1
// CHECK-NEXT: .maxnreg 255
func.func @product(%a: !obs.pull<128 x 256 x bf16>, %b: !obs.pull<256 x 128 x bf16>) -> !obs.pull<1 x 128 x 128 x f32> {
  %zero = arith.constant 0.0 : f32
  %one = obs.iota : !obs.pull<1 x index>
  %tiles = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %p = obs.matmul %a, %b init %zero : !obs.pull<128 x 256 x bf16>, !obs.pull<256 x 128 x bf16> -> !obs.push<block, 128 x 128 x f32>
    obs.yield %p : !obs.push<block, 128 x 128 x f32>
  }
  %r = obs.force %tiles {kernel = "product_kernel", threads = 128 : i64} : !obs.push<grid, 1 x 128 x 128 x f32>
  return %r : !obs.pull<1 x 128 x 128 x f32>
}

// 256 threads with 16 sums each.
// CHECK-LABEL: .entry small_kernel(
// CHECK: .maxntid 256, 1, 1
// CHECK-NOT: .maxnreg
func.func @small(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
