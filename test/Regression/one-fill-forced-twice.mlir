// One program for two results of a force: its loop over arrays is emitted twice,
// and the second time it used the memory of the first.
// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --schedule=random --seed=3 | FileCheck %s

// Three doublings of 1 and 2, then the sum of two equal arrays: 16 times as much.
// CHECK:      {{\[}}{{\[}}[16, 32],
// CHECK-NEXT: [16, 32],
// CHECK-NEXT: [16, 32]]]
func.func @main() -> !obs.pull<1 x 3 x 2 x i32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %ids = obs.iota : !obs.pull<1 x index>
  %rows = obs.distribute block in grid (%id = %ids : !obs.pull<1 x index>) {
    %p = obs.fill par (%t) in (%c3) {
      %i = obs.generate (%j) {
        %x = arith.index_cast %j : index to i32
        %y = arith.addi %x, %one : i32
        obs.yield %y : i32
      } : !obs.pull<2 x i32>
      %f = obs.force %i : !obs.pull<2 x i32>
      %r = scf.for %k = %c1 to %c4 step %c1 iter_args(%acc = %f) -> (!obs.pull<2 x i32>) {
        %n = obs.map (%x = %acc : !obs.pull<2 x i32>) {
          %y = arith.addi %x, %x : i32
          obs.yield %y : i32
        }
        %m = obs.force %n : !obs.pull<2 x i32>
        scf.yield %m : !obs.pull<2 x i32>
      }
      obs.par (%j) in (%c2) {
        %x = obs.get %r[%j] : !obs.pull<2 x i32>
        obs.write %x at [%t, %j] : i32
      }
    } : !obs.push<block, 3 x 2 x i32>
    %a, %c = obs.force %p, %p : !obs.push<block, 3 x 2 x i32>, !obs.push<block, 3 x 2 x i32>
    %s = obs.map { arith.addi } %a, %c : !obs.pull<3 x 2 x i32>
    %q = obs.push block %s : !obs.pull<3 x 2 x i32>
    obs.yield %q : !obs.push<block, 3 x 2 x i32>
  }
  %o = obs.force %rows : !obs.push<grid, 1 x 3 x 2 x i32>
  return %o : !obs.pull<1 x 3 x 2 x i32>
}
