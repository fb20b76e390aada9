// RUN: obs-opt --obs-isolate-kernels %s | FileCheck %s

// CHECK: module
// CHECK-NOT: func.func
// CHECK-NOT: memref.global
// CHECK: gpu.module @first
// CHECK: gpu.func @k() kernel
// CHECK-NOT: func.func
// CHECK: gpu.module @second
// CHECK-NOT: func.func

memref.global @table : memref<4xi32>

func.func @main() {
  return
}

gpu.module @first {
  gpu.func @k() kernel {
    gpu.return
  }
}

func.func private @other()

gpu.module @second {
}
