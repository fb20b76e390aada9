// Launches with many more blocks than parts of the grid. The first thread of a block tells whether the block is idle, in
// every schedule; the last block that is not idle has idle threads.

// RUN: obs-run %s --device=emulate --threads=96 --blocks=200000 iota:100xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=96 --blocks=200000 --schedule=random --seed=1 iota:100xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1024 --blocks=2000 --schedule=random --seed=2 --check=all iota:100xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --blocks=200000 --schedule=random --seed=3 iota:0xi32 | FileCheck %s --check-prefix=EMPTY

// The element i is the sum of i and its neighbour on the other side of its chunk of 4.
// CHECK: 3, 3, 3, 3, 11, 11, 11, 11, 19
// EMPTY: []
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [4] pad %zero : !obs.pull<? x i32>
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) {
    %s = obs.force %c : !obs.pull<4 x i32>
    %r = obs.reverse %s : !obs.pull<4 x i32>
    %t = obs.map { arith.addi } %s, %r : !obs.pull<4 x i32>
    %p = obs.push block %t : !obs.pull<4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 4 x i32>
  %f = obs.force %flat : !obs.push<grid, ? x i32>
  return %f : !obs.pull<? x i32>
}
