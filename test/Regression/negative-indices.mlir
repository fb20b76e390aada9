// An index is not taken for natural: i1 becomes -1, and so does a difference. A loop
// up to (2^64 - 1) mod 41 = 15 runs, and its forces have barriers.

// Each iteration replaces x by 2 * reverse(x) - x; after 15, by a loop in Python:
// RUN: obs-run %s --entry=bit iota:64xi32 true --device=interpret | FileCheck %s --check-prefix=BIT
// RUN: obs-run %s --entry=bit iota:64xi32 true --device=emulate --schedule=random --seed=3 | FileCheck %s --check-prefix=BIT
// BIT: {{^\[\[}}451990602, 437641695, 423292788, 408943881,

// RUN: obs-run %s --entry=instance iota:64xi32 --device=interpret | FileCheck %s --check-prefix=INSTANCE
// RUN: obs-run %s --entry=instance iota:64xi32 --device=emulate --schedule=random --seed=3 | FileCheck %s --check-prefix=INSTANCE
// INSTANCE:      {{^\[\[}}0, 1, 2, 3,
// INSTANCE-NEXT: [451990602, 437641695, 423292788, 408943881,

// A strategy of the compiler in the place of the loop: products of 1 and 0, ...
// RUN: obs-run %s --entry=scan iota:40xi32 true --device=interpret | FileCheck %s --check-prefix=SCAN
// RUN: obs-run %s --entry=scan iota:40xi32 true --device=emulate | FileCheck %s --check-prefix=SCAN
// SCAN: {{^}}[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]

// A barrier in the loop and one behind it.
// RUN: obs-opt %s --obs-to-gpu=threads=64 | FileCheck %s --check-prefix=PLACED
// PLACED-LABEL: gpu.func @bit
// PLACED: scf.for
// PLACED: gpu.barrier

func.func @bit(%a: !obs.pull<64 x i32>, %b: i1) -> !obs.pull<1 x 64 x i32> {
  %i = obs.iota : !obs.pull<1 x index>
  %n1 = arith.index_cast %b : i1 to index
  %c41 = arith.constant 41 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.remui %n1, %c41 : index
  %p = obs.distribute block (%k = %i : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%x = %a) -> !obs.pull<64 x i32> {
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

func.func @instance(%a: !obs.pull<64 x i32>) -> !obs.pull<2 x 64 x i32> {
  %i = obs.iota : !obs.pull<2 x index>
  %c41 = arith.constant 41 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = obs.distribute block (%k = %i : !obs.pull<2 x index>) -> !obs.push<grid, 2 x 64 x i32> {
    %m = arith.subi %c0, %k : index
    %n = arith.remui %m, %c41 : index
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%x = %a) -> !obs.pull<64 x i32> {
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
  %f = obs.force %p : !obs.push<grid, 2 x 64 x i32> -> !obs.pull<2 x 64 x i32>
  return %f : !obs.pull<2 x 64 x i32>
}

func.func @scan(%in: !obs.pull<40 x i32>, %n0: i1) -> !obs.pull<40 x i32> {
  %c0 = arith.constant 0 : index
  %c41 = arith.constant 41 : index
 %n1 = arith.index_cast %n0 : i1 to index
 %n = arith.remui %n1, %c41 : index
  %one = arith.constant 1 : i32

  %a = obs.take %in [%n] : !obs.pull<40 x i32> -> !obs.pull<? x i32 bound [40]>
  %s = obs.scan exclusive (%x, %y) = %a init %one : !obs.pull<? x i32 bound [40]> -> !obs.push<grid, ? x i32 bound [40]> {
    %r = arith.muli %x, %y : i32
    obs.yield %r : i32
  }
  %p = obs.fill init %one {
    obs.put %s at [%c0] : !obs.push<grid, ? x i32 bound [40]>
  } : !obs.push<grid, 40 x i32>
  %f = obs.force %p {threads = 1 : i64} : !obs.push<grid, 40 x i32> -> !obs.pull<40 x i32>
  return %f : !obs.pull<40 x i32>
}
