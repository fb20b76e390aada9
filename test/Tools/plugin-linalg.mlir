// The stock mlir-opt takes a program of linalg to NVVM, with its own
// generalisation of named operations before and our plugin.
// REQUIRES: mlir-opt
// RUN: mlir-opt --load-dialect-plugin=%obs_lib/ObsPlugin.so --load-pass-plugin=%obs_lib/ObsPlugin.so --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops),convert-linalg-to-obs,obs-to-gpu{threads=64},gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm))' %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%obs_lib/ObsPlugin.so --load-pass-plugin=%obs_lib/ObsPlugin.so --pass-pipeline='builtin.module(convert-linalg-to-obs,obs-to-nvvm)' %s | FileCheck %s --check-prefix=PTX

// CHECK: gpu.module
// CHECK: llvm.func @{{.*}} nvvm.kernel
// CHECK-NOT: linalg.
// PTX: .visible .entry
func.func @main(%a: tensor<?x40xf32>, %b: tensor<40x30xf32>) -> tensor<?x30xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%n) : tensor<?x30xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x30xf32>) -> tensor<?x30xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x40xf32>, tensor<40x30xf32>) outs(%f : tensor<?x30xf32>) -> tensor<?x30xf32>
  %r = linalg.abs ins(%p : tensor<?x30xf32>) outs(%e : tensor<?x30xf32>) -> tensor<?x30xf32>
  return %r : tensor<?x30xf32>
}
