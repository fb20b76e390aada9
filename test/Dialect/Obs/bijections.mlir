// Rule R5: maps of push arrays that are known to be bijections. That obs-opt
// accepts them is the test; --verify-roundtrip looks at their text.
// RUN: obs-opt %s --verify-roundtrip -o %t

// Any composition over constants, by enumeration.
func.func @rotation(%a: !obs.push<grid, 10 x i32>) {
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %r = obs.reindex (%i) = %a {
    %s = arith.addi %i, %c3 : index
    %j = arith.remui %s, %c10 : index
    obs.yield %j : index
  } : !obs.push<grid, 10 x i32> -> !obs.push<grid, 10 x i32>
  return
}

// Narrow numbers: i * 5 mod 16, in 32 bits and by hand.
func.func @narrow_arithmetic(%a: !obs.push<grid, 16 x i32>) {
  %c5 = arith.constant 5 : i32
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %r = obs.reindex (%i) = %a {
    %n = arith.index_cast %i : index to i32
    %p = arith.muli %n, %c5 : i32
    %q = arith.divsi %p, %c16 : i32
    %m = arith.muli %q, %c16 : i32
    %s = arith.subi %p, %m : i32
    %neg = arith.cmpi slt, %s, %c0 : i32
    %t = arith.select %neg, %c0, %s : i32
    %w = arith.extsi %t : i32 to i64
    %j = arith.index_cast %w : i64 to index
    obs.yield %j : index
  } : !obs.push<grid, 16 x i32> -> !obs.push<grid, 16 x i32>
  return
}

// From one rank to another.
func.func @flatten(%a: !obs.push<grid, 3 x 5 x i32>) {
  %c5 = arith.constant 5 : index
  %r = obs.reindex (%i, %j) = %a {
    %row = arith.muli %i, %c5 : index
    %k = arith.addi %row, %j : index
    obs.yield %k : index
  } : !obs.push<grid, 3 x 5 x i32> -> !obs.push<grid, 15 x i32>
  return
}

func.func @empty(%a: !obs.push<grid, 0 x i32>) {
  %r = obs.reindex (%i) = %a {
    obs.yield %i : index
  } : !obs.push<grid, 0 x i32> -> !obs.push<grid, 0 x i32>
  return
}

// With run-time parameters, by construction.
func.func @bits(%a: !obs.push<grid, ? x i32>, %n: index, %s: index, %w: index, %x: index) {
  %c1 = arith.constant 1 : index
  %r = obs.reindex (%i) = %a [%n] {
    %0 = obs.bit.flip %i, %s : index
    %1 = obs.bit.flip_low %0, %s : index
    %2 = obs.bit.rotate %1, %c1, %w : index
    %3 = obs.bit.reverse %2, %w : index
    %4 = obs.bit.swap %3, %s, %c1 : index
    %5 = arith.xori %x, %4 : index
    %m = arith.shli %c1, %s : index
    %6 = arith.xori %5, %m : index
    obs.yield %6 : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

func.func @reversal(%a: !obs.push<grid, ? x i32>, %n: index) {
  %c1 = arith.constant 1 : index
  %r = obs.reindex (%i) = %a [%n] {
    %last = arith.subi %n, %c1 : index
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

func.func @large_reversal(%a: !obs.push<grid, 131072 x i32>) {
  %last = arith.constant 131071 : index
  %r = obs.reindex (%i) = %a {
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  } : !obs.push<grid, 131072 x i32> -> !obs.push<grid, 131072 x i32>
  return
}

func.func @exchange(%a: !obs.push<grid, ? x 4 x i32>, %n: index, %s: index) {
  %r = obs.reindex (%i, %j) = %a [%n] {
    %k = obs.bit.flip %j, %s : index
    obs.yield %k, %i : index, index
  } : !obs.push<grid, ? x 4 x i32> -> !obs.push<grid, 4 x ? x i32>
  return
}

// Far too many elements to try: linear over bits.
func.func @large_bits(%a: !obs.push<grid, 1048576 x i32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c13 = arith.constant 13 : index
  %c20 = arith.constant 20 : index
  %low = arith.constant 8191 : index
  // A rotation by 7 of 20 bits, by shifts.
  %r = obs.reindex (%i) = %a {
    %high = arith.shrui %i, %c13 : index
    %rest = arith.andi %i, %low : index
    %up = arith.shli %rest, %c7 : index
    %j = arith.ori %up, %high : index
    obs.yield %j : index
  } : !obs.push<grid, 1048576 x i32> -> !obs.push<grid, 1048576 x i32>
  %q = obs.reindex (%i) = %r {
    %j = obs.bit.rotate %i, %c7, %c20 : index
    obs.yield %j : index
  } : !obs.push<grid, 1048576 x i32> -> !obs.push<grid, 1048576 x i32>
  // The Gray code.
  %p = obs.reindex (%i) = %q {
    %half = arith.shrui %i, %c1 : index
    %j = arith.xori %i, %half : index
    obs.yield %j : index
  } : !obs.push<grid, 1048576 x i32> -> !obs.push<grid, 1048576 x i32>
  return
}

// 2^40 elements, swizzled.
func.func @large_swizzle(%a: !obs.push<grid, 1048576 x 1048576 x i32>) {
  %r = obs.reindex (%i, %j) = %a {
    %k = arith.xori %i, %j : index
    obs.yield %i, %k : index, index
  } : !obs.push<grid, 1048576 x 1048576 x i32> -> !obs.push<grid, 1048576 x 1048576 x i32>
  return
}

// Mixed radix: a matrix of 1000 rows, transposed in one dimension, and back to
// two, in 64 and in 32 bits.
func.func @large_transpose(%a: !obs.push<grid, 3000000 x i32>) {
  %c1000 = arith.constant 1000 : index
  %c3000 = arith.constant 3000 : index
  %r = obs.reindex (%i) = %a {
    %row = arith.divui %i, %c3000 : index
    %column = arith.remui %i, %c3000 : index
    %first = arith.muli %column, %c1000 : index
    %k = arith.addi %first, %row : index
    obs.yield %k : index
  } : !obs.push<grid, 3000000 x i32> -> !obs.push<grid, 3000000 x i32>
  %q = obs.reindex (%i) = %r {
    %n = arith.index_cast %i : index to i32
    %w = arith.constant 1000 : i32
    %row = arith.divui %n, %w : i32
    %column = arith.remui %n, %w : i32
    %x = arith.index_cast %row : i32 to index
    %y = arith.index_cast %column : i32 to index
    obs.yield %y, %x : index, index
  } : !obs.push<grid, 3000000 x i32> -> !obs.push<grid, 1000 x 3000 x i32>
  return
}

// Rows of 32 in one dimension, and back; the number of rows is known at run time.
func.func @rows(%a: !obs.push<grid, ? x 32 x i32>, %n: index, %h: index) {
  %c32 = arith.constant 32 : index
  %r = obs.reindex (%i, %j) = %a [%n] {
    %row = arith.muli %i, %c32 : index
    %k = arith.addi %row, %j : index
    obs.yield %k : index
  } : !obs.push<grid, ? x 32 x i32> -> !obs.push<grid, ? x i32>
  %q = obs.reindex (%i) = %r [%h] {
    %row = arith.divui %i, %c32 : index
    %column = arith.remui %i, %c32 : index
    obs.yield %row, %column : index, index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x 32 x i32>
  return
}

// The last index may be computed outside, and a length as a sum.
func.func @outer_last(%a: !obs.push<grid, ? x i32>, %n: index) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c2 : index
  %last = arith.addi %n, %c1 : index
  %r = obs.reindex (%i) = %a [%m] {
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// Rotations of the elements: of any number of them, and by a number known at run
// time where 2^64 is a multiple of theirs.
func.func @large_rotation(%a: !obs.push<grid, 3000000 x i32>, %b: !obs.push<grid, 131072 x i32>, %k: index) {
  %c7 = arith.constant 7 : index
  %n = arith.constant 3000000 : index
  %m = arith.constant 131072 : index
  %r = obs.reindex (%i) = %a {
    %s = arith.addi %i, %c7 : index
    %j = arith.remui %s, %n : index
    obs.yield %j : index
  } : !obs.push<grid, 3000000 x i32> -> !obs.push<grid, 3000000 x i32>
  %q = obs.reindex (%i) = %b {
    %p = arith.muli %i, %c7 : index
    %s = arith.addi %p, %k : index
    %j = arith.remui %s, %m : index
    obs.yield %j : index
  } : !obs.push<grid, 131072 x i32> -> !obs.push<grid, 131072 x i32>
  return
}

// Numbers of 8 bits wrap: i * 5 and 100 - i modulo 256, and a quotient of a number
// that may be negative.
func.func @wrapping(%a: !obs.push<grid, 256 x i32>) {
  %c5 = arith.constant 5 : i8
  %c100 = arith.constant 100 : i8
  %c16 = arith.constant 16 : i8
  %r = obs.reindex (%i) = %a {
    %n = arith.index_cast %i : index to i8
    %p = arith.muli %n, %c5 : i8
    %q = arith.subi %c100, %p : i8
    %high = arith.divui %q, %c16 : i8
    %low = arith.remui %q, %c16 : i8
    %up = arith.muli %low, %c16 : i8
    %s = arith.addi %up, %high : i8
    %j = arith.index_castui %s : i8 to index
    obs.yield %j : index
  } : !obs.push<grid, 256 x i32> -> !obs.push<grid, 256 x i32>
  return
}

// The author's word for it.
func.func @unchecked(%a: !obs.push<grid, ? x i32>, %n: index, %k: index) {
  %r = obs.reindex (%i) = %a [%n] unchecked {
    %s = arith.addi %i, %k : index
    %j = arith.remui %s, %n : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// A gather needs no proof.
func.func @gather(%a: !obs.pull<8 x i32>, %k: index) {
  %r = obs.reindex (%i) = %a {
    obs.yield %k : index
  } : !obs.pull<8 x i32> -> !obs.pull<100 x i32>
  return
}
