// REQUIRES: ptxas
// RUN: obs-translate --obs-to-cubin --chip=sm_90 %s -o %t.cubin
// RUN: %python -c "import sys; data = open(sys.argv[1], 'rb').read(); assert data[:4] == b'\x7fELF' and b'copy_one' in data" %t.cubin

gpu.module @kernels {
  gpu.func @copy_one(%a: memref<f32>, %b: memref<f32>) kernel {
    %x = memref.load %a[] : memref<f32>
    memref.store %x, %b[] : memref<f32>
    gpu.return
  }
}
