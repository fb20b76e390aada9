// RUN: obs-opt --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s

// A dimension that an array has not got has no meaning, so nothing is known of it.
// CHECK: remark: kernel 'red7' is proved free of races

gpu.module @kernels {
    gpu.func @red7(%arg0: memref<i32> {llvm.align = 16 : i64}, %arg1: index, %arg2: memref<i32> {llvm.align = 16 : i64}, %arg3: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c64 = arith.constant 64 : index
      %c0 = arith.constant 1 : index
      %c511 = arith.constant 511 : index
      %c512 = arith.constant 512 : index
      %c4 = arith.constant 4 : index
      %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg1], strides: [1] : memref<i32> to memref<?xi32>
      %thread_id_x = gpu.thread_id  x
      %block_id_x = gpu.block_id  x
      %grid_dim_x = gpu.grid_dim  x
      %0 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %dim = memref.dim %reinterpret_cast, %c0 : memref<?xi32>
      %1 = arith.addi %dim, %c511 : index
      %2 = arith.divui %1, %c512 : index
      %view_1 = memref.view %0[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>>
      %5 = arith.cmpi ult, %thread_id_x, %c4 : index
      scf.for %arg4 = %block_id_x to %2 step %grid_dim_x {
        scf.if %5 {
          %9 = arith.addi %thread_id_x, %c4 : index
          %10 = memref.load %view_1[%9] : memref<8xi32, #gpu.address_space<workgroup>>
        }
      }
      gpu.return
    }
}
