// RUN: obs-run %s --device=interpret iota:2xi64 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:2xi64 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1 iota:2xi64 | FileCheck %s

// Loops between constants whose difference does not fit their type: canonicalization removed them, or ran
// one that has no iteration. The counters of i8 are -100, -50, 0 and 50: four iterations, with the sum
// -100. Those of i64 are -2^63, -1 and 2^63 - 2. From 100 to -100 there is none.
// CHECK: [-96, -95]
// CHECK-NEXT: [3, 4]
// CHECK-NEXT: [0, 1]
func.func @main(%a: !obs.pull<2 x i64>) -> (!obs.pull<2 x i64>, !obs.pull<2 x i64>, !obs.pull<2 x i64>) {
  %r = obs.map (%x = %a : !obs.pull<2 x i64>) {
    %from = arith.constant -100 : i8
    %to = arith.constant 100 : i8
    %step = arith.constant 50 : i8
    %one = arith.constant 1 : i64
    %s = scf.for %i = %from to %to step %step iter_args(%acc = %x) -> (i64) : i8 {
      %k = arith.extsi %i : i8 to i64
      %t = arith.addi %acc, %k : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    }
    obs.yield %s : i64
  }
  %q = obs.map (%x = %a : !obs.pull<2 x i64>) {
    %from = arith.constant -9223372036854775808 : i64
    %to = arith.constant 9223372036854775807 : i64
    %one = arith.constant 1 : i64
    %s = scf.for %i = %from to %to step %to iter_args(%acc = %x) -> (i64) : i64 {
      %t = arith.addi %acc, %one : i64
      scf.yield %t : i64
    }
    obs.yield %s : i64
  }
  %p = obs.map (%x = %a : !obs.pull<2 x i64>) {
    %from = arith.constant 100 : i8
    %to = arith.constant -100 : i8
    %one = arith.constant 1 : i64
    %step = arith.constant 100 : i8
    %s = scf.for %i = %from to %to step %step iter_args(%acc = %x) -> (i64) : i8 {
      %t = arith.addi %acc, %one : i64
      scf.yield %t : i64
    }
    obs.yield %s : i64
  }
  %f = obs.force %r : !obs.pull<2 x i64>
  %g = obs.force %q : !obs.pull<2 x i64>
  %h = obs.force %p : !obs.pull<2 x i64>
  return %f, %g, %h : !obs.pull<2 x i64>, !obs.pull<2 x i64>, !obs.pull<2 x i64>
}
