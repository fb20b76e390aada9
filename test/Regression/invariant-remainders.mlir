// MLIR moves remainders out of loops. In a loop without iterations, the divisor may be 0.

// RUN: obs-run %s --entry=elements 0 0 --device=interpret | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=elements 0 0 --device=emulate | FileCheck %s --check-prefix=NONE
// NONE: [7, 7, 7, 7]
// RUN: obs-run %s --entry=elements 2 3 --device=emulate | FileCheck %s --check-prefix=SOME
// 7 + 2 * (i mod 3 + 7 / 3).
// SOME: [11, 13, 15, 11]
// RUN: obs-run %s --entry=host 0 0 --device=emulate | FileCheck %s --check-prefix=HOST
// HOST: {{^}}7

func.func @elements(%n: index, %d: i32) -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 7 : i32
  %r = obs.generate (%i) {
    %x = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> i32 {
      %v = arith.index_cast %i : index to i32
      %q = arith.remui %v, %d : i32
      %w = arith.divsi %z, %d : i32
      %s = arith.addi %q, %w : i32
      %b = arith.addi %a, %s : i32
      scf.yield %b : i32
    }
    obs.yield %x : i32
  } : !obs.pull<4 x i32>
  %f = obs.force %r : !obs.pull<4 x i32>
  return %f : !obs.pull<4 x i32>
}
func.func @host(%n: index, %d: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 7 : i32
    %x = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> i32 {
      %q = arith.remui %z, %d : i32
      %w = arith.divsi %z, %d : i32
      %s = arith.addi %q, %w : i32
      %b = arith.addi %a, %s : i32
      scf.yield %b : i32
    }
  return %x : i32
}
