// RUN: obs-opt %s --obs-contract-floats | FileCheck %s
// RUN: obs-opt %s --obs-contract-floats=all | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: @sums(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32
func.func @sums(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32, f32) {
  // CHECK-NEXT: %[[S:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
  // CHECK-NEXT: %[[T:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
  // CHECK-NEXT: %[[MINUS:.*]] = arith.negf %[[C]] : f32
  // CHECK-NEXT: %[[D:.*]] = math.fma %[[A]], %[[B]], %[[MINUS]] : f32
  // CHECK-NEXT: %[[LESS:.*]] = arith.negf %[[A]] : f32
  // CHECK-NEXT: %[[E:.*]] = math.fma %[[LESS]], %[[B]], %[[C]] : f32
  // CHECK-NEXT: return %[[S]], %[[T]], %[[D]], %[[E]]
  %p = arith.mulf %a, %b fastmath<contract> : f32
  %s = arith.addf %p, %c fastmath<contract> : f32
  %t = arith.addf %c, %p fastmath<contract> : f32
  %d = arith.subf %p, %c fastmath<contract> : f32
  %e = arith.subf %c, %p fastmath<contract> : f32
  return %s, %t, %d, %e : f32, f32, f32, f32
}

// The first of two products is contracted. The other one has no flag left.
// CHECK-LABEL: @two(
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %arg2, %arg2 : f64
// CHECK-NEXT: %[[S:.*]] = math.fma %arg0, %arg1, %[[Q]] : f64
// CHECK-NEXT: return %[[S]]
func.func @two(%a: f64, %b: f64, %c: f64) -> f64 {
  %p = arith.mulf %a, %b fastmath<contract> : f64
  %q = arith.mulf %c, %c fastmath<contract> : f64
  %s = arith.addf %p, %q fastmath<contract> : f64
  return %s : f64
}

// Some operations have no flags.
// CHECK-LABEL: @none(
func.func @none(%a: i32, %x: f64) -> (f64, f32) {
  %s = arith.sitofp %a : i32 to f64
  %t = arith.truncf %x : f64 to f32
  return %s, %t : f64, f32
}

// Both need the flag. A product with other uses stays. Other flags stay.
// CHECK-LABEL: @apart(
// CHECK-NEXT: %[[P:.*]] = arith.mulf %arg0, %arg1 fastmath<nnan> : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %arg1, %arg1 : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %arg1 : f32
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[Q]], %arg1 : f32
// CHECK-NEXT: return %[[S]], %[[T]]
// ALL-LABEL: @apart(
// ALL-COUNT-2: math.fma
// ALL-NOT: arith
func.func @apart(%a: f32, %b: f32) -> (f32, f32) {
  %p = arith.mulf %a, %b fastmath<contract, nnan> : f32
  %q = arith.mulf %b, %b : f32
  %s = arith.addf %p, %b : f32
  %t = arith.addf %q, %b fastmath<contract> : f32
  return %s, %t : f32, f32
}
