// RUN: obs-opt %s --obs-free-buffers | FileCheck %s

obs.kernel @k(%in: memref<?xi32>, %out: memref<?xi32>) {
}

// CHECK-LABEL: func.func @last_use(
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK: %[[R:.*]] = gpu.alloc
// CHECK-COUNT-2: obs.launch
// CHECK-NEXT: gpu.dealloc %[[M]]
// CHECK-NOT: gpu.dealloc
// CHECK: return %[[R]]
func.func @last_use(%a: memref<?xi32>, %n: index) -> memref<?xi32> {
  %m = gpu.alloc(%n) : memref<?xi32>
  %r = gpu.alloc(%n) : memref<?xi32>
  obs.launch @k work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
  obs.launch @k work [%n] [thread] args(%m, %r) : memref<?xi32>, memref<?xi32>
  return %r : memref<?xi32>
}

// A view uses the memory, too. Memory that a choice passes out of the function is not freed.
// CHECK-LABEL: func.func @views(
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK: obs.launch
// CHECK: obs.launch
// CHECK-NEXT: gpu.dealloc %[[M]]
// CHECK-NOT: gpu.dealloc
func.func @views(%a: memref<?xi32>, %n: index, %c: i1) -> memref<?xi32> {
  %m = gpu.alloc(%n) : memref<?xi32>
  %p = obs.part %m from %n extents(%n) : memref<?xi32> to memref<?xi32>
  obs.launch @k work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
  %r = gpu.alloc(%n) : memref<?xi32>
  obs.launch @k work [%n] [thread] args(%p, %r) : memref<?xi32>, memref<?xi32>
  %s = arith.select %c, %r, %a : memref<?xi32>
  return %s : memref<?xi32>
}
