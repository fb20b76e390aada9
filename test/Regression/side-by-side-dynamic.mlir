// RUN: obs-run %s --device=interpret 5 | FileCheck %s
// RUN: obs-run %s --device=emulate 5 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --schedule=random --seed=1 5 | FileCheck %s

// Sub-programs of the level they stand in, side by side, that force arrays whose
// length is known at run time only: the merged code lost their lengths.

// 0, ..., 4 reversed, from 0 and from 100.
// CHECK: [4, 3, 2, 1, 0, 104, 103, 102, 101, 100]
!row = !obs.pull<? x i32 bound [8]>
func.func @main(%n: index) -> !obs.pull<? x i32> {
  %total = arith.addi %n, %n : index
  %one = obs.iota : !obs.pull<1 x index>
  %whole = obs.distribute block (%w = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32 bound [1, 16]> {
    %starts = obs.iota : !obs.pull<2 x index>
    %c8 = arith.constant 8 : index
    %least = arith.minui %n, %c8 : index
    %both = obs.distribute block (%s = %starts : !obs.pull<2 x index>) -> !obs.push<block, 2 x ? x i32 bound [2, 8]> {
      %g = obs.generate (%i) [%least] {
        %c100 = arith.constant 100 : index
        %base = arith.muli %s, %c100 : index
        %e = arith.addi %base, %i : index
        %x = arith.index_cast %e : index to i32
        obs.yield %x : i32
      } : !row
      %p = obs.push %g : !row -> !obs.push<block, ? x i32 bound [8]>
      %f = obs.force %p : !obs.push<block, ? x i32 bound [8]> -> !row
      %r = obs.reverse %f : !row
      %q = obs.push %r : !row -> !obs.push<block, ? x i32 bound [8]>
      obs.yield %q : !obs.push<block, ? x i32 bound [8]>
    }
    %two = arith.addi %least, %least : index
    %row = obs.join %both to [%two] : !obs.push<block, 2 x ? x i32 bound [2, 8]> -> !obs.push<block, ? x i32 bound [16]>
    obs.yield %row : !obs.push<block, ? x i32 bound [16]>
  }
  %flat = obs.join %whole to [%total] : !obs.push<grid, 1 x ? x i32 bound [1, 16]> -> !obs.push<grid, ? x i32>
  %f = obs.force %flat : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
