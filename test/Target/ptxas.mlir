// Every operation on every type that a kernel may use makes PTX that the
// assembler takes, on the oldest and the newest chip.

// REQUIRES: ptxas
// RUN: obs-translate --obs-to-ptx --libdevice=none --chip=sm_75 %s -o %t.75.ptx
// RUN: ptxas -arch=sm_75 %t.75.ptx -o /dev/null
// RUN: obs-translate --obs-to-ptx --libdevice=none --chip=sm_80 %s -o %t.80.ptx
// RUN: ptxas -arch=sm_80 %t.80.ptx -o /dev/null
// RUN: obs-translate --obs-to-ptx --libdevice=none --chip=sm_90 %s -o %t.90.ptx
// RUN: ptxas -arch=sm_90 %t.90.ptx -o /dev/null

gpu.module @kernels {
  gpu.func @atomics(%a8: memref<i8>, %a16: memref<i16>, %a1: memref<i1>, %a32: memref<i32>, %a64: memref<i64>, %ah: memref<f16>, %ab: memref<bf16>, %af: memref<f32>, %ad: memref<f64>,
      %x8: i8, %x16: i16, %x1: i1, %x32: i32, %x64: i64, %xh: f16, %xb: bf16, %xf: f32, %xd: f64) kernel {
    %0 = memref.atomic_rmw addi %x8, %a8[] : (i8, memref<i8>) -> i8
    %1 = memref.atomic_rmw maxs %x16, %a16[] : (i16, memref<i16>) -> i16
    %2 = memref.atomic_rmw ori %x1, %a1[] : (i1, memref<i1>) -> i1
    %20 = memref.atomic_rmw addi %x1, %a1[] : (i1, memref<i1>) -> i1
    %21 = memref.atomic_rmw maxs %x1, %a1[] : (i1, memref<i1>) -> i1
    %3 = memref.atomic_rmw muli %x32, %a32[] : (i32, memref<i32>) -> i32
    %4 = memref.atomic_rmw minu %x64, %a64[] : (i64, memref<i64>) -> i64
    %5 = memref.atomic_rmw addf %xh, %ah[] : (f16, memref<f16>) -> f16
    %6 = memref.atomic_rmw addf %xb, %ab[] : (bf16, memref<bf16>) -> bf16
    %7 = memref.atomic_rmw mulf %xb, %ab[] : (bf16, memref<bf16>) -> bf16
    %8 = memref.atomic_rmw mulf %xf, %af[] : (f32, memref<f32>) -> f32
    %9 = memref.atomic_rmw minimumf %xd, %ad[] : (f64, memref<f64>) -> f64
    %10 = memref.atomic_rmw maxnumf %xf, %af[] : (f32, memref<f32>) -> f32
    %12 = memref.atomic_rmw assign %xf, %af[] : (f32, memref<f32>) -> f32
    %13 = memref.atomic_rmw assign %xb, %ab[] : (bf16, memref<bf16>) -> bf16
    %14 = memref.atomic_rmw assign %x8, %a8[] : (i8, memref<i8>) -> i8
    %15 = memref.atomic_rmw minimumf %xh, %ah[] : (f16, memref<f16>) -> f16
    %g = memref.generic_atomic_rmw %af[] : memref<f32> {
    ^bb0(%old: f32):
      %c = arith.cmpf olt, %old, %xf : f32
      %s = arith.select %c, %old, %xf : f32
      memref.atomic_yield %s : f32
    }
    memref.store %g, %af[] : memref<f32>
    gpu.return
  }

  gpu.func @math(%o: memref<f32>, %x: f32, %y: f32, %oh: memref<f16>, %h: f16, %od: memref<f64>, %d: f64, %ob: memref<bf16>, %b: bf16, %oi: memref<i32>, %i: i32, %ol: memref<i64>, %l: i64) kernel {
    %0 = math.sqrt %x : f32
    memref.store %0, %o[] : memref<f32>
    gpu.barrier
    %1 = math.rsqrt %x : f32
    memref.store %1, %o[] : memref<f32>
    gpu.barrier
    %2 = math.floor %x : f32
    memref.store %2, %o[] : memref<f32>
    gpu.barrier
    %3 = math.roundeven %d : f64
    memref.store %3, %od[] : memref<f64>
    gpu.barrier
    %4 = math.round %h : f16
    memref.store %4, %oh[] : memref<f16>
    gpu.barrier
    %5 = math.sqrt %b : bf16
    memref.store %5, %ob[] : memref<bf16>
    gpu.barrier
    %6 = math.fma %b, %b, %b : bf16
    memref.store %6, %ob[] : memref<bf16>
    gpu.barrier
    %7 = math.ctpop %l : i64
    memref.store %7, %ol[] : memref<i64>
    gpu.barrier
    %8 = math.ctlz %i : i32
    memref.store %8, %oi[] : memref<i32>
    gpu.barrier
    %9 = math.absi %i : i32
    memref.store %9, %oi[] : memref<i32>
    gpu.barrier
    %10 = arith.maximumf %d, %d : f64
    %11 = arith.minnumf %10, %3 : f64
    memref.store %11, %od[] : memref<f64>
    gpu.barrier
    %12 = arith.minimumf %h, %4 : f16
    memref.store %12, %oh[] : memref<f16>
    gpu.barrier
    %13 = arith.floordivsi %i, %8 : i32
    %14 = arith.ceildivsi %13, %i : i32
    memref.store %14, %oi[] : memref<i32>
    gpu.barrier
    %15 = arith.truncf %x : f32 to bf16
    memref.store %15, %ob[] : memref<bf16>
    gpu.barrier
    %16 = arith.divf %b, %15 : bf16
    memref.store %16, %ob[] : memref<bf16>
    %17 = math.copysign %x, %y : f32
    memref.store %17, %o[] : memref<f32>
    gpu.barrier
    %18 = arith.fptosi %b : bf16 to i32
    memref.store %18, %oi[] : memref<i32>
    gpu.barrier
    %19 = arith.maximumf %b, %15 : bf16
    %n = math.isnan %x : f32
    %n1 = arith.extui %n : i1 to i32
    memref.store %n1, %oi[] : memref<i32>
    memref.store %19, %ob[] : memref<bf16>
    gpu.return
  }
}
