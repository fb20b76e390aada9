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
// ALL: return
func.func @apart(%a: f32, %b: f32) -> (f32, f32) {
  %p = arith.mulf %a, %b fastmath<contract, nnan> : f32
  %q = arith.mulf %b, %b : f32
  %s = arith.addf %p, %b : f32
  %t = arith.addf %q, %b fastmath<contract> : f32
  return %s, %t : f32, f32
}

// A thread adds an array of products: each product is contracted with the sum before it.
// CHECK-LABEL: @products(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x f32>, %[[B:.*]]: !obs.pull<? x f32>, %[[Z:.*]]: f32
// CHECK: %[[N:.*]] = obs.dim %[[A]], 0
// CHECK: %[[S:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %[[Z]]) -> (f32) {
// CHECK-DAG: %[[X:.*]] = obs.get %[[A]][%[[I]]]
// CHECK-DAG: %[[Y:.*]] = obs.get %[[B]][%[[I]]]
// CHECK: %[[NEXT:.*]] = math.fma %[[X]], %[[Y]], %[[SUM]] : f32
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: return %[[S]]
func.func @products(%a: !obs.pull<? x f32>, %b: !obs.pull<? x f32>, %z: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %n = obs.dim %a, 0 : !obs.pull<? x f32>
  %p = obs.generate (%i) [%n] {
    %x = obs.get %a[%i] : !obs.pull<? x f32>
    %y = obs.get %b[%i] : !obs.pull<? x f32>
    %q = arith.mulf %x, %y fastmath<contract> : f32
    obs.yield %q : f32
  } : !obs.pull<? x f32>
  %s = obs.reduce { arith.addf {fastmath = #arith.fastmath<contract>} } %p init %z : !obs.pull<? x f32>
  return %s : f32
}

// The same for a map. The array is known to be small.
// CHECK-LABEL: @mapped(
// CHECK: scf.for
// CHECK-COUNT-2: obs.get
// CHECK: math.fma
func.func @mapped(%a: !obs.pull<3 x f32>, %b: !obs.pull<3 x f32>, %z: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %p = obs.map { arith.mulf {fastmath = #arith.fastmath<contract>} } %a, %b : !obs.pull<3 x f32>
  %s = obs.reduce { arith.addf {fastmath = #arith.fastmath<contract>} } %p init %z : !obs.pull<3 x f32>
  return %s : f32
}

// These are not contracted: a sum without the flag, several workers, a strategy, products that are used again.
// CHECK-LABEL: @sums_of_others(
// CHECK-NOT: math.fma
// CHECK: return
func.func @sums_of_others(%a: !obs.pull<8 x f32>, %z: f32) -> (f32, f32, f32) attributes {obs.level = #obs.level<thread>} {
  %c0 = arith.constant 0 : index
  %p = obs.map { arith.mulf {fastmath = #arith.fastmath<contract>} } %a, %a : !obs.pull<8 x f32>
  %q = obs.map { arith.mulf {fastmath = #arith.fastmath<contract>} } %a, %a : !obs.pull<8 x f32>
  %r = obs.map { arith.mulf {fastmath = #arith.fastmath<contract>} } %a, %a : !obs.pull<8 x f32>
  %s = obs.reduce { arith.addf } %p init %z : !obs.pull<8 x f32>
  %t = obs.reduce { arith.addf {fastmath = #arith.fastmath<contract>} } %q init %z {strategy = "raking"} : !obs.pull<8 x f32>
  %u = obs.reduce { arith.addf {fastmath = #arith.fastmath<contract>} } %r init %z : !obs.pull<8 x f32>
  %v = obs.get %r[%c0] : !obs.pull<8 x f32>
  %w = arith.addf %u, %v : f32
  return %s, %t, %w : f32, f32, f32
}

// CHECK-LABEL: @sum_of_block(
// CHECK-NOT: math.fma
// CHECK: return
func.func @sum_of_block(%a: !obs.pull<8 x f32>, %z: f32) -> f32 attributes {obs.level = #obs.level<block>} {
  %p = obs.map { arith.mulf {fastmath = #arith.fastmath<contract>} } %a, %a : !obs.pull<8 x f32>
  %s = obs.reduce { arith.addf {fastmath = #arith.fastmath<contract>} } %p init %z : !obs.pull<8 x f32>
  return %s : f32
}
