// Assertions of neighbouring elements become one branch.

// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-combine-asserts)))' | FileCheck %s

gpu.module @kernels {
  // The example of the description, with a write that tests its index again.
  // CHECK-LABEL: gpu.func @two
  // CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[A:.*]]: i32, %[[B:.*]]: i32, %[[N:.*]]: index, %[[V:.*]]: f32
  // CHECK: %[[MAX:.*]] = arith.maxsi %[[N]], %{{.*}} : index
  // CHECK: %[[LIMIT:.*]] = arith.constant 2147483648 : index
  // CHECK: %[[MIN:.*]] = arith.minui %[[MAX]], %[[LIMIT]] : index
  // CHECK: %[[END:.*]] = arith.index_castui %[[MIN]] : index to i32
  // CHECK: %[[O:.*]] = arith.cmpi ult, %[[A]], %[[END]] : i32
  // CHECK-NOT: cf.assert
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[I:.*]] = arith.index_castui %[[A]] : i32 to index
  // CHECK: %[[Q:.*]] = arith.cmpi ult, %[[B]], %{{.*}} : i32
  // CHECK: %[[BOTH:.*]] = arith.andi %[[O]], %[[Q]] : i1
  // CHECK: cf.assert %[[BOTH]], "out of range"
  // CHECK: %[[J:.*]] = arith.index_castui %[[B]] : i32 to index
  // CHECK: arith.select %[[TRUE]], %[[I]], %{{.*}} : index
  // CHECK: memref.store %[[V]], %[[M]][%[[J]]]
  // CHECK-NOT: cf.assert
  // CHECK: gpu.return
  gpu.func @two(%m: memref<?xf32>, %a: i32, %b: i32, %n: index, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %i = arith.index_cast %a : i32 to index
    %l = arith.cmpi sge, %i, %c0 : index
    %h = arith.cmpi slt, %i, %n : index
    %o = arith.andi %l, %h : i1
    cf.assert %o, "out of range" loc("here")
    %j = arith.index_cast %b : i32 to index
    %l1 = arith.cmpi sge, %j, %c0 : index
    %h1 = arith.cmpi slt, %j, %n : index
    %q = arith.andi %h1, %l1 : i1
    cf.assert %q, "out of range" loc("here")
    %again = arith.cmpi ult, %i, %n : index
    %place = arith.select %again, %i, %c0 : index
    memref.store %v, %m[%place] : memref<?xf32>
    memref.store %v, %m[%j] : memref<?xf32>
    gpu.return
  }

  // A wide number has no bound of its own, and other conditions stay.
  // CHECK-LABEL: gpu.func @wide
  // CHECK: %[[END:.*]] = arith.maxsi
  // CHECK: %[[O:.*]] = arith.cmpi ult, %{{.*}}, %[[END]] : index
  // CHECK: cf.assert %[[O]], "out of range"
  // CHECK: cf.assert %{{.*}}, "other"
  gpu.func @wide(%i: index, %n: index, %other: i1) kernel {
    %c0 = arith.constant 0 : index
    %l = arith.cmpi sge, %i, %c0 : index
    %h = arith.cmpi slt, %i, %n : index
    %o = arith.andi %l, %h : i1
    cf.assert %o, "out of range" loc("here")
    cf.assert %other, "other" loc("here")
    gpu.return
  }

  // The code of a later element may depend on the assertion before it.
  // CHECK-LABEL: gpu.func @stays
  // CHECK: cf.assert
  // CHECK: memref.load
  // CHECK: cf.assert
  // CHECK: arith.divui
  // CHECK: cf.assert
  // CHECK: cf.assert %{{.*}}, "a"
  gpu.func @stays(%m: memref<?xi32>, %p: i1, %q: i1, %r: i1, %s: i1, %i: index) kernel {
    cf.assert %p, "a" loc("here")
    %v = memref.load %m[%i] : memref<?xi32>
    cf.assert %q, "a" loc("here")
    %d = arith.divui %v, %v : i32
    cf.assert %r, "a" loc("here")
    cf.assert %s, "a" loc("there")
    memref.store %d, %m[%i] : memref<?xi32>
    gpu.return
  }
}
