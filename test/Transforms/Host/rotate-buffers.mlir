// RUN: obs-opt %s --obs-rotate-buffers | FileCheck %s

obs.kernel @k(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %in[%c0] : memref<?xi32>
  memref.store %x, %out[%c0] : memref<?xi32>
}

// CHECK-LABEL: func.func @turns(
// CHECK-SAME: %[[A:.*]]: memref<?xi32>, %[[N:arg1]]: index
// CHECK: %[[FIRST:.*]] = gpu.alloc (%[[N]])
// CHECK: %[[SECOND:.*]] = gpu.alloc (%[[N]])
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]], %[[OF_X:.*]] = %{{.*}}) -> (memref<?xi32>, index)
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[OF_X]], %c1
// CHECK: %[[Y:.*]] = arith.select %[[IS_FIRST]], %[[SECOND]], %[[FIRST]]
// CHECK: %[[OF_Y:.*]] = arith.select %[[IS_FIRST]], %c2{{.*}}, %c1
// CHECK: obs.launch @k {{.*}} args(%[[X]], %[[Y]])
// CHECK: scf.yield %[[Y]], %[[OF_Y]]
// CHECK: gpu.dealloc
// CHECK: return %[[R]]#0
func.func @turns(%a: memref<?xi32>, %n: index, %turns: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%x = %a) -> memref<?xi32> {
    %y = gpu.alloc(%n) : memref<?xi32>
    obs.launch @k work [%n] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
    scf.yield %y : memref<?xi32>
  }
  return %r : memref<?xi32>
}

// The extents have no maximum that is known before the loop.
// CHECK-LABEL: func.func @doubled(
// CHECK-NOT: gpu.alloc
// CHECK: scf.for
// CHECK: gpu.alloc
func.func @doubled(%a: memref<?xi32>, %turns: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%x = %a) -> memref<?xi32> {
    %n = memref.dim %x, %c0 : memref<?xi32>
    %more = arith.addi %n, %n : index
    %y = gpu.alloc(%more) : memref<?xi32>
    obs.launch @k work [%more] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
    scf.yield %y : memref<?xi32>
  }
  return %r : memref<?xi32>
}

// Nothing bounds the sum, but the mask has at most seven.
// CHECK-LABEL: func.func @masked(
// CHECK-COUNT-2: gpu.alloc (%c7{{.*}}) : memref<?xi32>
// CHECK: scf.for
// CHECK-NOT: gpu.alloc
func.func @masked(%a: memref<?xi32>, %turns: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %t = %c0 to %turns step %c1 iter_args(%x = %a) -> memref<?xi32> {
    %n = memref.dim %x, %c0 : memref<?xi32>
    %more = arith.addi %n, %n : index
    %k = arith.andi %more, %c7 : index
    %y = gpu.alloc(%k) : memref<?xi32>
    obs.launch @k work [%k] [thread] args(%x, %y) : memref<?xi32>, memref<?xi32>
    scf.yield %y : memref<?xi32>
  }
  return %r : memref<?xi32>
}
