// RUN: obs-opt --obs-serialize-kernels=chip=sm_80 %s | FileCheck %s
// RUN: not obs-opt --obs-serialize-kernels=chip=sm_12 %s 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK-NOT: gpu.module
// CHECK: gpu.binary @first
// CHECK-SAME: chip = "sm_80"
// CHECK-SAME: assembly = "
// CHECK-SAME: .visible .entry k(
// CHECK: gpu.binary @second
// CHECK-NOT: .entry
// CHECK-NOT: gpu.module

// CHIP: error: {{.*}}sm_12

gpu.module @first {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

gpu.module @second {
}
