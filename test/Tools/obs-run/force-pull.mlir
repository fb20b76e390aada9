// A force of a pull array is the push and the force, on every device.
// RUN: obs-run %s iota:10xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:10xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1 iota:10xi32 | FileCheck %s
// CHECK: [6, 4, 2, 0, 14, 12, 10, 8, 2, 2, 18, 16]
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %one = arith.constant 1 : i32
  %big = obs.map { arith.addi } %a, %a : !obs.pull<? x i32>
  %all = obs.force %big : !obs.pull<? x i32>
  %two = arith.constant 2 : i32
  %rows = obs.split %all by [4] pad %two : !obs.pull<? x i32>
  %turned = obs.distribute block in grid (%r = %rows : !obs.pull<? x !obs.pull<4 x i32>>) {
    %f = obs.force %r : !obs.pull<4 x i32>
    %b = obs.reverse %f : !obs.pull<4 x i32>
    %p = obs.push block %b : !obs.pull<4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %flat = obs.join %turned : !obs.push<grid, ? x 4 x i32>
  %r = obs.force %flat : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
