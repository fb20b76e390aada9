// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: obs-translate --obs-to-ptx --chip=sm_75 %s | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: obs-translate --obs-to-llvmir %s | FileCheck %s --check-prefix=LLVM

// SM90: .version 8.1
// SM90: .target sm_90
// SM75: .version 7.0
// SM75: .target sm_75

// LLVM: target triple = "nvptx64-nvidia-cuda"
// LLVM: define ptx_kernel void @scale(ptr {{.*}}, i64 {{.*}}, float {{.*}}, ptr {{.*}})

gpu.module @kernels {
  // CHECK: .extern .shared .align 128 .b8 {{.*}}[];
  // CHECK: .visible .entry scale(
  // CHECK-NEXT: .param .u64 .ptr {{.*}}param_0,
  // CHECK-NEXT: .param .u64 {{.*}}param_1,
  // CHECK-NEXT: .param .f32 {{.*}}param_2,
  // CHECK-NEXT: .param .u64 .ptr {{.*}}param_3
  // CHECK-NEXT: )
  // CHECK-NEXT: .maxntid 128, 1, 1
  gpu.func @scale(%a: memref<f32>, %n: index, %x: f32, %o: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %in = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %out = memref.reinterpret_cast %o to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    // CHECK: ld.global.b32
    %0 = memref.load %in[%t] : memref<?xf32>
    // CHECK: st.shared.b32
    memref.store %0, %shared[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    // CHECK: bar.sync 0;
    gpu.barrier
    %u = arith.subi %c127, %t : index
    // CHECK: ld.shared.b32
    %1 = memref.load %shared[%u] : memref<128xf32, #gpu.address_space<workgroup>>
    // A product and a sum are not one operation unless the program says so.
    // CHECK: mul.rn.f32
    %2 = arith.mulf %1, %x : f32
    // CHECK: add.rn.f32
    %3 = arith.addf %2, %0 : f32
    // CHECK: sqrt.rn.f32
    %4 = math.sqrt %3 : f32
    // CHECK: div.rn.f32
    %5 = arith.divf %4, %x : f32
    // CHECK: st.global.b32
    memref.store %5, %out[%t] : memref<?xf32>
    gpu.return
  }

  // CHECK: .visible .entry warp(
  gpu.func @warp(%o: memref<i32>) kernel {
    %all = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %lane = gpu.lane_id
    %x = arith.index_cast %lane : index to i32
    // CHECK: shfl.sync.down.b32
    %y, %valid = gpu.shuffle down %x, %c1, %c32 : i32
    // CHECK: bar.warp.sync -1;
    nvvm.bar.warp.sync %all : i32
    // CHECK: red.relaxed.gpu.global.add.u32
    %old = memref.atomic_rmw addi %y, %o[] : (i32, memref<i32>) -> i32
    // CHECK: atom.relaxed.gpu.global.cas.b32
    %other = memref.atomic_rmw muli %y, %o[] : (i32, memref<i32>) -> i32
    gpu.return
  }
}
