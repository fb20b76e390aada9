// RUN: obs-opt --obs-report-cost %s -o /dev/null | FileCheck %s

// The iterations from 1 to n + 5 - 3 are n + 1, with a barrier each; an array of min(n, n + 2) elements has n.
// CHECK: barriers: 1 of a block, 0 of a warp; executed for each part of the grid: arg0.dim0 + 1 and 0
// CHECK: {{^}}    arg0.dim0 iterations in a block
func.func @main(%a: !obs.pull<? x i32 bound [1000]>) -> !obs.pull<1 x 1 x i32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32 bound [1000]>
  %blocks = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%unused = %blocks : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x i32> {
    %zero = arith.constant 0 : i32
    %more = arith.addi %n, %c5 : index
    %end = arith.subi %more, %c3 : index
    %longer = arith.addi %n, %c2 : index
    %length = arith.minui %n, %longer : index
    %none = obs.splat %zero [%length] : !obs.pull<? x i32 bound [1000]>
    %last = scf.for %d = %c1 to %end step %c1 iter_args(%x = %none) -> (!obs.pull<? x i32 bound [1000]>) {
      %r = obs.reverse %x : !obs.pull<? x i32 bound [1000]>
      %p = obs.push %r : !obs.pull<? x i32 bound [1000]> -> !obs.push<block, ? x i32 bound [1000]>
      %s = obs.force %p : !obs.push<block, ? x i32 bound [1000]> -> !obs.pull<? x i32 bound [1000]>
      scf.yield %s : !obs.pull<? x i32 bound [1000]>
    }
    %e = obs.slice %last [0] [1] [1] : !obs.pull<? x i32 bound [1000]> -> !obs.pull<1 x i32>
    %q = obs.push %e : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %r = obs.force %parts {threads = 64} : !obs.push<grid, 1 x 1 x i32> -> !obs.pull<1 x 1 x i32>
  return %r : !obs.pull<1 x 1 x i32>
}
