// RUN: obs-opt --obs-to-nvvm %s | FileCheck %s
// RUN: obs-opt --obs-to-nvvm='chip=sm_80 threads=32' %s | FileCheck %s --check-prefix=SM80
// RUN: obs-opt --obs-to-nvvm='format=nvvm' %s | FileCheck %s --check-prefix=NVVM
// RUN: not obs-opt --obs-to-nvvm='chip=sm_12' %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not obs-opt --obs-to-nvvm='chip=sm_12 format=nvvm' %s 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK: gpu.launch_func @kernels::@twice
// CHECK: gpu.binary @kernels {{.*}}[#gpu.object<#nvvm.target<chip = "sm_90", features = "+ptx81">, assembly = "
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry twice(

// SM80: gpu.binary @kernels
// SM80-SAME: .target sm_80
// SM80-SAME: .maxntid 32, 1, 1

// NVVM: gpu.module @kernels
// NVVM: llvm.func @twice(%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64)
// NVVM-NOT: gpu.func

// A wrong option is an error without a place in the program.
// CHIP-NOT: obs-to-nvvm.mlir
// CHIP: error: unknown chip 'sm_12'; known are sm_70,
// CHIP-NOT: obs-to-nvvm.mlir

func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %b = obs.map (%x = %a : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %y = arith.addf %x, %x : f32
    obs.yield %y : f32
  }
  %p = obs.push %b : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %r = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %r : !obs.pull<? x f32>
}
