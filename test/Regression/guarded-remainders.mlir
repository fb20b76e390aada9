// A remainder in a branch divides only where the branch is taken.

// RUN: obs-run %s --entry=elements iota:5xi32 iota:5xi32 | FileCheck %s --check-prefix=ELEMENTS
// RUN: obs-run %s --entry=elements --device=emulate --check iota:5xi32 iota:5xi32 | FileCheck %s --check-prefix=ELEMENTS
// RUN: obs-run %s --entry=numbers 7 0 | FileCheck %s --check-prefix=NUMBERS
// RUN: obs-run %s --entry=numbers --device=emulate 7 0 | FileCheck %s --check-prefix=NUMBERS
// RUN: obs-run %s --entry=rows iota:5xi32 | FileCheck %s --check-prefix=ROWS
// RUN: obs-run %s --entry=rows --device=emulate --check iota:5xi32 | FileCheck %s --check-prefix=ROWS

// 7 + i modulo i, and 0 for i = 0: 8 mod 1, 9 mod 2, 10 mod 3, 11 mod 4.
// ELEMENTS: {{^}}[0, 0, 1, 1, 3]{{$}}
func.func @elements(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %m = obs.map (%x = %a, %y = %b : !obs.pull<? x i32>) {
    %is = arith.cmpi ne, %y, %zero : i32
    %r = scf.if %is -> i32 {
      %z = arith.addi %x, %seven : i32
      %q = arith.remsi %z, %y : i32
      scf.yield %q : i32
    } else {
      scf.yield %zero : i32
    }
    obs.yield %r : i32
  }
  %f = obs.force %m : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// NUMBERS: {{^}}-1{{$}}
func.func @numbers(%x: i32, %y: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %is = arith.cmpi ne, %y, %zero : i32
  %r = scf.if %is -> i32 {
    %q = arith.remui %x, %y : i32
    scf.yield %q : i32
  } else {
    scf.yield %none : i32
  }
  return %r : i32
}

// Lanes of a warp that have no element. The row is 5, 6, 7, 8, 9 modulo 1, 2, 3, 4, 5, and then from the last on.
// ROWS: {{\[\[}}4, 0, 1, 0, 0]]
func.func @rows(%a: !obs.pull<5 x i32>) -> !obs.pull<1 x 5 x i32> {
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %warp = obs.iota : !obs.pull<1 x index>
  %d = obs.distribute warp in grid (%w = %warp : !obs.pull<1 x index>) {
    %divisors = obs.map (%x = %a : !obs.pull<5 x i32>) {
      %y = arith.addi %x, %one : i32
      obs.yield %y : i32
    }
    %f = obs.force %divisors : !obs.pull<5 x i32>
    %m = obs.map (%x = %a, %y = %f : !obs.pull<5 x i32>) {
      %z = arith.addi %x, %five : i32
      %q = arith.remsi %z, %y : i32
      obs.yield %q : i32
    }
    %g = obs.force %m : !obs.pull<5 x i32>
    %v = obs.reverse %g : !obs.pull<5 x i32>
    %p = obs.push warp %v : !obs.pull<5 x i32>
    obs.yield %p : !obs.push<warp, 5 x i32>
  }
  %r = obs.force %d : !obs.push<grid, 1 x 5 x i32>
  return %r : !obs.pull<1 x 5 x i32>
}
