// Outlining changes no types of host functions. A cast is the memory of an array.
// RUN: obs-opt %s --obs-outline-kernels | FileCheck %s

// CHECK: obs.kernel @first(%{{.*}}: memref<?xi32>, %{{.*}}: memref<?xi32>)
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x i32>) -> !obs.pull<? x i32>
// CHECK: %[[OUT:.*]] = gpu.alloc
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %[[A]] : !obs.pull<? x i32> to memref<?xi32>
// CHECK: obs.launch @first {{.*}} args(%[[M]], %[[OUT]])
// CHECK: %[[R:.*]] = obs.view %[[OUT]]
// CHECK-NOT: obs.force
// CHECK: return %[[R]]
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "first"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// Memory that is a pair has two memrefs; the arguments are in the order of the source.
// CHECK-LABEL: obs.kernel @pairs(
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: memref<8xi32>, %{{.*}}: memref<8xf32>, %{{.*}}: memref<8xi32>)
// CHECK-LABEL: func.func @pairs_of
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : !obs.pull<8 x i32, f32> to memref<8xi32>, memref<8xf32>
func.func @pairs_of(%k: i32, %a: !obs.pull<8 x i32, f32>) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %p = obs.fill par (%i) in (%c8) {
    %x, %y = obs.get %a[%i] : !obs.pull<8 x i32, f32>
    %z = arith.addi %x, %k : i32
    obs.write %z at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %f = obs.force %p {kernel = "pairs"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %f : !obs.pull<8 x i32>
}
