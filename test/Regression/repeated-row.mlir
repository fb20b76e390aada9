// Rows that repeat a row of unknown length: (i mod n) mod n is i mod n without a test, and there is no other guard.

// RUN: obs-run %s --entry=twice iota:1x3xf32 --device=interpret | FileCheck %s
// RUN: obs-run %s --entry=twice iota:1x3xf32 --device=emulate | FileCheck %s
// CHECK: {{\[\[}}0.0, 1.0, 2.0],
// CHECK-NEXT: {{\[}}0.0, 1.0, 2.0]]
func.func @twice(%a: !obs.pull<1 x ? x f32>) -> !obs.pull<2 x ? x f32> {
  %c0 = arith.constant 0 : index
  %n = obs.dim %a, 1 : !obs.pull<1 x ? x f32>
  %b = obs.reindex (%i, %j) = %a [%n] {
    obs.yield %c0, %j : index, index
  } : !obs.pull<1 x ? x f32> -> !obs.pull<2 x ? x f32>
  %f = obs.force %b : !obs.pull<2 x ? x f32>
  return %f : !obs.pull<2 x ? x f32>
}

// RUN: obs-run %s --entry=column iota:1x2xf32 --device=interpret | FileCheck %s --check-prefix=COLUMN
// RUN: obs-run %s --entry=column iota:1x2xf32 --device=emulate | FileCheck %s --check-prefix=COLUMN
// COLUMN: {{\[\[\[}}0.0, 1.0]],
// COLUMN-NEXT: {{\[\[}}0.0, 1.0]],
// COLUMN-NEXT: {{\[\[}}0.0, 1.0]]]
func.func @column(%a: !obs.pull<1 x ? x f32>) -> !obs.pull<3 x 1 x ? x f32> {
  %c0 = arith.constant 0 : index
  %n = obs.dim %a, 1 : !obs.pull<1 x ? x f32>
  %r = obs.reshape %a [%n] : !obs.pull<1 x ? x f32> -> !obs.pull<1 x 1 x ? x f32>
  %b = obs.reindex (%i, %k, %j) = %r [%n] {
    obs.yield %c0, %c0, %j : index, index, index
  } : !obs.pull<1 x 1 x ? x f32> -> !obs.pull<3 x 1 x ? x f32>
  %f = obs.force %b : !obs.pull<3 x 1 x ? x f32>
  return %f : !obs.pull<3 x 1 x ? x f32>
}
