// RUN: obs-opt %s --obs-freeze-integers | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @unsigned(
  // CHECK-SAME: %[[X:.*]]: bf16, %[[B:.*]]: i8, %[[A:.*]]: memref<4xf32>, %[[D:.*]]: memref<f64>)
  // CHECK: %[[I:.*]] = arith.fptosi %[[X]] : bf16 to i32
  // CHECK: %[[J:.*]] = llvm.freeze %[[I]] : i32
  // CHECK: arith.uitofp %[[J]] : i32 to f32
  // f32 has all digits of i8, and f64 those of i32.
  // CHECK: arith.uitofp %[[B]] : i8 to f32
  // CHECK: arith.uitofp %[[I]] : i32 to f64
  // CHECK: arith.sitofp %[[I]] : i32 to f32
  gpu.func @unsigned(%x: bf16, %b: i8, %a: memref<4xf32>, %m: memref<f64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i = arith.fptosi %x : bf16 to i32
    %f = arith.uitofp %i : i32 to f32
    %g = arith.uitofp %b : i8 to f32
    %d = arith.uitofp %i : i32 to f64
    %s = arith.sitofp %i : i32 to f32
    memref.store %f, %a[%c0] : memref<4xf32>
    memref.store %g, %a[%c1] : memref<4xf32>
    memref.store %s, %a[%c2] : memref<4xf32>
    memref.store %d, %m[] : memref<f64>
    gpu.return
  }

  // No integer was a float.
  // CHECK-LABEL: gpu.func @no_source(
  // CHECK-NOT: llvm.freeze
  gpu.func @no_source(%i: i32, %a: memref<f32>) kernel {
    %f = arith.uitofp %i : i32 to f32
    memref.store %f, %a[] : memref<f32>
    gpu.return
  }
}

// LLVM does not compile the code of the host.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: llvm.freeze
func.func @host(%x: bf16) -> f32 {
  %i = arith.fptosi %x : bf16 to i32
  %f = arith.uitofp %i : i32 to f32
  return %f : f32
}
