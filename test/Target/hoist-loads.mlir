// RUN: obs-translate --obs-to-ptx %s | FileCheck %s

// The assembler makes branches of exact quotients and roots, and moves no load across them. So the loads come first.
// CHECK-LABEL: .entry quotients(
// CHECK-COUNT-3: ld.global.nc
// CHECK: rcp.rn
// CHECK-NOT: ld.global
// CHECK: sqrt.rn
// CHECK-NOT: ld.global
// CHECK: div.rn
// CHECK-NOT: ld.global
// CHECK: st.global
gpu.module @kernels {
  gpu.func @quotients(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32> {llvm.noalias}, %c: memref<64xf32> {llvm.noalias}) kernel {
    %one = arith.constant 1.0 : f32
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %j = arith.xori %i, %c1 : index
    %x = memref.load %a[%i] : memref<64xf32>
    %u = arith.divf %one, %x : f32
    %y = memref.load %b[%j] : memref<64xf32>
    %v = math.sqrt %y : f32
    %z = memref.load %b[%i] : memref<64xf32>
    %w = arith.divf %v, %z : f32
    %s = arith.addf %u, %w : f32
    memref.store %s, %c[%i] : memref<64xf32>
    gpu.return
  }

  // Few of them are not worth the registers.
  // CHECK-LABEL: .entry few(
  // CHECK: rcp.rn
  // CHECK: ld.global.nc
  // CHECK: sqrt.rn
  gpu.func @few(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32> {llvm.noalias}, %c: memref<64xf32> {llvm.noalias}) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %u = arith.divf %one, %x : f32
    %y = memref.load %b[%i] : memref<64xf32>
    %v = math.sqrt %y : f32
    %s = arith.addf %u, %v : f32
    memref.store %s, %c[%i] : memref<64xf32>
    gpu.return
  }

  // An address that depends on a quotient, and a load behind a store to memory that may be the same.
  // CHECK-LABEL: .entry dependent(
  // CHECK: ld.global
  // CHECK: rcp.rn
  // CHECK: st.global
  // CHECK: ld.global
  // CHECK: st.global
  gpu.func @dependent(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
    %one = arith.constant 1.0 : f32
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %j = arith.xori %i, %c1 : index
    %x = memref.load %a[%i] : memref<64xf32>
    %u = arith.divf %one, %x : f32
    memref.store %u, %b[%i] : memref<64xf32>
    %y = memref.load %a[%j] : memref<64xf32>
    %v = arith.divf %u, %y : f32
    %w = math.sqrt %v : f32
    memref.store %w, %b[%j] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry address(
  // CHECK: ld.global
  // CHECK: rcp.rn
  // CHECK: ld.global
  // CHECK: st.global
  gpu.func @address(%a: memref<64xf32> {llvm.noalias}, %b: memref<64xf32> {llvm.noalias}, %c: memref<64xf32> {llvm.noalias}) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %u = arith.divf %one, %x : f32
    %q = math.sqrt %u : f32
    %p = arith.divf %q, %x : f32
    %n = arith.fptosi %p : f32 to i32
    %k = arith.index_cast %n : i32 to index
    %y = memref.load %b[%k] : memref<64xf32>
    memref.store %y, %c[%i] : memref<64xf32>
    gpu.return
  }
}
