// RUN: obs-opt %s --obs-fold-extents | FileCheck %s

obs.kernel @k(%in: memref<?xi32>, %out: memref<?xi32>) {
}

// The extent of a carried array is that of the first one.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[A:.*]]: memref<?xi32>,
// CHECK: scf.for
// CHECK: %[[N:.*]] = memref.dim %[[A]]
// CHECK-NEXT: gpu.alloc (%[[N]])
func.func @kept(%a: memref<?xi32>, %turns: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%x = %a) -> memref<?xi32> {
    %n = memref.dim %x, %c0 : memref<?xi32>
    %y = gpu.alloc(%n) : memref<?xi32>
    obs.launch @k work [%n] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
    scf.yield %y : memref<?xi32>
  }
  return %r : memref<?xi32>
}

// This one grows.
// CHECK-LABEL: func.func @grows(
// CHECK: iter_args(%[[X:[^ ]*]] =
// CHECK: memref.dim %[[X]]
func.func @grows(%a: memref<?xi32>, %turns: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%x = %a) -> memref<?xi32> {
    %n = memref.dim %x, %c0 : memref<?xi32>
    %more = arith.addi %n, %c1 : index
    %y = gpu.alloc(%more) : memref<?xi32>
    obs.launch @k work [%more] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
    scf.yield %y : memref<?xi32>
  }
  return %r : memref<?xi32>
}
