// Rows of 2^44 elements: in the tiles of a thread and in the rest after them,
// the numbers that a row is divided by share the factor of the tile. The proof
// divides by it, and takes no longer than for short rows: the limit is seconds
// of processor time.

// RUN: obs-opt '--obs-to-gpu=threads=1024 verify-levels' %s -o %t.mlir
// RUN: sh -c "ulimit -t 3; exec obs-opt --obs-check-races %t.mlir -o /dev/null" 2>&1 | FileCheck %s

// CHECK: remark: kernel 'long_kernel' is proved free of races, with blocks of 1024 threads

func.func @long(%n: index) -> !obs.pull<? x ? x i32> {
  %one = arith.constant 1 : i32
  %m = arith.constant 17592186044416 : index
  %a = obs.splat %one [%n, %m] : !obs.pull<? x ? x i32>
  %r = obs.force %a : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}
