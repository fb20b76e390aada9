// RUN: %python %S/check.py obs-run %s bubble sort-any 0 1 2 3 8 33

// The bubble network of Obsidian's thesis (bubblenet) for n <= 256: the n (n-1) / 2
// comparators of bubble sort, a triangle, in 2 n - 3 parallel phases.

!array = !obs.pull<? x i32 bound [256]>
!column = !obs.push<block, ? x i32 bound [256]>

// Phase p compares i and i + 1 where i and p are both even or both odd, i <= p,
// and i <= 2 (n - 2) - p.
func.func private @phase(%x: !array, %n: index, %phase: index) -> !array attributes {obs.level = #obs.level<block>} {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %before = arith.subi %n, %two : index
  %end = arith.addi %before, %before : index
  %g = obs.generate (%i) [%n] {
    %sum = arith.addi %i, %phase : index
    %parity = arith.andi %sum, %one : index
    %low = arith.cmpi eq, %parity, %zero : index
    %up = arith.addi %i, %one : index
    %down = arith.subi %i, %one : index
    %partner = arith.select %low, %up, %down : index
    %left = arith.minui %i, %partner : index
    %reached = arith.cmpi sle, %left, %phase : index
    %sum2 = arith.addi %left, %phase : index
    %needed = arith.cmpi sle, %sum2, %end : index
    %in = arith.cmpi ult, %partner, %n : index
    %both = arith.andi %reached, %needed : i1
    %meets = arith.andi %both, %in : i1
    %j = arith.select %meets, %partner, %i : index
    %u = obs.get %x[%i] : !array
    %v = obs.get %x[%j] : !array
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !array
  %p = obs.push %g : !array -> !column
  %f = obs.force %p : !column -> !array
  return %f : !array
}

func.func @bubble(%a: !array) -> !array {
  %n = obs.dim %a, 0 : !array
  %whole = obs.generate (%i) {
    obs.yield %a : !array
  } : !obs.pull<1 x !obs.pull<? x i32 bound [256]>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [256]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 256]> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %twice = arith.addi %n, %n : index
    %most = arith.maxui %twice, %c3 : index
    %phases = arith.subi %most, %c3 : index
    %s = scf.for %k = %c0 to %phases step %c1 iter_args(%x = %c) -> !array {
      %y = func.call @phase(%x, %n, %k) : (!array, index, index) -> !array
      scf.yield %y : !array
    }
    %q = obs.push %s : !array -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 256]> -> !obs.push<grid, ? x i32 bound [256]>
  %r = obs.force %flat {kernel = "bubble", threads = 64 : i64} : !obs.push<grid, ? x i32 bound [256]> -> !array
  return %r : !array
}
