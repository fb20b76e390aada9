// RUN: obs-opt %s --obs-report-plan -o /dev/null 2>&1 | FileCheck %s

obs.kernel @k(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %in[%c0] : memref<?xi32>
  memref.store %x, %out[%c1] : memref<?xi32>
}

// CHECK: remark: plan of 'main': 1 kernel, 1 memset, 1 copy, 0 host reads, 2 buffers
// CHECK: note: buffer 0 is ? x i32 (4 bytes each)
// CHECK: note: buffer 1 is ? x i32 (4 bytes each), for 2 arrays one after the other
// CHECK: note: memset of buffer 0
// CHECK: note: kernel 'k' reads argument 0, writes buffer 0
// CHECK: note: copy of buffer 0 to buffer 1
// CHECK: note: end of buffer 0
func.func @main(%a: memref<?xi32>, %n: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : i32
  %m = gpu.alloc(%n) : memref<?xi32>
  %r = gpu.alloc(%n) {obs.arrays = 2 : i64} : memref<?xi32>
  gpu.memset %m, %c0 : memref<?xi32>, i32
  obs.launch @k work [%n] [thread] args(%a, %m) : memref<?xi32>, memref<?xi32>
  gpu.memcpy %r, %m : memref<?xi32>, memref<?xi32>
  gpu.dealloc %m : memref<?xi32>
  return %r : memref<?xi32>
}
