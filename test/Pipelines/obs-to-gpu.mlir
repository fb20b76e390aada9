// RUN: obs-opt --obs-to-gpu %s | FileCheck %s
// RUN: obs-opt --obs-to-gpu='threads=64 blocks=3 verify-levels' %s | FileCheck %s --check-prefix=LAUNCH
// RUN: not obs-opt --obs-to-gpu='threads=1025' %s 2>&1 | FileCheck %s --check-prefix=MANY

// Arrays are descriptors on the host and pointers with extents in kernels.
// CHECK: func.func @reverse_chunks(%[[A:.*]]: memref<?xi32>) -> memref<?xi32>
// CHECK: gpu.alloc
// CHECK: %[[POINTER:.*]] = memref.reinterpret_cast %[[A]] {{.*}} to memref<i32>
// CHECK: gpu.launch_func @kernels::@chunks
// CHECK-SAME: args(%[[POINTER]] : memref<i32>, %{{.*}} : index, %{{.*}} : memref<i32>, %{{.*}} : index)

// CHECK: gpu.module @kernels
// CHECK: gpu.func @chunks(%{{.*}}: memref<i32> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: index, %{{.*}}: memref<i32> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: index) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: gpu.dynamic_shared_memory
// CHECK: gpu.barrier
// CHECK-NOT: obs.

// LAUNCH-DAG: %[[C3:.*]] = arith.constant 3 : index
// LAUNCH-DAG: %[[C64:.*]] = arith.constant 64 : index
// LAUNCH: gpu.launch_func @kernels::@chunks blocks in (%[[C3]], %{{.*}}, %{{.*}}) threads in (%[[C64]],
// LAUNCH: known_block_size = array<i32: 64, 1, 1>

// MANY: error: {{.*}}1024

func.func @reverse_chunks(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %reversed = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %p = obs.push %c : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    %f = obs.force %p : !obs.push<block, 512 x i32> -> !obs.pull<512 x i32>
    %r = obs.reverse %f : !obs.pull<512 x i32>
    %q = obs.push %r : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %reversed : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "chunks"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
