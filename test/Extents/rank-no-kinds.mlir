// No keys of no kinds: empty arrays are legal wherever arrays are.
// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s

// CHECK: {{\[}}[]]
// CHECK: {{\[}}[]]
func.func @main() -> (!obs.pull<1 x 0 x index>, !obs.pull<1 x 0 x i32>) {
  %c0 = arith.constant 0 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %none = obs.splat %c0 : !obs.pull<0 x i32>
  %b, %d = obs.distribute block in grid (%x = %one : !obs.pull<1 x index>) {
    %keys = obs.force %none : !obs.pull<0 x i32>
    %p, %c = obs.rank %keys : !obs.pull<0 x i32> -> !obs.push<block, 0 x index>, !obs.push<block, 0 x i32>
    obs.yield %p, %c : !obs.push<block, 0 x index>, !obs.push<block, 0 x i32>
  }
  %r, %s = obs.force %b, %d : !obs.push<grid, 1 x 0 x index>, !obs.push<grid, 1 x 0 x i32>
  return %r, %s : !obs.pull<1 x 0 x index>, !obs.pull<1 x 0 x i32>
}
