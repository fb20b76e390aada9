// Operations whose places depend on values, side by side and in loops.
// RUN: obs-run %s --entry=side_by_side iota:4x8xi32 | FileCheck %s --check-prefix=SIDE
// RUN: obs-run %s --entry=side_by_side iota:4x8xi32 --device=emulate --threads=64 --check=all | FileCheck %s --check-prefix=SIDE
// RUN: obs-run %s --entry=loop iota:16xi32 | FileCheck %s --check-prefix=LOOP
// RUN: obs-run %s --entry=loop iota:16xi32 --device=emulate --threads=32 --check=all | FileCheck %s --check-prefix=LOOP

// Of each row the numbers from 1 on: only the first loses one.
// SIDE: {{^}}{{\[\[\[}}1, 2, 3, 4, 5, 6, 7, 0],{{$}}
// SIDE-NEXT: {{^}}  [8, 9, 10, 11, 12, 13, 14, 15],{{$}}
func.func @side_by_side(%a: !obs.pull<4 x 8 x i32>) -> !obs.pull<2 x 4 x 8 x i32> {
  %c0 = arith.constant 0 : i32
  %one = obs.iota : !obs.pull<2 x index>
  %four = obs.iota : !obs.pull<4 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<2 x index>) -> !obs.push<grid, 2 x 4 x 8 x i32> {
    %q = obs.distribute block (%k = %four : !obs.pull<4 x index>) -> !obs.push<block, 4 x 8 x i32> {
      %row = obs.generate (%i) {
        %x = obs.get %a[%k, %i] : !obs.pull<4 x 8 x i32>
        obs.yield %x : i32
      } : !obs.pull<8 x i32>
      %f = obs.map (%x = %row : !obs.pull<8 x i32>) -> !obs.pull<8 x i1> {
        %y = arith.cmpi sgt, %x, %c0 : i32
        obs.yield %y : i1
      }
      %r, %n = obs.compact %row flags %f init %c0 : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<block, 8 x i32>, !obs.push<block, 1 x index>
      obs.yield %r : !obs.push<block, 8 x i32>
    }
    obs.yield %q : !obs.push<block, 4 x 8 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 2 x 4 x 8 x i32> -> !obs.pull<2 x 4 x 8 x i32>
  return %r : !obs.pull<2 x 4 x 8 x i32>
}

// Three times: the halves of the even ones. 0 to 7, 0 to 3, 0 and 1.
// LOOP: {{^}}{{\[}}[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]{{$}}
// LOOP-NEXT: {{^}}{{\[}}[2]]{{$}}
func.func @loop(%a: !obs.pull<16 x i32>) -> (!obs.pull<1 x 16 x i32>, !obs.pull<1 x 1 x index>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i3 = arith.constant 3 : index
  %one = obs.iota : !obs.pull<1 x index>
  %p, %q = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 16 x i32>, !obs.push<grid, 1 x 1 x index>) {
    %i16 = arith.constant 16 : index
    %r, %n = scf.for %k = %i0 to %i3 step %i1 iter_args(%x = %a, %len = %i16) -> (!obs.pull<16 x i32>, index) {
      %fl = obs.generate (%i) {
        %v = obs.get %x[%i] : !obs.pull<16 x i32>
        %m = arith.andi %v, %c1 : i32
        %e = arith.cmpi eq, %m, %c0 : i32
        %in = arith.cmpi ult, %i, %len : index
        %f = arith.andi %e, %in : i1
        obs.yield %f : i1
      } : !obs.pull<16 x i1>
      %h = obs.map (%v = %x : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
        %w = arith.shrui %v, %c1 : i32
        obs.yield %w : i32
      }
      %kept, %count = obs.compact %h flags %fl init %c0 : !obs.pull<16 x i32>, !obs.pull<16 x i1> -> !obs.push<block, 16 x i32>, !obs.push<block, 1 x index>
      %s, %c = obs.force %kept, %count : !obs.push<block, 16 x i32>, !obs.push<block, 1 x index> -> (!obs.pull<16 x i32>, !obs.pull<1 x index>)
      %next = obs.get %c[%i0] : !obs.pull<1 x index>
      scf.yield %s, %next : !obs.pull<16 x i32>, index
    }
    %o = obs.splat %n : !obs.pull<1 x index>
    %pp = obs.push %r : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %qq = obs.push %o : !obs.pull<1 x index> -> !obs.push<block, 1 x index>
    obs.yield %pp, %qq : !obs.push<block, 16 x i32>, !obs.push<block, 1 x index>
  }
  %f, %g = obs.force %p, %q : !obs.push<grid, 1 x 16 x i32>, !obs.push<grid, 1 x 1 x index> -> (!obs.pull<1 x 16 x i32>, !obs.pull<1 x 1 x index>)
  return %f, %g : !obs.pull<1 x 16 x i32>, !obs.pull<1 x 1 x index>
}
