// Rule R5: fills of contract disjoint whose writes do not meet, or of which it
// is not certain. That obs-opt accepts them is the test.
// RUN: obs-opt %s -o %t

// Iteration i exchanges the elements where i has a 0 put in at bit s, and at
// that place a 1.
func.func @comparators(%x: i32, %s: index) {
  %c512 = arith.constant 512 : index
  %c3 = arith.constant 3 : index
  %p = obs.fill par (%i) in (%c512) {
    %a = obs.bit.insert_zero %i, %c3 : index
    %b = obs.bit.flip %a, %c3 : index
    obs.write %x at [%a] : i32
    obs.write %x at [%b] : i32
  } : !obs.push<grid, 1024 x i32>
  // Shifted by a number that is known at run time.
  %q = obs.fill par (%i) in (%c512) {
    %a = obs.bit.insert_zero %i, %s : index
    %b = obs.bit.flip %a, %s : index
    obs.write %x at [%a] : i32
    obs.write %x at [%b] : i32
  } : !obs.push<grid, 1024 x i32>
  return
}

func.func @guards(%x: i32, %flags: !obs.pull<8 x i1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // Of i and i xor 1, by even iterations.
  %even = obs.fill par (%i) in (%c8) {
    %bit = arith.andi %i, %c1 : index
    %guard = arith.cmpi eq, %bit, %c0 : index
    scf.if %guard {
      %j = arith.xori %i, %c1 : index
      obs.write %x at [%i] : i32
      obs.write %x at [%j] : i32
    }
  } : !obs.push<grid, 8 x i32>
  // Branches exclude each other.
  %either = obs.fill par (%i) in (%c8) {
    %guard = arith.cmpi ult, %i, %c1 : index
    scf.if %guard {
      obs.write %x at [%i] : i32
    } else {
      obs.write %x at [%i] : i32
    }
  } : !obs.push<grid, 8 x i32>
  // One flag at most may be set.
  %data = obs.fill par (%i) in (%c8) {
    %guard = obs.get %flags[%i] : !obs.pull<8 x i1>
    scf.if %guard {
      obs.write %x at [%c0] : i32
    }
  } : !obs.push<grid, 1 x i32>
  // There may be one iteration.
  %symbolic = obs.fill par (%i) in (%n) {
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  // A loop without iterations, and one with an unknown number of iterations.
  %loops = obs.fill par (%i) in (%c8) {
    scf.for %j = %c8 to %c8 step %c1 {
      obs.write %x at [%c0] : i32
    }
    scf.for %j = %c0 to %n step %c1 {
      obs.write %x at [%c0] : i32
    }
  } : !obs.push<grid, 8 x i32>
  return
}

// Other contracts, and `unchecked`, are not checked.
func.func @contracts(%x: i32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %any = obs.fill any par (%i) in (%c8) {
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %word = obs.fill unchecked par (%i) in (%c8) {
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  return
}

// Proved by digits, by bits, and by trying 65536 iterations.
func.func @large(%x: i32) {
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c1024 = arith.constant 1024 : index
  %c65536 = arith.constant 65536 : index
  %digits = obs.fill par (%i, %j) in (%c1024, %c1024) {
    %row = arith.muli %j, %c1024 : index
    %k = arith.addi %row, %i : index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 1048576 x i32>
  %bits = obs.fill par (%i) in (%c65536) {
    %h = arith.shrui %i, %c4 : index
    %k = arith.xori %i, %h : index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 65536 x i32>
  %points = obs.fill par (%i) in (%c65536) {
    %s = arith.muli %i, %c7 : index
    %k = arith.remui %s, %c65536 : index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 65536 x i32>
  return
}
