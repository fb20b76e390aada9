// Host functions compile by upstream's conversions: the aligned pointer moves, the allocated one stays.
// RUN: obs-opt --convert-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @row(
// CHECK-DAG: %[[ALLOCATED:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK-DAG: %[[ALIGNED:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK-DAG: %[[BEGIN:.*]] = llvm.getelementptr %[[ALIGNED]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.insertvalue %[[ALLOCATED]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[BEGIN]], %{{.*}}[1]
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : index)
// CHECK: llvm.insertvalue %[[ZERO]], %{{.*}}[2]
// CHECK-NOT: obs.part
func.func @row(%m: memref<?x4xf32>, %i: index, %n: index) -> memref<?x4xf32> {
  %p = obs.part %m from %i extents(%n) : memref<?x4xf32> to memref<?x4xf32>
  return %p : memref<?x4xf32>
}
