// RUN: obs-opt %s --split-input-file --verify-diagnostics

// The first implementation accepted these programs: defects c, e and l
// of docs/FromObsidian.md.

// c: elements of 2 floats were written as 4 and the reverse. There are no
// vector elements; pairs are two arrays.
// expected-error@+1 {{[type-element]}}
func.func private @vector(%a: !obs.pull<8 x vector<2xf32>>)

// -----

// e: writeTo took a longer array for a shorter target. So does no force.
func.func @too_long(%a: !obs.pull<9 x i32>, %m: memref<8xi32>) -> !obs.pull<9 x i32> {
  %p = obs.push %a : !obs.pull<9 x i32> -> !obs.push<grid, 9 x i32>
  // expected-error@+1 {{[R4-extents]}}
  %r = obs.force %p into %m : !obs.push<grid, 9 x i32> into memref<8xi32> -> !obs.pull<9 x i32>
  return %r : !obs.pull<9 x i32>
}

// -----

// l: halves of an odd length, of which the longer one lost an element.
func.func @halves(%a: !obs.pull<7 x i32>) -> !obs.pull<3 x i32> {
  %x = obs.slice %a [0] [3] [1] : !obs.pull<7 x i32> -> !obs.pull<3 x i32>
  %y = obs.slice %a [3] [4] [1] : !obs.pull<7 x i32> -> !obs.pull<4 x i32>
  // expected-error@+1 {{[R4-extents]}}
  %r = obs.map (%u = %x : !obs.pull<3 x i32>, %v = %y : !obs.pull<4 x i32>) -> !obs.pull<3 x i32> {
    %s = arith.addi %u, %v : i32
    obs.yield %s : i32
  }
  return %r : !obs.pull<3 x i32>
}

// -----

// l: chunks of an extent that is no multiple, without a word about the rest.
func.func @chunks(%a: !obs.pull<7 x i32>) {
  // expected-error@+1 {{[R4-split]}}
  %r = obs.split %a by [2] : !obs.pull<7 x i32> -> !obs.pull<4 x !obs.pull<2 x i32>>
  return
}
