// A slice that is written has to be in the array, on each device.
//
// RUN: obs-run %s --entry=rows iota:3x4xi32 zeros:2x2xi32 1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: {{\[\[}}0, 1, 2, 3],
// INSIDE-NEXT: [0, 0, 6, 7],
// INSIDE-NEXT: [0, 0, 10, 11]]
//
// RUN: not obs-run %s --entry=rows iota:3x4xi32 zeros:2x2xi32 2 2>&1 | FileCheck %s
// RUN: not obs-run %s --entry=rows iota:3x4xi32 zeros:2x2xi32 -1 2>&1 | FileCheck %s
// RUN: not obs-run %s --entry=rows iota:3x4xi32 zeros:2x2xi32 9 --device=emulate 2>&1 | FileCheck %s
// RUN: not obs-run %s --entry=rows iota:3x1xi32 zeros:2x2xi32 1 --device=emulate 2>&1 | FileCheck %s
// CHECK: insert-slice.mlir:[[#@LINE+3]]:{{.*}} the slice of 'tensor.insert_slice' leaves the array

func.func @rows(%a: tensor<?x?xi32>, %b: tensor<2x2xi32>, %o: index) -> tensor<?x?xi32> {
  %r = tensor.insert_slice %b into %a[%o, 0] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// The last element is the first one plus the steps. An empty slice is anywhere.
// RUN: obs-run %s --entry=steps iota:5xi32 zeros:3xi32 0 | FileCheck %s --check-prefix=STEPS
// STEPS: [0, 1, 0, 3, 0]
// RUN: not obs-run %s --entry=steps iota:5xi32 zeros:3xi32 1 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not obs-run %s --entry=steps iota:5xi32 zeros:3xi32 9223372036854775807 --device=emulate 2>&1 | FileCheck %s --check-prefix=LEAVES
// LEAVES: the slice of 'tensor.insert_slice' leaves the array
// RUN: obs-run %s --entry=steps iota:5xi32 zeros:0xi32 7 | FileCheck %s --check-prefix=EMPTY
// EMPTY: [0, 1, 2, 3, 4]
func.func @steps(%a: tensor<?xi32>, %b: tensor<?xi32>, %o: index) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xi32>
  %r = tensor.insert_slice %b into %a[%o] [%n] [2] : tensor<?xi32> into tensor<?xi32>
  return %r : tensor<?xi32>
}
