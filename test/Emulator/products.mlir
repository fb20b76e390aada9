// The lanes of a warp multiply matrices together: all of them reach the same product.

// RUN: obs-run %s --device=emulate --check=all --entry=whole zeros:32xf32 | FileCheck %s --check-prefix=WHOLE
// RUN: not obs-run %s --device=emulate --entry=half zeros:32xf32 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not obs-run %s --device=emulate --entry=few zeros:32xf32 2>&1 | FileCheck %s --check-prefix=FEW

// All elements of a are 2 and those of b are 3: each of the 16 products is 6. The sum begins with 1.
// WHOLE-COUNT-32: 97
// HALF: error: divergent-barrier: thread 16 of block 0 waits at this block barrier, but thread 0 of block 0 waits at the product of matrices at
// FEW: bad-mma: thread 0 of block 0 multiplies matrices with the other lanes, but its warp has fewer than 32 threads

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @whole(%a: memref<f32>) kernel {
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<f32> to memref<32xf32>
      %t = gpu.thread_id x
      %x = arith.constant 2.0 : bf16
      %y = arith.constant 3.0 : bf16
      %s = arith.constant 1.0 : f32
      %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%y, %y, %y, %y) plus (%s, %s, %s, %s) : bf16
      memref.store %d#3, %v[%t] : memref<32xf32>
      gpu.return
    }
    gpu.func @half(%a: memref<f32>) kernel {
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<f32> to memref<32xf32>
      %t = gpu.thread_id x
      %x = arith.constant 2.0 : bf16
      %y = arith.constant 3.0 : bf16
      %s = arith.constant 1.0 : f32
      %c16 = arith.constant 16 : index
      %isFirst = arith.cmpi ult, %t, %c16 : index
      scf.if %isFirst {
        %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%y, %y, %y, %y) plus (%s, %s, %s, %s) : bf16
        memref.store %d#3, %v[%t] : memref<32xf32>
      } else {
        gpu.barrier
      }
      gpu.return
    }
  }

  func.func @whole(%a: memref<32xf32>) -> memref<32xf32> {
    %c1 = arith.constant 1 : index
    %n = arith.constant 32 : index
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xf32> to memref<f32>
    gpu.launch_func @kernels::@whole blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%p : memref<f32>)
    return %a : memref<32xf32>
  }
  func.func @half(%a: memref<32xf32>) -> memref<32xf32> {
    %c1 = arith.constant 1 : index
    %n = arith.constant 32 : index
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xf32> to memref<f32>
    gpu.launch_func @kernels::@half blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%p : memref<f32>)
    return %a : memref<32xf32>
  }
  func.func @few(%a: memref<32xf32>) -> memref<32xf32> {
    %c1 = arith.constant 1 : index
    %n = arith.constant 20 : index
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xf32> to memref<f32>
    gpu.launch_func @kernels::@whole blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%p : memref<f32>)
    return %a : memref<32xf32>
  }
}
