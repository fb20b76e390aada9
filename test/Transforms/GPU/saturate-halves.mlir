// RUN: obs-opt %s --obs-saturate-halves | FileCheck %s

// CHECK-LABEL: @unsigned(
// CHECK-SAME: %[[A:.*]]: i16, %[[B:.*]]: i8, %[[C:.*]]: i32
func.func @unsigned(%a: i16, %b: i8, %c: i32) -> (f16, f16, f32) {
  // CHECK: %[[X:.*]] = arith.uitofp %[[A]] : i16 to f16
  // CHECK: %[[LIMIT:.*]] = arith.constant -16 : i16
  // CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[A]], %[[LIMIT]] : i16
  // CHECK: %[[INF:.*]] = arith.constant 0x7C00 : f16
  // CHECK: %[[Y:.*]] = arith.select %[[LARGE]], %[[INF]], %[[X]] : f16
  %x = arith.uitofp %a : i16 to f16
  // Too few bits for such an integer, and a type that has it.
  // CHECK-NEXT: %[[SMALL:.*]] = arith.uitofp %[[B]] : i8 to f16
  // CHECK-NEXT: %[[LONG:.*]] = arith.uitofp %[[C]] : i32 to f32
  // CHECK-NEXT: return %[[Y]], %[[SMALL]], %[[LONG]]
  %y = arith.uitofp %b : i8 to f16
  %z = arith.uitofp %c : i32 to f32
  return %x, %y, %z : f16, f16, f32
}

// CHECK-LABEL: @signed(
// CHECK-SAME: %[[A:.*]]: i16, %[[B:.*]]: i32
func.func @signed(%a: i16, %b: i32) -> (f16, f16) {
  // CHECK-NEXT: %[[SMALL:.*]] = arith.sitofp %[[A]] : i16 to f16
  // CHECK-NEXT: %[[X:.*]] = arith.sitofp %[[B]] : i32 to f16
  // CHECK: arith.cmpi sge, %[[B]], %c65520_i32
  // CHECK: arith.select {{.*}}, %[[X]] : f16
  // CHECK: arith.cmpi sle, %[[B]], %c-65520_i32
  // CHECK: arith.select
  // CHECK: return %[[SMALL]]
  %x = arith.sitofp %a : i16 to f16
  %y = arith.sitofp %b : i32 to f16
  return %x, %y : f16, f16
}
