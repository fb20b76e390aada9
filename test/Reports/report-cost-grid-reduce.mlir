// The cost of a reduction at level grid. Each block takes one piece of the array, min(n, start + size) - start
// elements, in tiles of 16 elements of each thread; its threads step over the rest together. The report has
// numbers for all of it, and its time does not grow with the extent.

// RUN: obs-opt --obs-report-cost %s -o /dev/null | FileCheck %s --implicit-check-not='?'

// 2^20 elements are 256 tiles, one for each block, and nothing is left: 16 loads of 2^18 bytes each.
// CHECK-LABEL: kernel 'tiles'
// CHECK: each at most 31 integer and
// CHECK-COUNT-16: read global i32 {{.*}}, 262144 bytes
// CHECK-COUNT-18: read global i32 {{.*}}, 0 bytes
// CHECK: global memory: 4194304 bytes read
func.func @tiles(%a: !obs.pull<1048576 x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<1048576 x i32>
  %r = obs.force %s {kernel = "tiles"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// 2^30 elements are 528 pieces at most, of 497 tiles each.
// CHECK-LABEL: kernel 'pieces'
// CHECK-COUNT-16: read global i32 {{.*}}, 540672 bytes
// CHECK-COUNT-16: read global i32 {{.*}}, 267894784 bytes
// CHECK: global memory: 4294967296 bytes read
func.func @pieces(%a: !obs.pull<1073741824 x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<1073741824 x i32>
  %r = obs.force %s {kernel = "pieces"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// An extent that is known at run time.
// CHECK-LABEL: kernel 'any'
// CHECK: read global i32 {{.*}}arg0.dim0
// CHECK: global memory: at most {{.*}}arg0.dim0{{.*}} bytes read
func.func @any(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<? x i32>
  %r = obs.force %s {kernel = "any"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}
