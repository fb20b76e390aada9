// RUN: obs-run %s --device=interpret iota:2x8xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check=all iota:2x8xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check=all --threads=3 iota:2x8xi32 | FileCheck %s

// A fill below grid level that starts from an array which is not in memory: it crashed the compiler.

// CHECK:      {{\[\[}}0, 2, 4, 3, 4, 5, 6, 7],
// CHECK-NEXT: [16, 18, 20, 11, 12, 13, 14, 15]]
func.func @main(%d: !obs.pull<2 x 8 x i32>) -> !obs.pull<2 x 8 x i32> {
  %two = obs.iota : !obs.pull<2 x index>
  %c3 = arith.constant 3 : index
  %p = obs.distribute block (%b = %two : !obs.pull<2 x index>) -> !obs.push<grid, 2 x 8 x i32> {
    %a = obs.generate (%i) {
      %x = obs.get %d[%b, %i] : !obs.pull<2 x 8 x i32>
      obs.yield %x : i32
    } : !obs.pull<8 x i32>
    // The first three are doubled.
    %f = obs.fill onto %a : !obs.pull<8 x i32> {
      obs.par (%i) in (%c3) {
        %x = obs.get %a[%i] : !obs.pull<8 x i32>
        %y = arith.addi %x, %x : i32
        obs.write %y at [%i] : i32
      }
    } : !obs.push<block, 8 x i32>
    %s = obs.force %f : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
    %o = obs.push %s : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %o : !obs.push<block, 8 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 2 x 8 x i32> -> !obs.pull<2 x 8 x i32>
  return %r : !obs.pull<2 x 8 x i32>
}
