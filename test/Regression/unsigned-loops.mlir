// scf.for compares without signs if it says so: from 2^31 - 1 to 2^31 + 2 there are
// three iterations, and with signs none.

// RUN: obs-run %s --entry=carried iota:64xi32 2147483647 -2147483646 --device=interpret | FileCheck %s --check-prefix=CARRIED
// RUN: obs-run %s --entry=carried iota:64xi32 2147483647 -2147483646 --device=emulate --threads=64 | FileCheck %s --check-prefix=CARRIED
// Three times 2 * reverse(x) - x, by hand: x -> 13 x' - 14 x.
// CARRIED: {{^\[\[}}882, 855, 828,

// RUN: obs-run %s --entry=unroll --device=interpret | FileCheck %s --check-prefix=UNROLL
// RUN: obs-run %s --entry=unroll --device=emulate | FileCheck %s --check-prefix=UNROLL
// UNROLL: {{^}}3

// RUN: obs-run %s --entry=scalar iota:8xi32 2147483647 -2147483646 --device=interpret | FileCheck %s --check-prefix=SCALAR
// RUN: obs-run %s --entry=scalar iota:8xi32 2147483647 -2147483646 --device=emulate | FileCheck %s --check-prefix=SCALAR
// SCALAR: [3, 4, 5, 6, 7, 8, 9, 10]

// RUN: obs-run %s --entry=batch iota:4x8xi32 2147483647 -2147483646 --device=interpret | FileCheck %s --check-prefix=BATCH
// RUN: obs-run %s --entry=batch iota:4x8xi32 2147483647 -2147483646 --device=emulate | FileCheck %s --check-prefix=BATCH
// BATCH-COUNT-4: [0, 1, 2, 1, 1, 1, 1, 1]

// The step is 2^32 - 1, so there is one iteration. MLIR folds a loop with such a step to no iteration.
// RUN: obs-run %s --entry=large_step 5 -1 --device=interpret | FileCheck %s --check-prefix=LARGE
// RUN: obs-run %s --entry=large_step 5 -1 --device=emulate | FileCheck %s --check-prefix=LARGE
// LARGE: {{^}}1
// LARGE-NEXT: {{^}}1
// LARGE-NEXT: [1, 1]

func.func @carried(%in: !obs.pull<64 x i32>, %a: i32, %b: i32) -> !obs.pull<1 x 64 x i32> {
  %i = obs.iota : !obs.pull<1 x index>
  %c1 = arith.constant 1 : i32
  %p = obs.distribute block (%k = %i : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %r = scf.for unsigned %j = %a to %b step %c1 iter_args(%x = %in) -> !obs.pull<64 x i32> : i32 {
      %rev = obs.reverse %x : !obs.pull<64 x i32>
      %y = obs.map (%u = %x : !obs.pull<64 x i32>, %v = %rev : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
        %w = arith.addi %v, %v : i32
        %z = arith.subi %w, %u : i32
        obs.yield %z : i32
      }
      %q = obs.push %y : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
      %f = obs.force %q : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
      scf.yield %f : !obs.pull<64 x i32>
    }
    %q = obs.push %r : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 64 x i32> -> !obs.pull<1 x 64 x i32>
  return %f : !obs.pull<1 x 64 x i32>
}

func.func @unroll() -> i32 {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %a = arith.constant 2147483647 : i32
  %b = arith.constant -2147483646 : i32
  %r = scf.for unsigned %i = %a to %b step %c1 iter_args(%x = %c0) -> i32 : i32 {
    %y = arith.addi %x, %c1 : i32
    scf.yield %y : i32
  } {obs.unroll}
  return %r : i32
}
func.func @scalar(%in: !obs.pull<8 x i32>, %a: i32, %b: i32) -> !obs.pull<8 x i32> {
  %c1 = arith.constant 1 : i32
  %m = obs.map (%u = %in : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %r = scf.for unsigned %i = %a to %b step %c1 iter_args(%x = %u) -> i32 : i32 {
      %y = arith.addi %x, %c1 : i32
      scf.yield %y : i32
    }
    obs.yield %r : i32
  }
  return %m : !obs.pull<8 x i32>
}
func.func @batch(%in: !obs.pull<4 x 8 x i32>, %a: i32, %b: i32) -> !obs.pull<1 x 4 x 8 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %four = obs.iota : !obs.pull<4 x index>
  %c1 = arith.constant 1 : i32
  %p = obs.distribute block (%z = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 4 x 8 x i32> {
    %q = obs.distribute block (%k = %four : !obs.pull<4 x index>) -> !obs.push<block, 4 x 8 x i32> {
      %row = obs.generate (%i) {
        %x = obs.get %in[%k, %i] : !obs.pull<4 x 8 x i32>
        obs.yield %x : i32
      } : !obs.pull<8 x i32>
      %pp = obs.fill init %c1 {
        scf.for unsigned %j = %a to %b step %c1 : i32 {
          %jj = arith.subi %j, %a : i32
          %ix = arith.index_castui %jj : i32 to index
          obs.par (%t) in (%ix) {
            %x = obs.get %row[%t] : !obs.pull<8 x i32>
          }
          %c8 = arith.constant 1 : index
          obs.par (%t) in (%c8) {
            obs.write %jj at [%ix] : i32
          }
        }
      } : !obs.push<block, 8 x i32>
      obs.yield %pp : !obs.push<block, 8 x i32>
    }
    obs.yield %q : !obs.push<block, 4 x 8 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 4 x 8 x i32> -> !obs.pull<1 x 4 x 8 x i32>
  return %r : !obs.pull<1 x 4 x 8 x i32>
}

// The step is a constant only after the function is inlined.
func.func private @count(%from: i64, %to: i64, %step: i64) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for unsigned %i = %from to %to step %step iter_args(%x = %c0) -> i32 : i64 {
    %y = arith.addi %x, %c1 : i32
    scf.yield %y : i32
  }
  return %r : i32
}
func.func @large_step(%a: i32, %b: i32) -> (i32, i32, !obs.pull<2 x i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant -1 : i32
  %from = arith.constant 3 : i64
  %to = arith.constant -2 : i64
  %wide = arith.constant -1 : i64
  %r = scf.for unsigned %i = %a to %b step %step iter_args(%x = %c0) -> i32 : i32 {
    %y = arith.addi %x, %c1 : i32
    scf.yield %y : i32
  }
  %s = func.call @count(%from, %to, %wide) : (i64, i64, i64) -> i32
  %g = obs.generate (%i) {
    %t = func.call @count(%from, %to, %wide) : (i64, i64, i64) -> i32
    obs.yield %t : i32
  } : !obs.pull<2 x i32>
  %f = obs.force %g : !obs.pull<2 x i32>
  return %r, %s, %f : i32, i32, !obs.pull<2 x i32>
}
