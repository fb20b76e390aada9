// RUN: obs-opt %s --obs-hoist-buffers | FileCheck %s

obs.kernel @k(%out: memref<?xi32>) {
}

// CHECK-LABEL: func.func @scratch(
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK: scf.for
// CHECK: obs.launch @k {{.*}} args(%[[M]])
// CHECK-NOT: gpu.dealloc
// CHECK: }
// CHECK-NEXT: gpu.dealloc %[[M]]
func.func @scratch(%n: index, %turns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %turns step %c1 {
    %m = gpu.alloc(%n) : memref<?xi32>
    obs.launch @k work [%n] [thread] args(%m) : memref<?xi32>
    gpu.dealloc %m : memref<?xi32>
  }
  return
}

// A longer array in each iteration is the first part of the longest one.
// CHECK-LABEL: func.func @growing(
// CHECK-SAME: %[[TURNS:.*]]: index
// CHECK: %[[LAST:.*]] = arith.subi %[[TURNS]]
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LAST]]
// CHECK: %[[M:.*]] = gpu.alloc (%[[MOST]])
// CHECK: scf.for %[[T:.*]] =
// CHECK: memref.reinterpret_cast %[[M]] to offset: [0], sizes: [%[[T]]]
func.func @growing(%turns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %turns step %c1 {
    %m = gpu.alloc(%t) : memref<?xi32>
    obs.launch @k work [%t] [thread] args(%m) : memref<?xi32>
    gpu.dealloc %m : memref<?xi32>
  }
  return
}
