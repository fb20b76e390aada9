// RUN: obs-run %s --device=interpret 5 | FileCheck %s
// RUN: obs-run %s --device=emulate 5 | FileCheck %s

// A table in constant memory, 0, 1, 4, 9 and 0, 1, 2, 3, that host code reads, too,
// and that is a result. 15 is 9 + (0 + 1 + 4 + 0 + 1).
// CHECK: 15
// CHECK-NEXT: [0, 1, 4, 9]
// CHECK-NEXT: [0, 2, 6, 12]
!t = !obs.pull<4 x i32>
func.func @main(%n: index) -> (i32, !t, !obs.pull<4 x i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %g = obs.generate (%i) {
    %j = arith.index_cast %i : index to i32
    %k = arith.muli %j, %j : i32
    obs.yield %k, %j : i32, i32
  } : !obs.pull<4 x i32, i32>
  %p = obs.push %g : !obs.pull<4 x i32, i32> -> !obs.push<grid, 4 x i32, i32>
  %f = obs.force %p in constant : !obs.push<grid, 4 x i32, i32> -> !obs.pull<4 x i32, i32>
  %a, %b = obs.unzip %f : !obs.pull<4 x i32, i32>
  %x = obs.get %a[%c3] : !t
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %i0) -> i32 {
    %m = arith.remui %i, %c3 : index
    %y = obs.get %a[%m] : !t
    %z = arith.addi %acc, %y : i32
    scf.yield %z : i32
  }
  %w = arith.addi %x, %s : i32
  %sum = obs.map (%u = %a : !t, %v = %b : !t) -> !t {
    %q = arith.addi %u, %v : i32
    obs.yield %q : i32
  }
  return %w, %a, %sum : i32, !t, !t
}
