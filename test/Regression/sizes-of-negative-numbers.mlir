// The largest size of an array in a loop is computed before the loop. An unsigned quotient of a negative number is larger than
// the number. A loop without iterations computes no quotient: its divisor may be 0, and its counter has no last number.
// With --check, which lit adds after '--device=emulate', buffers are not shared, so these runs have no checks.

// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = obs-run %s --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{prefix} && \
// DEFINE:   obs-run %s --entry=%{entry} %{args} --device emulate | FileCheck %s --check-prefix=%{prefix} && \
// DEFINE:   obs-run %s --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{prefix}

// (1 - 2) >> 62 is 3 as an unsigned number: 5 + 0, 5 + 1, 5 + 2.
// REDEFINE: %{entry} = shift
// REDEFINE: %{args} = 1
// REDEFINE: %{prefix} = SHIFT
// RUN: %{check}
// SHIFT: [5, 6, 7]
func.func @shift(%n: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c62 = arith.constant 62 : index
  %five = arith.constant 5 : i32
  %init = obs.splat %five : !obs.pull<2 x i32>
  %i = obs.force %init : !obs.pull<2 x i32>
  %g = obs.take %i [%c2] : !obs.pull<2 x i32> -> !obs.pull<? x i32>
  %r, %m = scf.for %k = %c0 to %n step %c1 iter_args(%x = %g, %v = %c1) -> (!obs.pull<? x i32>, index) {
    %w = arith.subi %v, %c2 : index
    %size = arith.shrui %w, %c62 : index
    %first = obs.dim %x, 0 : !obs.pull<? x i32>
    %y = obs.generate (%t) [%size] {
      %a = arith.remui %t, %first : index
      %u = obs.get %x[%a] : !obs.pull<? x i32>
      %t32 = arith.index_cast %t : index to i32
      %z = arith.addi %u, %t32 : i32
      obs.yield %z : i32
    } : !obs.pull<? x i32>
    %f = obs.force %y : !obs.pull<? x i32>
    scf.yield %f, %w : !obs.pull<? x i32>, index
  }
  return %r : !obs.pull<? x i32>
}

// No iteration: the initial array remains.
// REDEFINE: %{entry} = division
// REDEFINE: %{args} = 0 0
// REDEFINE: %{prefix} = NONE
// RUN: %{check}
// REDEFINE: %{args} = 0 3
// RUN: %{check}
// NONE: [5, 5]

// The last of four iterations has 3 / 2 + 1 elements.
// REDEFINE: %{args} = 4 2
// REDEFINE: %{prefix} = SOME
// RUN: %{check}
// SOME: [5, 6]
func.func @division(%n: index, %d: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %five = arith.constant 5 : i32
  %init = obs.splat %five : !obs.pull<2 x i32>
  %i = obs.force %init : !obs.pull<2 x i32>
  %g = obs.take %i [%c2] : !obs.pull<2 x i32> -> !obs.pull<? x i32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %g) -> (!obs.pull<? x i32>) {
    %size0 = arith.divui %k, %d : index
    %size = arith.addi %size0, %c1 : index
    %y = obs.generate (%t) [%size] {
      %u = obs.get %x[%c0] : !obs.pull<? x i32>
      %t32 = arith.index_cast %t : index to i32
      %z = arith.addi %u, %t32 : i32
      obs.yield %z : i32
    } : !obs.pull<? x i32>
    %f = obs.force %y : !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}
