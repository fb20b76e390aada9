// RUN: obs-opt %s --obs-to-gpu -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: obs-opt %t.mlir --canonicalize | FileCheck %s --check-prefix=LARGE
// RUN: obs-opt %t.mlir --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-run %s random:9x13xi32:1 > %t.expected
// RUN: obs-run %s --device=emulate random:9x13xi32:1 | diff %t.expected -
// RUN: obs-run %s --device=emulate --blocks=3 --threads=32 random:9x13xi32:1 | diff %t.expected -
// RUN: obs-run %s --device=emulate --blocks=1 random:9x13xi32:1 | diff %t.expected -

// A thread computes four rows of a stencil. If there are fewer than 32 tiles, each row is an iteration of its own: the
// bound is four times as large, and row and column are a remainder and a quotient.
// CHECK: gpu.func @above(
// CHECK: arith.cmpi ult, %{{.*}}, %c32
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[ROWS:.*]] = arith.muli %{{.*}}, %c4
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[ROWS]]
// CHECK-DAG: arith.divui %[[I]], %c4
// CHECK-DAG: arith.remui %[[I]], %c4
// CHECK-NOT: obs.rows
// RACES-DAG: kernel 'above' is proved free of races
// RACES-DAG: kernel 'large' is proved free of races
func.func @main(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !obs.pull<? x ? x i32>
  %w = obs.dim %a, 1 : !obs.pull<? x ? x i32>
  %b = obs.generate (%i, %j) [%h, %w] {
    %above = arith.subi %i, %c1 : index
    %k = arith.maxsi %above, %c0 : index
    %x = obs.get %a[%k, %j] : !obs.pull<? x ? x i32>
    %y = obs.get %a[%i, %j] : !obs.pull<? x ? x i32>
    %z = arith.subi %y, %x : i32
    obs.yield %z : i32
  } : !obs.pull<? x ? x i32>
  %f = obs.force %b {kernel = "above"} : !obs.pull<? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}

// 1024 tiles keep a GPU busy: no row is an iteration of its own.
// LARGE: gpu.func @large(
// LARGE-NOT: arith.remui %{{.*}}, %c4
// LARGE: gpu.return
func.func @large_image(%a: !obs.pull<2048 x 2048 x i32>) -> !obs.pull<2048 x 2048 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = obs.generate (%i, %j) {
    %above = arith.subi %i, %c1 : index
    %k = arith.maxsi %above, %c0 : index
    %x = obs.get %a[%k, %j] : !obs.pull<2048 x 2048 x i32>
    %y = obs.get %a[%i, %j] : !obs.pull<2048 x 2048 x i32>
    %z = arith.subi %y, %x : i32
    obs.yield %z : i32
  } : !obs.pull<2048 x 2048 x i32>
  %f = obs.force %b {kernel = "large"} : !obs.pull<2048 x 2048 x i32>
  return %f : !obs.pull<2048 x 2048 x i32>
}
