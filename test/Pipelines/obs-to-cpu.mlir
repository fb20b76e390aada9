// RUN: obs-opt --obs-to-cpu %s | FileCheck %s

// One function of the LLVM dialect for each kernel. Code of the host is not
// compiled.
// CHECK-NOT: func.func
// CHECK: module @kernels
// CHECK: llvm.func @{{.*}}twice(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: llvm.fadd
// CHECK-NOT: gpu.

func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %b = obs.map (%x = %a : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %y = arith.addf %x, %x : f32
    obs.yield %y : f32
  }
  %p = obs.push %b : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %r = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %r : !obs.pull<? x f32>
}
