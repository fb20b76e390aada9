// RUN: obs-opt %s --obs-fuse-arrays --obs-to-launches --canonicalize --cse | FileCheck %s

// Arguments in the order of the source, the result last; the extent of the result
// is the work; nothing is freed that leaves the function.
// CHECK-LABEL: obs.kernel @scale
// CHECK-SAME: (%{{.*}}: i32, %{{.*}}: memref<?xi32>, %{{.*}}: memref<?xi32>)
// CHECK: obs.force %{{.*}} into %arg2
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[K:.*]]: i32, %[[A:.*]]: memref<?xi32>) -> memref<?xi32>
// CHECK: %[[N:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[R:.*]] = gpu.alloc (%[[N]])
// CHECK: obs.launch @scale work [%[[N]]] [thread] args(%[[K]], %[[A]], %[[R]])
// CHECK-NOT: gpu.dealloc
// CHECK: return %[[R]]
func.func @main(%k: i32, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %m = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %k : i32
    obs.yield %y : i32
  }
  %p = obs.push %m : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "scale"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Two kernels: the array between them is freed after its last use. A host-level read
// copies one element.
// CHECK-LABEL: func.func @two
// CHECK: %[[T:.*]] = gpu.alloc
// CHECK: obs.launch @first
// CHECK: obs.launch @second
// CHECK: gpu.dealloc %[[T]]
// CHECK: memref.subview
// CHECK: gpu.memcpy
// CHECK: memref.load
func.func @two(%a: !obs.pull<8 x i32>) -> i32 {
  %c0 = arith.constant 0 : index
  %v = obs.reverse %a : !obs.pull<8 x i32>
  %p = obs.push %v : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %f = obs.force %p {kernel = "first"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %w = obs.reverse %f : !obs.pull<8 x i32>
  %q = obs.push %w : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %g = obs.force %q {kernel = "second"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %x = obs.get %g[%c0] : !obs.pull<8 x i32>
  return %x : i32
}

// Initial contents are a memset before the launch.
// CHECK-LABEL: func.func @histogram
// CHECK: %[[R:.*]] = gpu.alloc
// CHECK: gpu.memset %[[R]], %c0_i32
// CHECK: obs.launch
func.func @histogram(%keys: !obs.pull<? x index>) -> !obs.pull<16 x i32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x index>
  %p = obs.fill init %c0 reduce(addi) par (%t) in (%n) {
    %k = obs.get %keys[%t] : !obs.pull<? x index>
    obs.write %c1 at [%k] : i32
  } : !obs.push<grid, 16 x i32>
  %r = obs.force %p : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}
