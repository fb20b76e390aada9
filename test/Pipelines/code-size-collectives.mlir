// Beyond 128 elements the stages of a collective are a loop: the same lines for
// 2^11 and for 2^12 elements, before LLVM unrolls loops of few iterations. For
// 2^14, a thread executes 32 iterations of the first loop of the tree, which
// then has one copy without guards (obs-split-leaves).

// RUN: sed s/SIZE/2048/g %s > %t.small.mlir
// RUN: sed s/SIZE/4096/g %s > %t.large.mlir
// RUN: obs-opt --obs-to-gpu %t.small.mlir | grep -vc arith.constant > %t.small
// RUN: obs-opt --obs-to-gpu %t.large.mlir | grep -vc arith.constant > %t.large
// RUN: diff %t.small %t.large
// RUN: obs-opt --obs-to-gpu %t.large.mlir | FileCheck %s
// CHECK-DAG: gpu.func @tree(
// CHECK-DAG: gpu.func @raking(
// CHECK-DAG: gpu.func @scan(

func.func @main(%flat: !obs.pull<? x i32>) -> (!obs.pull<? x 1 x i32>, !obs.pull<? x 1 x i32>, !obs.pull<? x SIZE x i32>) {
  %z = arith.constant 0 : i32
  %a = obs.split %flat by [SIZE] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<SIZE x i32>>
  %p = obs.distribute block (%c = %a : !obs.pull<? x !obs.pull<SIZE x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %s = obs.reduce (%x, %y) = %c init %z {strategy = "adjacent_tree"} : !obs.pull<SIZE x i32> -> i32 {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %t = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %t : !obs.push<block, 1 x i32>
  }
  %q = obs.distribute block (%c = %a : !obs.pull<? x !obs.pull<SIZE x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %s = obs.reduce (%x, %y) = %c init %z {strategy = "raking"} : !obs.pull<SIZE x i32> -> i32 {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %t = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %t : !obs.push<block, 1 x i32>
  }
  %u = obs.distribute block (%c = %a : !obs.pull<? x !obs.pull<SIZE x i32>>) -> !obs.push<grid, ? x SIZE x i32> {
    %t = obs.scan inclusive (%x, %y) = %c init %z {strategy = "kogge_stone"} : !obs.pull<SIZE x i32> -> !obs.push<block, SIZE x i32> {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    obs.yield %t : !obs.push<block, SIZE x i32>
  }
  %f = obs.force %p {kernel = "tree"} : !obs.push<grid, ? x 1 x i32> -> !obs.pull<? x 1 x i32>
  %g = obs.force %q {kernel = "raking"} : !obs.push<grid, ? x 1 x i32> -> !obs.pull<? x 1 x i32>
  %h = obs.force %u {kernel = "scan"} : !obs.push<grid, ? x SIZE x i32> -> !obs.pull<? x SIZE x i32>
  return %f, %g, %h : !obs.pull<? x 1 x i32>, !obs.pull<? x 1 x i32>, !obs.pull<? x SIZE x i32>
}
