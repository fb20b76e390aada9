// RUN: obs-opt --obs-join-extents %s | FileCheck %s

// Both launches pass one number for %n and %k, and one for %m and %h, because of the assertion: it holds for the second
// launch, too, which is in a branch after it. %w differs in the second launch.
// CHECK-LABEL: gpu.func @sums
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<f32>, %[[N:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index, %[[B:[a-z0-9]*]]: memref<f32>, %[[K:[a-z0-9]*]]: index, %[[H:[a-z0-9]*]]: index, %[[W:[a-z0-9]*]]: index)
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[N]], %[[M]]], strides: [%[[M]], 1]
// CHECK: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%[[N]], %[[M]]], strides: [%[[M]], 1]
// CHECK-NOT: memref.dim
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]] step
// CHECK: memref.load %{{.*}}[%[[W]],
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sums(%a: memref<f32>, %n: index, %m: index, %b: memref<f32>, %k: index, %h: index, %w: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n, %m], strides: [%m, 1] : memref<f32> to memref<?x?xf32>
      %y = memref.reinterpret_cast %b to offset: [0], sizes: [%k, %h], strides: [%h, 1] : memref<f32> to memref<?x?xf32>
      %d = memref.dim %y, %c1 : memref<?x?xf32>
      scf.for %i = %c0 to %d step %c1 {
        %v = memref.load %x[%w, %i] : memref<?x?xf32>
        memref.store %v, %y[%c0, %i] : memref<?x?xf32>
      } {obs.items = 4 : i64}
      gpu.return
    }
  }
  func.func @main(%a: memref<f32>, %b: memref<f32>, %n: index, %m: index, %h: index, %other: index, %c: i1) {
    %c1 = arith.constant 1 : index
    %equal = arith.cmpi eq, %m, %h : index
    cf.assert %equal, "rows of one length"
    gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>, %n : index, %m : index, %b : memref<f32>, %n : index, %h : index, %n : index)
    scf.if %c {
      %c5 = arith.constant 5 : index
      %five = arith.constant 5 : index
      gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>, %c5 : index, %h : index, %b : memref<f32>, %five : index, %m : index, %other : index)
    }
    return
  }

  // An assertion that may not be executed, or comes later, says nothing.
  // CHECK: gpu.func @apart
  // CHECK-SAME: %[[A:[a-z0-9]*]]: memref<f32>, %[[N:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index)
  // CHECK: memref.load %{{.*}}[%[[N]], %[[M]]]
  gpu.module @others {
    gpu.func @apart(%a: memref<f32>, %n: index, %m: index) kernel {
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<f32> to memref<8x8xf32>
      %c1 = arith.constant 1 : index
      scf.for %i = %n to %m step %c1 {
        %v = memref.load %x[%n, %m] : memref<8x8xf32>
        memref.store %v, %x[%m, %n] : memref<8x8xf32>
      } {obs.items = 4 : i64}
      gpu.return
    }

    // A kernel without groups is unchanged.
    // CHECK: gpu.func @single
    // CHECK-SAME: %[[N:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index)
    // CHECK: memref.load %{{.*}}[%[[N]], %[[M]]]
    gpu.func @single(%a: memref<f32>, %n: index, %m: index) kernel {
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<f32> to memref<8x8xf32>
      %v = memref.load %x[%n, %m] : memref<8x8xf32>
      memref.store %v, %x[%m, %n] : memref<8x8xf32>
      gpu.return
    }
  }
  func.func @unknown(%a: memref<f32>, %n: index, %m: index, %c: i1) {
    %c1 = arith.constant 1 : index
    %equal = arith.cmpi eq, %n, %m : index
    scf.if %c {
      cf.assert %equal, "equal in a branch"
    }
    gpu.launch_func @others::@apart blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>, %n : index, %m : index)
    cf.assert %equal, "equal later"
    gpu.launch_func @others::@single blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>, %n : index, %n : index)
    return
  }
}
