// Kernels of several static shapes that subtract from an extent, or one less, are merged: the extent is computed
// from the bound of the loop. Those that divide by an extent, or compare with it, would get longer, and are two.
// RUN: obs-opt %s --obs-merge-kernels --split-input-file | FileCheck %s
// RUN: obs-translate --obs-to-ptx %S/Inputs/limits.mlir -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=ENTRIES --input-file=%t.ptx
// RUN: obs-opt --obs-to-gpu --obs-check-races %S/Inputs/limits.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-run %S/Inputs/limits.mlir --entry=reverse_few --device=interpret random:512xi32:1 > %t.expected
// RUN: obs-run %S/Inputs/limits.mlir --entry=reverse_few --device=emulate --check random:512xi32:1 | diff %t.expected -
// RUN: obs-run %S/Inputs/limits.mlir --entry=reverse_many --device=interpret random:1000xi32:1 > %t.expected
// RUN: obs-run %S/Inputs/limits.mlir --entry=reverse_many --device=emulate --check random:1000xi32:1 | diff %t.expected -
// RUN: obs-run %S/Inputs/limits.mlir --entry=blur_few --device=interpret random:512xi32:1 > %t.expected
// RUN: obs-run %S/Inputs/limits.mlir --entry=blur_few --device=emulate --check random:512xi32:1 | diff %t.expected -
// RUN: obs-run %S/Inputs/limits.mlir --entry=blur_many --device=interpret random:1000xi32:1 > %t.expected
// RUN: obs-run %S/Inputs/limits.mlir --entry=blur_many --device=emulate --check random:1000xi32:1 | diff %t.expected -
// RUN: obs-run %S/Inputs/limits.mlir --entry=padded_many --device=interpret random:1000xi32:1 > %t.expected
// RUN: obs-run %S/Inputs/limits.mlir --entry=padded_many --device=emulate --check random:1000xi32:1 | diff %t.expected -

// ENTRIES-COUNT-7: .entry
// ENTRIES-NOT: .entry
// The code for the parameter is outside of the loop.
// PTX: .entry turn(
// PTX: ld.param.b64 %[[N:rd[0-9]+]], [turn_param_2];
// PTX: add.s64 {{.*}}, %[[N]], -1;
// PTX: $L__BB0_2:
// PTX-NEXT: ld.global
// PTX-NEXT: st.global
// PTX-COUNT-3: add.s64
// PTX-NEXT: setp
// PTX: .entry blur(
// PTX: .entry blur_0(
// PTX: .entry padded(
// PTX: .entry padded_0(
// PTX: .entry transpose(
// PTX: .entry transpose_0(

// RACES-COUNT-7: is proved free of races

// The bound less one, once; the number 7 is no bound; the kernel for 9 subtracts from 10.
// CHECK-LABEL: func.func @both(
// CHECK: gpu.launch_func @kernels::@k {{.*}}, %c5{{.*}} : index)
// CHECK: gpu.launch_func @kernels::@k {{.*}}, %c8{{.*}} : index)
// CHECK: gpu.launch_func @kernels::@k_1 {{.*}} args(%{{[a-z0-9]*}} : memref<i32>)
// CHECK: gpu.func @k(%{{.*}}: memref<i32>, %[[N:.*]]: index
// CHECK: %[[LAST:.*]] = arith.addi %[[N]], %c-1
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
// CHECK: arith.subi %[[LAST]], %[[I]]
// CHECK: arith.cmpi ult, %{{.*}}, %c7
// CHECK: gpu.func @k_1(
// CHECK: arith.subi %c10, %
module attributes {gpu.container_module} {
  func.func @both(%a: memref<i32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    gpu.launch_func @kernels::@k_1 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c5 = arith.constant 5 : index
      %c4 = arith.constant 4 : index
      %c7 = arith.constant 7 : index
      %m = memref.reinterpret_cast %a to offset: [0], sizes: [5], strides: [1] : memref<i32> to memref<5xi32>
      %b = gpu.block_id x
      %g = gpu.grid_dim x
      scf.for %i = %b to %c5 step %g {
        %j = arith.subi %c4, %i : index
        %is = arith.cmpi ult, %j, %c7 : index
        %v = arith.extui %is : i1 to i32
        memref.store %v, %m[%j] : memref<5xi32>
      }
      gpu.return
    }
    gpu.func @k_0(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c8 = arith.constant 8 : index
      %c7 = arith.constant 7 : index
      %m = memref.reinterpret_cast %a to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %b = gpu.block_id x
      %g = gpu.grid_dim x
      scf.for %i = %b to %c8 step %g {
        %j = arith.subi %c7, %i : index
        %is = arith.cmpi ult, %j, %c7 : index
        %v = arith.extui %is : i1 to i32
        memref.store %v, %m[%j] : memref<8xi32>
      }
      gpu.return
    }
    gpu.func @k_1(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, obs.entry = "k"} {
      %c9 = arith.constant 9 : index
      %c10 = arith.constant 10 : index
      %c7 = arith.constant 7 : index
      %m = memref.reinterpret_cast %a to offset: [0], sizes: [20], strides: [1] : memref<i32> to memref<20xi32>
      %b = gpu.block_id x
      %g = gpu.grid_dim x
      scf.for %i = %b to %c9 step %g {
        %j = arith.subi %c10, %i : index
        %is = arith.cmpi ult, %j, %c7 : index
        %v = arith.extui %is : i1 to i32
        memref.store %v, %m[%j] : memref<20xi32>
      }
      gpu.return
    }
  }
}
