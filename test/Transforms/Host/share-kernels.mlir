// RUN: obs-opt %s --obs-share-kernels | FileCheck %s

// Places in the source and symbols do not matter.
// CHECK: obs.kernel @scan(
// CHECK-NOT: @scan_0
obs.kernel @scan(%a: memref<?xi32>) attributes {entry = "scan"} {
  %v = obs.view %a : memref<?xi32>
}
obs.kernel @scan_0(%a: memref<?xi32>) attributes {entry = "scan"} {
  %v = obs.view %a : memref<?xi32>
}

// Another entry, number of threads, type or program does.
// CHECK: obs.kernel @entry(
// CHECK: obs.kernel @threads(
// CHECK: obs.kernel @type(
// CHECK: obs.kernel @program(
obs.kernel @entry(%a: memref<?xi32>) attributes {entry = "other"} {
  %v = obs.view %a : memref<?xi32>
}
obs.kernel @threads(%a: memref<?xi32>) attributes {entry = "scan", threads = 64 : i64} {
  %v = obs.view %a : memref<?xi32>
}
obs.kernel @type(%a: memref<?xf32>) attributes {entry = "scan"} {
  %v = obs.view %a : memref<?xf32>
}
obs.kernel @program(%a: memref<?xi32>) attributes {entry = "scan"} {
  %c0 = arith.constant 0 : index
}

// CHECK: func.func @main
// CHECK-SAME: %[[A:.*]]: memref<?xi32>{{.*}}, %[[B:.*]]: memref<?xi32>
func.func @main(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xf32>, %n: index) {
  // CHECK: obs.launch @scan work [%{{.*}}] [block] args(%[[A]])
  obs.launch @scan work [%n] [block] args(%a) : memref<?xi32>
  // CHECK: obs.launch @scan work [%{{.*}}] [block] args(%[[B]])
  obs.launch @scan_0 work [%n] [block] args(%b) : memref<?xi32>
  // CHECK: obs.launch @entry
  obs.launch @entry work [%n] [block] args(%b) : memref<?xi32>
  // CHECK: obs.launch @threads
  obs.launch @threads work [%n] [block] args(%b) : memref<?xi32>
  // CHECK: obs.launch @type
  obs.launch @type work [%n] [block] args(%c) : memref<?xf32>
  // CHECK: obs.launch @program
  obs.launch @program work [%n] [block] args(%b) : memref<?xi32>
  return
}
