// RUN: obs-opt %s --obs-freeze-integers --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[X:.*]]: bf16, %[[B:.*]]: i8)
// CHECK: %[[I:.*]] = arith.fptosi %[[X]] : bf16 to i32
// CHECK: %[[J:.*]] = llvm.freeze %[[I]] : i32
// CHECK: arith.uitofp %[[J]] : i32 to f32
// f32 has all digits of i8, and f64 those of i32.
// CHECK: arith.uitofp %[[B]] : i8 to f32
// CHECK: arith.uitofp %[[I]] : i32 to f64
// CHECK: arith.sitofp %[[I]] : i32 to f32
func.func @unsigned(%x: bf16, %b: i8) -> (f32, f32, f64, f32) {
  %i = arith.fptosi %x : bf16 to i32
  %f = arith.uitofp %i : i32 to f32
  %g = arith.uitofp %b : i8 to f32
  %d = arith.uitofp %i : i32 to f64
  %s = arith.sitofp %i : i32 to f32
  return %f, %g, %d, %s : f32, f32, f64, f32
}

// -----

// No integer was a float.
// CHECK-LABEL: func.func @no_source(
// CHECK-NOT: llvm.freeze
func.func @no_source(%i: i32) -> f32 {
  %f = arith.uitofp %i : i32 to f32
  return %f : f32
}
