// The verifier reports static extents of 2^31 and 2^32 as whole numbers.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @extents(%a: !obs.pull<4294967296 x i32>, %b: !obs.pull<0 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 0 but that of the result is 4294967296}}
  %c = obs.map { arith.addi } %a, %b : !obs.pull<4294967296 x i32>, !obs.pull<0 x i32>
  return
}

// -----

func.func @slice(%a: !obs.pull<4294967296 x i32>) {
  // expected-error@+1 {{[R4-range] reads element 4294967296 of dimension 0, which has 4294967296}}
  %b = obs.slice %a [4294967295] [2] [1] : !obs.pull<4294967296 x i32>
  return
}

// -----

func.func @stride(%a: !obs.pull<4294967296 x i32>) {
  // The last element is 2^31 + 2^31.
  // expected-error@+1 {{[R4-range] reads element 4294967296 of dimension 0, which has 4294967296}}
  %b = obs.slice %a [2147483648] [2] [2147483648] : !obs.pull<4294967296 x i32>
  return
}

// -----

func.func @take(%a: !obs.pull<2147483648 x i32>) {
  // expected-error@+1 {{[R4-range] takes 2147483649 elements of dimension 0, which has 2147483648}}
  %b = obs.take %a [2147483649] : !obs.pull<2147483648 x i32>
  return
}

// -----

func.func @take_from_none(%a: !obs.pull<0 x i32>) {
  // expected-error@+1 {{[R4-range] takes 4294967296 elements of dimension 0, which has 0}}
  %b = obs.take %a [4294967296] : !obs.pull<0 x i32>
  return
}

// -----

func.func @split(%a: !obs.pull<4294967296 x i32>) {
  // expected-error@+1 {{[R4-split] chunks of 3 do not divide the extent 4294967296}}
  %c = obs.split %a by [3] : !obs.pull<4294967296 x i32>
  return
}

// -----

func.func @reshape(%a: !obs.pull<4294967296 x i32>) {
  // expected-error@+1 {{[R4-size] the source has 4294967296 elements but the result has 0}}
  %b = obs.reshape %a : !obs.pull<4294967296 x i32> -> !obs.pull<4294967296 x 0 x i32>
  return
}

// -----

func.func @concat(%a: !obs.pull<281474976710656 x i32>) {
  // expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
  %b = obs.concat %a, %a : !obs.pull<281474976710656 x i32>
  return
}

// -----

func.func @interleave(%a: !obs.pull<281474976710656 x i32>) {
  // expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
  %b = obs.interleave %a, %a : !obs.pull<281474976710656 x i32>
  return
}

// -----

// The product is 2^64.
func.func @join(%a: !obs.pull<4294967296 x i32>) {
  %b = obs.generate (%i) {
    obs.yield %a : !obs.pull<4294967296 x i32>
  // expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
  } : !obs.pull<4294967296 x !obs.pull<4294967296 x i32>>
  %d = obs.join %b : !obs.pull<4294967296 x !obs.pull<4294967296 x i32>>
  return
}

// -----

// The product of the bounds.
func.func @unnest(%a: !obs.pull<? x i32 bound [4294967296]>, %n: index) {
  %b = obs.generate (%i) [%n] {
    obs.yield %a : !obs.pull<? x i32 bound [4294967296]>
  // expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
  } : !obs.pull<? x !obs.pull<? x i32 bound [4294967296]> bound [4294967296]>
  %d = obs.unnest %b : !obs.pull<? x !obs.pull<? x i32 bound [4294967296]> bound [4294967296]>
  return
}

// -----

func.func @distribute(%a: !obs.pull<4294967296 x i32>) {
  // expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
  %b = obs.distribute block in grid (%x = %a : !obs.pull<4294967296 x i32>) {
    %s = obs.splat %x : !obs.pull<4294967296 x i32>
    %p = obs.push block %s : !obs.pull<4294967296 x i32>
    obs.yield %p : !obs.push<block, 4294967296 x i32>
  }
  return
}

// -----

func.func @compact(%a: !obs.pull<2147483648 x i1>) {
  // expected-error@+1 {{[count-range] a count of type 'i32' cannot be more than 2147483647, but there are 2147483648 elements}}
  %p, %c = obs.compact %a flags %a : !obs.pull<2147483648 x i1>, !obs.pull<2147483648 x i1> -> !obs.push<grid, 2147483648 x i1>, !obs.push<grid, 1 x i32>
  return
}

// -----

// One element less, and a wider type.
func.func @compact_fits(%a: !obs.pull<2147483647 x i1>, %b: !obs.pull<4294967296 x i1>) {
  %p, %c = obs.compact %a flags %a : !obs.pull<2147483647 x i1>, !obs.pull<2147483647 x i1> -> !obs.push<grid, 2147483647 x i1>, !obs.push<grid, 1 x i32>
  %q, %d = obs.compact %b flags %b : !obs.pull<4294967296 x i1>, !obs.pull<4294967296 x i1> -> !obs.push<grid, 4294967296 x i1>, !obs.push<grid, 1 x i64>
  return
}

// -----

func.func @expand(%a: !obs.pull<3 x i64>) {
  // expected-error@+1 {{[count-range] a count of type 'i32' cannot be more than 2147483647, but there are 4294967296 elements}}
  %p, %c = obs.expand (%i, %j) = %a : !obs.pull<3 x i64> -> !obs.push<grid, 4294967296 x index>, !obs.push<grid, 1 x i32> {
    obs.yield %i : index
  }
  return
}

// -----

func.func @rank(%one: !obs.pull<1 x index>, %k: !obs.pull<4294967296 x i8>) {
  %b, %d = obs.distribute block in grid (%x = %one : !obs.pull<1 x index>) {
    // expected-error@+1 {{[count-range] a rank of type 'i32' cannot be more than 2147483647, but there are 4294967296 elements}}
    %p, %c = obs.rank %k : !obs.pull<4294967296 x i8> -> !obs.push<block, 4294967296 x i32>, !obs.push<block, 16 x i64>
    obs.yield %p, %c : !obs.push<block, 4294967296 x i32>, !obs.push<block, 16 x i64>
  }
  return
}

// -----

func.func @constant() {
  // expected-error@+1 {{[constant-size] is a table of more than 2^24 elements}}
  %c = obs.constant dense<7> : tensor<4294967296xi32>
  return
}

// -----

// Bijections of 2^32 elements are proved without a list of them; other maps are found.
func.func @reindex(%p: !obs.push<grid, 4294967296 x i64>) {
  %width = arith.constant 32 : index
  %one = arith.constant 1 : index
  %last = arith.constant 4294967295 : index
  %odd = arith.constant 2654435761 : index
  %n = arith.constant 4294967296 : index
  %a = obs.reindex (%i) = %p {
    %j = arith.subi %last, %i : index
    %k = obs.bit.reverse %j, %width : index
    obs.yield %k : index
  } : !obs.push<grid, 4294967296 x i64> -> !obs.push<grid, 4294967296 x i64>
  %b = obs.reindex (%i) = %a {
    %j = arith.muli %i, %odd : index
    %k = arith.remui %j, %n : index
    obs.yield %k : index
  } : !obs.push<grid, 4294967296 x i64> -> !obs.push<grid, 4294967296 x i64>
  // expected-error@+1 {{[R5-bijection]}}
  %c = obs.reindex (%i) = %b {
    %j = arith.shrui %i, %one : index
    obs.yield %j : index
  } : !obs.push<grid, 4294967296 x i64> -> !obs.push<grid, 4294967296 x i64>
  return
}

// -----

// Writes of one element by all iterations of a loop that the verifier does not go through.
func.func @fill(%v: i64) {
  %n = arith.constant 4294967296 : index
  %zero = arith.constant 0 : index
  // expected-error@+1 {{[R5-disjoint]}}
  %c = obs.fill par (%t) in (%n) {
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %v at [%zero] : i64
  } : !obs.push<grid, 4294967296 x i64>
  return
}
