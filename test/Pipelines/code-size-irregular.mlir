// The same lines for 2^13 and for 2^14 elements, less constants that may coincide.
// (Of at most 16 elements for each thread, arrays may be registers.)

// RUN: sed s/SIZE/8192/g %s > %t.small.mlir
// RUN: sed s/SIZE/16384/g %s > %t.large.mlir
// RUN: obs-opt --obs-to-gpu %t.small.mlir | grep -vc arith.constant > %t.small
// RUN: obs-opt --obs-to-gpu %t.large.mlir | grep -vc arith.constant > %t.large
// RUN: diff %t.small %t.large
// RUN: obs-opt --obs-to-gpu %t.large.mlir | FileCheck %s
// CHECK-DAG: gpu.func @compact(
// CHECK-DAG: gpu.func @rank(
// CHECK-DAG: gpu.func @expand(
// CHECK-DAG: gpu.func @scatter(

!flat = !obs.pull<? x i32>
!tiles = !obs.pull<? x !obs.pull<SIZE x i32>>
!results = !obs.pull<? x SIZE x i32>
func.func @main(%flat: !flat) -> (!results, !results, !results, !results) {
  %z = arith.constant 0 : i32
  %mask = arith.constant 7 : i32
  %small = obs.map (%x = %flat : !flat) -> !flat {
    %y = arith.andi %x, %mask : i32
    obs.yield %y : i32
  }
  %a = obs.split %small by [SIZE] pad %z : !flat -> !tiles
  %p = obs.distribute block (%c = %a : !tiles) -> !obs.push<grid, ? x SIZE x i32> {
    %f = obs.map (%x = %c : !obs.pull<SIZE x i32>) -> !obs.pull<SIZE x i1> {
      %y = arith.cmpi ne, %x, %z : i32
      obs.yield %y : i1
    }
    %r, %n = obs.compact %c flags %f init %z : !obs.pull<SIZE x i32>, !obs.pull<SIZE x i1> -> !obs.push<block, SIZE x i32>, !obs.push<block, 1 x i32>
    obs.yield %r : !obs.push<block, SIZE x i32>
  }
  %q = obs.distribute block (%c = %a : !tiles) -> !obs.push<grid, ? x SIZE x i32> {
    %r, %n = obs.rank %c : !obs.pull<SIZE x i32> -> !obs.push<block, SIZE x i32>, !obs.push<block, 8 x i32>
    obs.yield %r : !obs.push<block, SIZE x i32>
  }
  %s = obs.distribute block (%c = %a : !tiles) -> !obs.push<grid, ? x SIZE x i32> {
    %r, %n = obs.expand (%i, %j) = %c init %z : !obs.pull<SIZE x i32> -> !obs.push<block, SIZE x i32>, !obs.push<block, 1 x i32> {
      %x = arith.index_cast %j : index to i32
      obs.yield %x : i32
    }
    obs.yield %r : !obs.push<block, SIZE x i32>
  }
  %t = obs.distribute block (%c = %a : !tiles) -> !obs.push<grid, ? x SIZE x i32> {
    %r, %found = obs.scatter %c at %c init %z reduce(addi) fetch : !obs.pull<SIZE x i32>, !obs.pull<SIZE x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, SIZE x i32>
    obs.yield %found : !obs.push<block, SIZE x i32>
  }
  %0 = obs.force %p {kernel = "compact"} : !obs.push<grid, ? x SIZE x i32> -> !results
  %1 = obs.force %q {kernel = "rank"} : !obs.push<grid, ? x SIZE x i32> -> !results
  %2 = obs.force %s {kernel = "expand"} : !obs.push<grid, ? x SIZE x i32> -> !results
  %3 = obs.force %t {kernel = "scatter"} : !obs.push<grid, ? x SIZE x i32> -> !results
  return %0, %1, %2, %3 : !results, !results, !results, !results
}
