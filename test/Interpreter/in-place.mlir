// RUN: obs-run %s zeros:16xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --threads=32 zeros:16xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --threads=32 --schedule=random --seed=3 zeros:16xi32 | FileCheck %s

// A bitonic merge in the memory that is given: each stage is a force into it
// that reads what it writes. 0, 2, ..., 14, 15, 13, ..., 1 becomes sorted.
// CHECK: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}
func.func @main(%m: memref<16xi32>) -> !obs.pull<16 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %start = obs.generate (%i) {
    %up = arith.muli %i, %c2 : index
    %down = arith.subi %c31, %up : index
    %x = arith.minui %up, %down : index
    %y = arith.index_cast %x : index to i32
    obs.yield %y : i32
  } : !obs.pull<16 x i32>
  %q = obs.push %start : !obs.pull<16 x i32> -> !obs.push<grid, 16 x i32>
  %f = obs.force %q into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  scf.for %s = %c0 to %c4 step %c1 {
    %bit = arith.subi %c3, %s : index
    %v = obs.view %m : memref<16xi32>
    %p = obs.fill par (%t) in (%c8) {
      %i = obs.bit.insert_zero %t, %bit : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %v[%i] : !obs.pull<16 x i32>
      %y = obs.get %v[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      obs.write %min at [%i] : i32
      obs.write %max at [%j] : i32
    } : !obs.push<grid, 16 x i32>
    %r = obs.force %p into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  }
  %sorted = obs.view %m : memref<16xi32>
  return %sorted : !obs.pull<16 x i32>
}
