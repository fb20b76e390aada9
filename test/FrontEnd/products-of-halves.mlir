// Products of f16 and bf16 that are added in f32 in any order are those of tensor cores. The functions of a product are a part of
// its kernel.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: obs-translate --obs-to-ptx %t | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: func.func @large(
// CHECK:       %[[PRODUCT:.*]] = obs.matmul %{{.*}}, %{{.*}} init %{{.*}} {contract} : !obs.pull<1 x 64 x 96 x bf16>, !obs.pull<1 x 96 x 128 x bf16> -> !obs.push<grid, 1 x 64 x 128 x f32>
// CHECK:       %[[ALL:.*]] = obs.reshape %[[PRODUCT]] : !obs.push<grid, 1 x 64 x 128 x f32> -> !obs.push<grid, 64 x 128 x f32>
// CHECK:       obs.map (%{{.*}} = %[[ALL]] : !obs.push<grid, 64 x 128 x f32>)
// CHECK:       obs.force %{{.*}} : !obs.push<grid, 64 x 128 x bf16>
// CHECK-NOT:   obs.force
// CHECK:       return
// PTX-LABEL: .entry large_kernel
// PTX:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
"func.func"() <{function_type = (tensor<64x96xbf16>, tensor<128x96xbf16>) -> tensor<64x128xbf16>, sym_name = "large"}> ({
^bb0(%x: tensor<64x96xbf16>, %w: tensor<128x96xbf16>):
  %p = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<64x96xbf16>, tensor<128x96xbf16>) -> tensor<64x128xbf16>
  %r = "stablehlo.tanh"(%p) : (tensor<64x128xbf16>) -> tensor<64x128xbf16>
  "func.return"(%r) : (tensor<64x128xbf16>) -> ()
}) : () -> ()
