// RUN: obs-opt %s --convert-gpu-to-emulator | FileCheck %s
// RUN: obs-opt %s --convert-gpu-to-emulator | obs-opt

// The sites in order, with kinds, sizes and locations.
// CHECK: #[[$LOC:.*]] = loc({{.*}}convert-gpu-to-emulator.mlir":[[#@LINE+9]]:5)
// CHECK-LABEL: module @barriers attributes {emulator.sites = [
// CHECK-SAME: kind = "block_barrier", loc = #[[$LOC]]}
// CHECK-SAME: kind = "warp_barrier"
// CHECK-SAME: kind = "return"
gpu.module @barriers {
  // CHECK-LABEL: func.func @kernel.barriers
  // CHECK-SAME: (%[[T:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
  gpu.func @barriers(%mask: i32) kernel {
    gpu.barrier
    nvvm.bar.warp.sync %mask : i32
    gpu.return
  }
  // CHECK: call @obs_emu_block_barrier(%[[T]], %{{.*}}) : (!llvm.ptr, i32) -> ()
  // CHECK: call @obs_emu_warp_barrier(%[[T]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i32) -> ()
  // CHECK: return
}

// A store has the index check and the address check before it.
// CHECK-LABEL: module @access
// CHECK-SAME: align = 4 : i64, buffer = {{[^,]*}}, bytes = 4 : i64, kind = "store"
gpu.module @access {
  // CHECK-LABEL: func.func @kernel.access
  gpu.func @access(%a: memref<f32>, %n: index, %x: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK: %[[V:.*]] = memref.reinterpret_cast
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
      : memref<f32> to memref<?xf32>
    %t = gpu.thread_id x
    // CHECK: %{{.*}}, %{{.*}}, %[[DIM:.*]], %{{.*}} = memref.extract_strided_metadata %[[V]]
    // CHECK: %[[BAD:.*]] = arith.cmpi uge, %{{.*}}, %[[DIM]]
    // CHECK: scf.if %[[BAD]] {
    // CHECK: call @obs_emu_index_failed
    // CHECK: }
    // CHECK: call @obs_emu_access
    // CHECK-NEXT: memref.store %{{.*}}, %[[V]]
    memref.store %x, %v[%t] : memref<?xf32>
    gpu.return
  }
}

// Private memory needs no address check, and moves out of the loop.
// CHECK-LABEL: module @private
gpu.module @private {
  // CHECK-LABEL: func.func @kernel.private
  // CHECK-SAME: private_bytes = 32
  gpu.func @private(%n: index, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: memref.alloca() : memref<8xf32>
    // CHECK: scf.for
    // CHECK-NOT: memref.alloca
    scf.for %i = %c0 to %n step %c1 {
      %p = memref.alloca() : memref<8xf32>
      // CHECK: call @obs_emu_index_failed
      // CHECK-NOT: obs_emu_access
      // CHECK: memref.store
      memref.store %x, %p[%i] : memref<8xf32>
    }
    gpu.return
  }
}

// An atomic is one yield point, then the plain operation; memory spaces go.
// CHECK-LABEL: module @atomic
gpu.module @atomic {
  // CHECK-LABEL: func.func @kernel.atomic
  // CHECK-NOT: address_space
  // CHECK: call @obs_emu_sync_access
  // CHECK-NEXT: %[[OLD:.*]] = memref.load
  // CHECK-NEXT: %[[NEW:.*]] = arith.addi %[[OLD]]
  // CHECK-NEXT: memref.store %[[NEW]]
  gpu.func @atomic(%i: index, %x: i32) kernel {
    %c0 = arith.constant 0 : index
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<16xi32, #gpu.address_space<workgroup>>
    %old = memref.atomic_rmw addi %x, %s[%i]
      : (i32, memref<16xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }
}

// CHECK-LABEL: module @others
gpu.module @others {
  // CHECK-LABEL: func.func @kernel.others
  gpu.func @others(%x: f32, %c: i1) kernel {
    %o = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    // CHECK: call @obs_emu_shuffle
    // CHECK: llvm.load
    %y, %ok = gpu.shuffle down %x, %o, %w : f32
    // CHECK: call @obs_emu_printf
    gpu.printf "%f", %y : f32
    // CHECK: scf.if
    // CHECK: call @obs_emu_assert_failed
    cf.assert %ok, "a lane too far"
    // CHECK: scf.while
    // CHECK-NEXT: arith.constant
    // CHECK-NEXT: call @obs_emu_poll
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    }
    gpu.return
  }
}
