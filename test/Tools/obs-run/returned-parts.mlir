// RUN: obs-run %s --device=emulate -- iota:4xi32 3 | FileCheck %s
// RUN: not obs-run %s --device=emulate -- iota:4xi32 9 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not obs-run %s --device=emulate -- iota:4xi32 -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// A result of host code is in memory and has a size, or the error says where.
// CHECK: [0, 1, 2]
func.func @main(%m: memref<?xi32>, %n: index) -> memref<?xi32> {
  %r = memref.reinterpret_cast %m to offset: [0], sizes: [%n], strides: [1] : memref<?xi32> to memref<?xi32>
  // LONG: returned-parts.mlir:[[#@LINE+2]]:3: error: elements 0 to 8 of an array of 4 elements
  // NEGATIVE: returned-parts.mlir:[[#@LINE+1]]:3: error: an array cannot have -1 elements in a dimension
  return %r : memref<?xi32>
}
