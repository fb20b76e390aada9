// A failed assertion stops the kernel with its place in the source; printing
// goes through the driver.

// RUN: obs-translate --obs-to-ptx --chip=sm_75 %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// REQUIRES: ptxas
// RUN: ptxas -arch=sm_75 %t.ptx -o /dev/null

gpu.module @kernels {
  // CHECK: .visible .entry guarded(
  // CHECK: .param .u8 {{.*}}param_0
  gpu.func @guarded(%flag: i1, %x: f16, %n: i32, %o: memref<f16>) kernel {
    // CHECK-DAG: call.uni {{.*}}__assertfail
    cf.assert %flag, "flag must be set"
    // CHECK-DAG: call.uni {{.*}}vprintf
    gpu.printf "n = %d\n", %n : i32
    // CHECK-DAG: st.global.b16
    memref.store %x, %o[] : memref<f16>
    gpu.return
  }
}
