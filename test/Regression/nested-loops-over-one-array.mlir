// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=32 --schedule=random --seed=5 | FileCheck %s

// The inner loop reverses an array three times, so it ends in the slot of the
// ring in which the outer loop would put its next array. The result of the inner
// loop was overwritten while it was still read.

// Each iteration of the outer loop reverses four times in all, and doubles.
// CHECK: [0, 4, 8, 12, 16, 20, 24, 28]
func.func @main() -> !obs.pull<8 x i32> {
  %one = obs.constant dense<0> : tensor<1xi32>
  %parts = obs.distribute block (%part = %one : !obs.pull<1 x i32>) -> !obs.push<grid, 1 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %start = obs.iota : !obs.pull<8 x i32>
    %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %start) -> !obs.pull<8 x i32> {
      %b = scf.for %j = %c0 to %c3 step %c1 iter_args(%x = %a) -> !obs.pull<8 x i32> {
        %r = obs.reverse %x : !obs.pull<8 x i32>
        scf.yield %r : !obs.pull<8 x i32>
      }
      %d = obs.generate (%k) {
        %two = arith.constant 2 : i32
        %seven = arith.constant 7 : index
        %m = arith.subi %seven, %k : index
        %v = obs.get %b[%m] : !obs.pull<8 x i32>
        %u = arith.muli %v, %two : i32
        obs.yield %u : i32
      } : !obs.pull<8 x i32>
      scf.yield %d : !obs.pull<8 x i32>
    }
    %p = obs.push %end : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %p : !obs.push<block, 8 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 8 x i32> -> !obs.push<grid, 8 x i32>
  %result = obs.force %flat : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %result : !obs.pull<8 x i32>
}
