// RUN: obs-opt %s --obs-reuse-buffers | FileCheck %s

obs.kernel @reverse(%in: memref<8xi32>, %out: memref<8xi32>) {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %v = obs.view %in : memref<8xi32>
  %p = obs.fill par (%i) in (%c8) {
    %at = arith.subi %c7, %i : index
    %x = obs.get %v[%at] : !obs.pull<8 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  obs.force %p into %out {unchecked} : !obs.push<grid, 8 x i32> into memref<8xi32>
}

// Iteration i reads and writes element i: one parameter is left.
// CHECK: obs.kernel @twice(%[[M:.*]]: memref<8xi32>)
// CHECK: obs.view %[[M]]
// CHECK: obs.force %{{.*}} into %[[M]]
obs.kernel @twice(%in: memref<8xi32>, %out: memref<8xi32>) {
  %c8 = arith.constant 8 : index
  %v = obs.view %in : memref<8xi32>
  %p = obs.fill par (%i) in (%c8) {
    %x = obs.get %v[%i] : !obs.pull<8 x i32>
    %y = arith.addi %x, %x : i32
    obs.write %y at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  obs.force %p into %out {unchecked} : !obs.push<grid, 8 x i32> into memref<8xi32>
}

// CHECK-LABEL: func.func @in_place(
// CHECK: %[[M:.*]] = gpu.alloc () {obs.arrays = 2 : i64}
// CHECK-NOT: gpu.alloc
// CHECK: obs.launch @reverse {{.*}} args(%{{.*}}, %[[M]])
// CHECK: obs.launch @twice {{.*}} args(%[[M]])
// CHECK-NOT: gpu.dealloc
// CHECK: return %[[M]]
func.func @in_place(%a: memref<8xi32>) -> memref<8xi32> {
  %m = gpu.alloc() : memref<8xi32>
  obs.launch @reverse work [] [] args(%a, %m) : memref<8xi32>, memref<8xi32>
  %r = gpu.alloc() : memref<8xi32>
  obs.launch @twice work [] [] args(%m, %r) : memref<8xi32>, memref<8xi32>
  gpu.dealloc %m : memref<8xi32>
  return %r : memref<8xi32>
}

// A third array has the memory of the first one. No kernel runs in place.
// CHECK-LABEL: func.func @dead(
// CHECK: %[[M:.*]] = gpu.alloc () {obs.arrays = 2 : i64}
// CHECK: obs.launch {{.*}} args(%{{.*}}, %[[M]])
// CHECK: %[[O:.*]] = gpu.alloc
// CHECK: obs.launch {{.*}} args(%[[M]], %[[O]])
// CHECK: obs.launch {{.*}} args(%[[O]], %[[M]])
// CHECK: gpu.dealloc %[[O]]
// CHECK: return %[[M]]
func.func @dead(%a: memref<8xi32>) -> memref<8xi32> {
  %m = gpu.alloc() : memref<8xi32>
  obs.launch @reverse work [] [] args(%a, %m) : memref<8xi32>, memref<8xi32>
  %o = gpu.alloc() : memref<8xi32>
  obs.launch @reverse work [] [] args(%m, %o) : memref<8xi32>, memref<8xi32>
  gpu.dealloc %m : memref<8xi32>
  %r = gpu.alloc() : memref<8xi32>
  obs.launch @reverse work [] [] args(%o, %r) : memref<8xi32>, memref<8xi32>
  gpu.dealloc %o : memref<8xi32>
  return %r : memref<8xi32>
}

// A copy of an array that is not used any more is dropped.
// CHECK-LABEL: func.func @copied(
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK-NOT: gpu.memcpy
// CHECK: return %[[M]]
func.func @copied(%a: memref<8xi32>) -> memref<8xi32> {
  %m = gpu.alloc() : memref<8xi32>
  obs.launch @reverse work [] [] args(%a, %m) : memref<8xi32>, memref<8xi32>
  %r = gpu.alloc() : memref<8xi32>
  gpu.memcpy %r, %m : memref<8xi32>, memref<8xi32>
  gpu.dealloc %m : memref<8xi32>
  return %r : memref<8xi32>
}

// Another launch of the kernel needs both parameters, so neither runs in place.
// CHECK: obs.kernel @again(%[[IN:.*]]: memref<8xi32>, %[[OUT:.*]]: memref<8xi32>)
// CHECK: obs.view %[[IN]]
// CHECK: obs.force %{{.*}} into %[[OUT]]
obs.kernel @again(%in: memref<8xi32>, %out: memref<8xi32>) {
  %c8 = arith.constant 8 : index
  %v = obs.view %in : memref<8xi32>
  %p = obs.fill par (%i) in (%c8) {
    %x = obs.get %v[%i] : !obs.pull<8 x i32>
    %y = arith.addi %x, %x : i32
    obs.write %y at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  obs.force %p into %out {unchecked} : !obs.push<grid, 8 x i32> into memref<8xi32>
}

// CHECK-LABEL: func.func @launched_twice(
// CHECK-SAME: %[[A:.*]]: memref<8xi32>
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK: obs.launch @again work [] [] args(%[[A]], %[[M]])
// CHECK: %[[R:.*]] = gpu.alloc
// CHECK: obs.launch @again work [] [] args(%[[M]], %[[R]])
func.func @launched_twice(%a: memref<8xi32>) -> memref<8xi32> {
  %m = gpu.alloc() : memref<8xi32>
  obs.launch @again work [] [] args(%a, %m) : memref<8xi32>, memref<8xi32>
  %r = gpu.alloc() : memref<8xi32>
  obs.launch @again work [] [] args(%m, %r) : memref<8xi32>, memref<8xi32>
  gpu.dealloc %m : memref<8xi32>
  return %r : memref<8xi32>
}
