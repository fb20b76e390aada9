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

// All operations of the evaluator: i * 5 mod 16, in 32 bits and by hand.
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
