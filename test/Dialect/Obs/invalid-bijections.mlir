// Rule R5: reindex of a push array is a bijection, proved or unchecked.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

// Two sources meet: 0 and 4 both go to 0.
func.func @collision(%a: !obs.push<grid, 8 x i32>) {
  %c3 = arith.constant 3 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (4) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = arith.andi %i, %c3 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @out_of_range(%a: !obs.push<grid, 8 x i32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (7) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = arith.addi %i, %c1 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

// Inverting a bit permutes 8 elements, but not 6: 4 would go to 6.
func.func @not_a_power_of_two(%a: !obs.push<grid, 6 x i32>) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (4) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = obs.bit.flip %i, %c1 : index
    obs.yield %j : index
  } : !obs.push<grid, 6 x i32> -> !obs.push<grid, 6 x i32>
  return
}

// -----

func.func @two_dimensions(%a: !obs.push<grid, 2 x 3 x i32>) {
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (0, 2) is out of range or taken}}
  %r = obs.reindex (%i, %j) = %a {
    obs.yield %i, %j : index, index
  } : !obs.push<grid, 2 x 3 x i32> -> !obs.push<grid, 3 x 2 x i32>
  return
}

// -----

func.func @sizes(%a: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[R5-size] maps 8 elements to 16; a bijection keeps their number}}
  %r = obs.reindex (%i) = %a {
    obs.yield %i : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 16 x i32>
  return
}

// -----

// A rotation by a number known at run time: i + k may wrap, and 10 does not
// divide 2^64.
func.func @unknown(%a: !obs.push<grid, 10 x i32>, %k: index) {
  %c10 = arith.constant 10 : index
  // expected-error@+1 {{[R5-proof] cannot be proved to be a bijection; build it from obs.bit operations or n - 1 - i, give static extents of at most 65536 elements, or mark it unchecked}}
  %r = obs.reindex (%i) = %a {
    %s = arith.addi %i, %k : index
    %j = arith.remui %s, %c10 : index
    obs.yield %j : index
  } : !obs.push<grid, 10 x i32> -> !obs.push<grid, 10 x i32>
  return
}

// -----

func.func @dynamic(%a: !obs.push<grid, ? x i32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a [%n] {
    %j = arith.addi %i, %c1 : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// -----

// Above the limit squares are not enumerated: i (i + 1) / 2 modulo 2^17.
func.func @too_large(%a: !obs.push<grid, 131072 x i32>) {
  %c1 = arith.constant 1 : index
  %mask = arith.constant 131071 : index
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a {
    %n = arith.addi %i, %c1 : index
    %p = arith.muli %i, %n : index
    %s = arith.shrui %p, %c1 : index
    %j = arith.andi %s, %mask : index
    obs.yield %j : index
  } : !obs.push<grid, 131072 x i32> -> !obs.push<grid, 131072 x i32>
  return
}

// -----

// The bit depends on the index, so this is no fixed exclusive or.
func.func @varying_bit(%a: !obs.push<grid, ? x i32>, %n: index) {
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a [%n] {
    %j = obs.bit.flip %i, %i : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// -----

// One index for both dimensions: a diagonal.
func.func @diagonal(%a: !obs.push<grid, ? x ? x i32>, %n: index) {
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i, %j) = %a [%n, %n] {
    obs.yield %i, %i : index, index
  } : !obs.push<grid, ? x ? x i32> -> !obs.push<grid, ? x ? x i32>
  return
}

// -----

// i -> 6 - i is a reversal of 7 elements only.
func.func @short_reversal(%a: !obs.push<grid, 131072 x i32>) {
  %c6 = arith.constant 6 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (7) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = arith.subi %c6, %i : index
    obs.yield %j : index
  } : !obs.push<grid, 131072 x i32> -> !obs.push<grid, 131072 x i32>
  return
}

// -----

// Division by zero has no value, so nothing is proved.
func.func @undefined(%a: !obs.push<grid, 8 x i32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a {
    %j = arith.divui %i, %c0 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

// Bit 20 is none of an index below 2^20.
func.func @wide_mask(%a: !obs.push<grid, 1048576 x i32>) {
  %c20 = arith.constant 20 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (0) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = obs.bit.flip %i, %c20 : index
    obs.yield %j : index
  } : !obs.push<grid, 1048576 x i32> -> !obs.push<grid, 1048576 x i32>
  return
}

// -----

// Clearing the low bit of 2^20 numbers: 1 goes where 0 goes.
func.func @large_collision(%a: !obs.push<grid, 1048576 x i32>) {
  %mask = arith.constant 1048574 : index
  // expected-error@+1 {{[R5-bijection] is not a bijection: the target of (1) is out of range or taken}}
  %r = obs.reindex (%i) = %a {
    %j = arith.andi %i, %mask : index
    obs.yield %j : index
  } : !obs.push<grid, 1048576 x i32> -> !obs.push<grid, 1048576 x i32>
  return
}

// -----

// n - i reverses 1 to n, not 0 to n - 1.
func.func @off_by_one(%a: !obs.push<grid, ? x i32>, %n: index) {
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a [%n] {
    %j = arith.subi %n, %i : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// -----

// Rows of 999 elements in places for 1000 do not fit.
func.func @wrong_stride(%a: !obs.push<grid, 1000 x 1000 x i32>) {
  %c999 = arith.constant 999 : index
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i, %j) = %a {
    %row = arith.muli %i, %c999 : index
    %k = arith.addi %row, %j : index
    obs.yield %k : index
  } : !obs.push<grid, 1000 x 1000 x i32> -> !obs.push<grid, 1000000 x i32>
  return
}

// -----

// Values that need each other are no index.
func.func @cycle(%a: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[R5-proof] cannot be proved}}
  %r = obs.reindex (%i) = %a {
    %x = arith.addi %y, %i : index
    %y = arith.addi %x, %i : index
    obs.yield %y : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  return
}
