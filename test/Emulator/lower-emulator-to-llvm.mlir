// RUN: obs-opt %s \
// RUN:   --pass-pipeline='builtin.module(convert-gpu-to-emulator,builtin.module(lower-emulator-to-llvm))' \
// RUN:   | FileCheck %s

// Nothing but the LLVM dialect is left, and libm is called where LLVM has no
// intrinsic.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @kernel.k(
  // CHECK-NOT: unrealized_conversion_cast
  // CHECK: llvm.call @obs_emu_access
  // CHECK: llvm.load
  // CHECK: llvm.intr.exp
  // CHECK: llvm.call @erff
  // CHECK: llvm.call @obs_emu_access
  // CHECK: llvm.store
  // CHECK: llvm.return
  gpu.func @k(%a: memref<f32>) kernel {
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [8], strides: [1]
      : memref<f32> to memref<8xf32>
    %t = gpu.thread_id x
    %x = memref.load %v[%t] : memref<8xf32>
    %y = math.exp %x : f32
    %z = math.erf %y : f32
    memref.store %z, %v[%t] : memref<8xf32>
    gpu.return
  }

  // Extents are read from descriptors. If they were stored on the stack, a loop would use all of it.
  // CHECK-LABEL: llvm.func @kernel.extents(
  // CHECK-NOT: llvm.alloca
  // CHECK: llvm.return
  gpu.func @extents(%a: memref<f32>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%m, %n], strides: [%n, 1]
      : memref<f32> to memref<?x?xf32>
    %t = gpu.thread_id x
    scf.for %i = %c0 to %m step %c1 {
      %d = memref.dim %v, %c1 : memref<?x?xf32>
      %k = arith.remui %t, %d : index
      %x = memref.load %v[%i, %k] : memref<?x?xf32>
      memref.store %x, %v[%i, %c0] : memref<?x?xf32>
    }
    gpu.return
  }
}
