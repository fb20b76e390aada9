// RUN: not obs-opt --obs-report-cost %s 2>&1 | FileCheck %s
// RUN: not obs-opt --obs-explain-barriers %s 2>&1 | FileCheck %s

// CHECK: report-stage.mlir:[[@LINE+4]]:8: error: {{.*}}[report-stage] is not compiled to loops yet; give the program that the kernel was made from
obs.kernel @copy(%a: memref<?xf32>, %b: memref<?xf32>) attributes {threads = 64 : i64} {
  %v = obs.view %a : memref<?xf32>
  %p = obs.push %v : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %r = obs.force %p into %b : !obs.push<grid, ? x f32> into memref<?xf32> -> !obs.pull<? x f32>
}
