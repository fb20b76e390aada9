// The rows of an array of pairs are two arguments of a block. Each of them was looked up as an array of its own.
// RUN: obs-run %s --device=emulate --check iota:99xi32 iota:99xi32 2>&1 | FileCheck %s

// The sums of 0 to 32, of 33 to 65 and of 66 to 98.
// CHECK: [528, 1617, 2706]
func.func @main(%x: !obs.pull<99 x i32>, %y: !obs.pull<99 x i32>) -> !obs.pull<3 x i32> {
  %a = obs.split %x by [33] : !obs.pull<99 x i32>
  %b = obs.split %y by [33] : !obs.pull<99 x i32>
  %pairs = obs.zip %a, %b : !obs.pull<3 x !obs.pull<33 x i32>>
  %zero = arith.constant 0 : i32
  %parts = obs.distribute block in grid (%p, %q = %pairs : !obs.pull<3 x !obs.pull<33 x i32>, !obs.pull<33 x i32>>) {
    %sum = obs.reduce { arith.addi } %q init %zero : !obs.pull<33 x i32>
    %one = obs.splat %sum : !obs.pull<1 x i32>
    %push = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %push : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 3 x 1 x i32>
  %r = obs.force %flat : !obs.push<grid, 3 x i32>
  return %r : !obs.pull<3 x i32>
}
