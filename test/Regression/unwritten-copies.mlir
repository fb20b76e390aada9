// The initial contents of a fill may have elements that were never written. They have no value in the fill, either.
// A read of one is an error.

// RUN: obs-run %s --entry=main iota:4xi32 --device=interpret | FileCheck %s
// RUN: obs-run %s --entry=main iota:4xi32 --device=emulate | FileCheck %s
// CHECK: [0, 1, 2, 3]
// RUN: obs-run %s --entry=block iota:4xi32 2 --device=interpret | FileCheck %s --check-prefix=BLOCK
// RUN: obs-run %s --entry=block iota:4xi32 2 --device=emulate | FileCheck %s --check-prefix=BLOCK
// RUN: obs-run %s --entry=block iota:4xi32 2 --device=emulate --threads=1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: {{^\[\[}}0, 2, 4, 6]]
// RUN: not obs-run %s --entry=block iota:4xi32 1 --device=interpret 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: error: element [3] was never written
// RUN: not obs-run %s --entry=block iota:4xi32 1 --device=emulate 2>&1 | FileCheck %s --check-prefix=UNINIT
// RUN: not obs-run %s --entry=block iota:4xi32 1 --device=emulate --threads=1 2>&1 | FileCheck %s --check-prefix=UNINIT
// UNINIT: error: uninit: load of 4 bytes of {{shared|private}} memory that were never written

func.func @main(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %p = obs.fill par (%t) in (%c0) {
  } : !obs.push<grid, 4 x i32>
  %f = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  %q = obs.fill onto %f : !obs.pull<4 x i32> par (%t) in (%c2) {
    %x = obs.get %a[%t] : !obs.pull<4 x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 4 x i32>
  %g = obs.force %q : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  %r = obs.fill onto %g : !obs.pull<4 x i32> par (%t) in (%c2) {
    %i = arith.addi %t, %c2 : index
    %x = obs.get %a[%i] : !obs.pull<4 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %h = obs.force %r : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %h : !obs.pull<4 x i32>
}

func.func @block(%a: !obs.pull<4 x i32>, %k: index) -> !obs.pull<1 x 4 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 4 x i32> {
    %p = obs.fill par (%t) in (%c0) {
    } : !obs.push<block, 4 x i32>
    %f = obs.force %p : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
    %q = obs.fill onto %f : !obs.pull<4 x i32> par (%t) in (%c2) {
      %x = obs.get %a[%t] : !obs.pull<4 x i32>
      obs.write %x at [%t] : i32
    } : !obs.push<block, 4 x i32>
    %g = obs.force %q : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
    %r = obs.fill onto %g : !obs.pull<4 x i32> par (%t) in (%k) {
      %i = arith.addi %t, %c2 : index
      %x = obs.get %a[%i] : !obs.pull<4 x i32>
      obs.write %x at [%i] : i32
    } : !obs.push<block, 4 x i32>
    %h = obs.force %r : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
    %m = obs.map (%x = %h : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %z = obs.push %m : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %z : !obs.push<block, 4 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 4 x i32> -> !obs.pull<1 x 4 x i32>
  return %f : !obs.pull<1 x 4 x i32>
}
