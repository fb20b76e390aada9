// An argument of a kernel is aligned as that of its least aligned launch.
// RUN: obs-opt --obs-align-arguments --split-input-file %s | FileCheck %s

// Arguments and allocations are aligned for the widest accesses, scalars are not touched.
// CHECK: gpu.func @k(%{{.*}}: memref<f32> {llvm.align = 16 : i64}, %{{.*}}: memref<f32> {llvm.align = 16 : i64}, %{{.*}}: index)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<f32>, %b: memref<f32>, %n: index) kernel { gpu.return }
  }
  func.func @main(%a: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %m = gpu.alloc (%n) : memref<?xf32>
    %pa = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    %pm = memref.reinterpret_cast %m to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%pa : memref<f32>, %pm : memref<f32>, %n : index)
    return
  }
}

// -----

// One launch in two begins one element later; the other argument begins at a multiple of 2 elements of 4 bytes.
// CHECK: gpu.func @k(%{{.*}}: memref<f32>, %{{.*}}: memref<f32> {llvm.align = 8 : i64})
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<f32>, %b: memref<f32>) kernel { gpu.return }
  }
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %six = arith.muli %n, %c6 : index
    %p = obs.part %a from %c1 extents(%n) : memref<?xf32> to memref<?xf32>
    %q = obs.part %b from %six extents(%n) : memref<?xf32> to memref<?xf32>
    %pa = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    %pb = memref.reinterpret_cast %b to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    %pp = memref.reinterpret_cast %p to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    %pq = memref.reinterpret_cast %q to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%pa : memref<f32>, %pb : memref<f32>)
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%pp : memref<f32>, %pq : memref<f32>)
    return
  }
}

// -----

// A carried array has the alignment of its initial array and of those that iterations pass on: 4 elements of 2 bytes
// further, or an unknown number. A number that counts in steps of 8 is a multiple of 8. A select may be either.
// CHECK: gpu.func @k(%{{.*}}: memref<f16> {llvm.align = 8 : i64}, %{{.*}}: memref<f16>, %{{.*}}: memref<f16> {llvm.align = 16 : i64}, %{{.*}}: memref<f16> {llvm.align = 4 : i64})
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<f16>, %b: memref<f16>, %c: memref<f16>, %d: memref<f16>) kernel { gpu.return }
  }
  func.func @main(%a: memref<?xf16>, %n: index, %t: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %two = obs.part %a from %c2 extents(%c8) : memref<?xf16> to memref<?xf16>
    %choice = arith.select %t, %a, %two : memref<?xf16>
    %r:2 = scf.for %i = %c0 to %n step %c8 iter_args(%x = %a, %y = %a) -> (memref<?xf16>, memref<?xf16>) {
      %z = obs.part %a from %i extents(%c8) : memref<?xf16> to memref<?xf16>
      %px = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<?xf16> to memref<f16>
      %py = memref.reinterpret_cast %y to offset: [0], sizes: [], strides: [] : memref<?xf16> to memref<f16>
      %pz = memref.reinterpret_cast %z to offset: [0], sizes: [], strides: [] : memref<?xf16> to memref<f16>
      %pc = memref.reinterpret_cast %choice to offset: [0], sizes: [], strides: [] : memref<?xf16> to memref<f16>
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%px : memref<f16>, %py : memref<f16>, %pz : memref<f16>, %pc : memref<f16>)
      %nx = obs.part %x from %c4 extents(%c8) : memref<?xf16> to memref<?xf16>
      %ny = obs.part %y from %n extents(%c8) : memref<?xf16> to memref<?xf16>
      scf.yield %nx, %ny : memref<?xf16>, memref<?xf16>
    }
    return
  }
}
