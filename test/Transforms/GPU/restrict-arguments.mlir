// Arrays that are only loaded or only stored do not overlap others, but where the program works in place.
// RUN: obs-opt --obs-restrict-arguments %s | FileCheck %s

// CHECK: gpu.func @k(%{{.*}}: memref<f32> {llvm.noalias}, %{{.*}}: memref<f32> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: memref<f32>, %{{.*}}: memref<f32>, %{{.*}}: memref<f32> {obs.may_alias}, %{{.*}}: index)
gpu.module @kernels {
  gpu.func @k(%loaded: memref<f32>, %stored: memref<f32> {llvm.align = 16 : i64}, %both: memref<f32>, %atomic: memref<f32>, %alias: memref<f32> {obs.may_alias}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %view = memref.reinterpret_cast %both to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %a = memref.load %loaded[] : memref<f32>
    %b = memref.load %view[%c0] : memref<?xf32>
    %c = memref.load %alias[] : memref<f32>
    memref.store %a, %stored[] : memref<f32>
    memref.store %c, %both[] : memref<f32>
    %old = memref.atomic_rmw addf %b, %atomic[] : (f32, memref<f32>) -> f32
    gpu.return
  }
}
