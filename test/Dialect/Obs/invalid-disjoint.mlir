// Rule R5: fills of contract disjoint of which two writes certainly meet.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @constant(%x: i32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{[R5-disjoint] iterations (0) and (1) both write element (0), where contract 'disjoint' promises one write; say `any` or `reduce(...)`, or write to another index}}
  %p = obs.fill par (%i) in (%c4) {
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 4 x i32>
  return
}

// -----

func.func @halved(%x: i32, %m: index) {
  %c2 = arith.constant 2 : index
  %c1000000 = arith.constant 1000000 : index
  // expected-error@+1 {{[R5-disjoint] iterations (0) and (1) both write element (0)}}
  %p = obs.fill [%m] par (%i) in (%c1000000) {
    %j = arith.divui %i, %c2 : index
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%j] : i32
  } : !obs.push<grid, ? x i32>
  return
}

// -----

func.func @modulo(%x: i32) {
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  // expected-error@+1 {{[R5-disjoint] iterations (0) and (4) both write element (0)}}
  %p = obs.fill par (%i) in (%c6) {
    %j = arith.remui %i, %c4 : index
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%j] : i32
  } : !obs.push<grid, 6 x i32>
  return
}

// -----

// Element 0 is the first to be written, and the first twice is element 1.
func.func @neighbours(%x: i32) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{[R5-disjoint] iterations (0) and (1) both write element (1)}}
  %p = obs.fill par (%i) in (%c4) {
    // expected-note@+1 {{iteration (1) writes it here}}
    obs.write %x at [%i] : i32
    %j = arith.addi %i, %c1 : index
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%j] : i32
  } : !obs.push<grid, 5 x i32>
  return
}

// -----

func.func @one_iteration(%x: i32) {
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{[R5-disjoint] iteration (0) writes element (0) twice}}
  %p = obs.fill par (%i) in (%c4) {
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%i] : i32
    // expected-note@+1 {{iteration (0) writes it here}}
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  return
}

// -----

// Of at least 3 iterations. The guard holds for the iterations from 1.
func.func @guarded(%x: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %least = arith.minsi %n, %c100 : index
  %count = arith.maxsi %least, %c3 : index
  // expected-error@+1 {{[R5-disjoint] iterations (1) and (2) both write element (3)}}
  %p = obs.fill par (%i) in (%count) {
    %guard = arith.cmpi ugt, %i, %c0 : index
    scf.if %guard {
      // expected-note@+1 {{iteration (1) writes it here}}
      obs.write %x at [%c3] : i32
    }
  } : !obs.push<grid, 4 x i32>
  return
}

// -----

// Rows of 8 are 4 apart; each iteration of the loop is one more index.
func.func @overlapping_rows(%x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{[R5-disjoint] iterations (0, 4) and (1, 0) both write element (4)}}
  %p = obs.fill par (%i) in (%c4) {
    scf.for %j = %c0 to %c8 step %c1 {
      %row = arith.muli %i, %c4 : index
      %k = arith.addi %row, %j : index
      // expected-note@+1 {{iteration (0, 4) writes it here}}
      obs.write %x at [%k] : i32
    }
  } : !obs.push<grid, 64 x i32>
  return
}
