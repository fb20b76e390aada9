// RUN: not obs-translate --obs-to-ptx --libdevice=none %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not obs-translate --obs-to-ptx --libdevice=%t.absent %s 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: echo "no bitcode" > %t.wrong
// RUN: not obs-translate --obs-to-ptx --libdevice=%t.wrong %s 2>&1 | FileCheck %s --check-prefix=WRONG

// NONE: libdevice.mlir:[[#@LINE+6]]:{{[0-9]+}}: error: 'math.exp' on a GPU needs libdevice.10.bc of the CUDA toolkit
// NONE-SAME: set CUDA_HOME or name the file
// ABSENT: libdevice.mlir:[[#@LINE+4]]:{{[0-9]+}}: error: 'math.exp' needs libdevice, but there is no {{.*}}.absent
// WRONG: error: cannot read libdevice '{{.*}}.wrong'
gpu.module @kernels {
  gpu.func @k(%o: memref<f32>, %x: f32) kernel {
    %0 = math.exp %x : f32
    memref.store %0, %o[] : memref<f32>
    gpu.return
  }
}
