// RUN: %python %S/check.py obs-run %s main edit-distance 0 1 5 40 100

// The edit distance of two strings of at most 256 letters, by anti-diagonals:
// element i of diagonal d is the distance of the first i letters of one and the
// first d - i of the other. Diagonal d has min(d, length) + 1 elements, so the
// length of what the loop carries varies; it carries the last two.

!string = !obs.pull<? x i32 bound [256]>
!diagonal = !obs.pull<? x i32 bound [257]>

func.func @main(%a: !string, %b: !string) -> !obs.pull<1 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !string
  %m = obs.dim %b, 0 : !string
  %blocks = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%unused = %blocks : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x i32> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %sum = arith.addi %n, %m : index
    %end = arith.addi %sum, %c1 : index
    %none = obs.splat %zero [%c1] : !diagonal
    %last, %before = scf.for %d = %c0 to %end step %c1 iter_args(%x = %none, %y = %none) -> (!diagonal, !diagonal) {
      %most = arith.minui %d, %n : index
      %length = arith.addi %most, %c1 : index
      %g = obs.generate (%i) [%length] {
        %j = arith.subi %d, %i : index
        %top = arith.cmpi eq, %i, %c0 : index
        %left = arith.cmpi eq, %j, %c0 : index
        %edge = arith.ori %top, %left : i1
        // At an edge all letters of the other string are inserted.
        %v = scf.if %edge -> i32 {
          %w = arith.index_cast %d : index to i32
          scf.yield %w : i32
        } else {
          %inside = arith.cmpi ule, %j, %m : index
          %w = scf.if %inside -> i32 {
            %up = arith.subi %i, %c1 : index
            %back = arith.subi %j, %c1 : index
            %letter = obs.get %a[%up] : !string
            %other = obs.get %b[%back] : !string
            %differ = arith.cmpi ne, %letter, %other : i32
            %cost = arith.extui %differ : i1 to i32
            %removed = obs.get %x[%up] : !diagonal
            %inserted = obs.get %x[%i] : !diagonal
            %replaced = obs.get %y[%up] : !diagonal
            %cheaper = arith.minsi %removed, %inserted : i32
            %step = arith.addi %cheaper, %one : i32
            %kept = arith.addi %replaced, %cost : i32
            %best = arith.minsi %step, %kept : i32
            scf.yield %best : i32
          } else {
            scf.yield %zero : i32
          }
          scf.yield %w : i32
        }
        obs.yield %v : i32
      } : !diagonal
      %p = obs.push %g : !diagonal -> !obs.push<block, ? x i32 bound [257]>
      %next = obs.force %p : !obs.push<block, ? x i32 bound [257]> -> !diagonal
      scf.yield %next, %x : !diagonal, !diagonal
    }
    %result = obs.generate (%i) {
      %e = obs.get %last[%n] : !diagonal
      obs.yield %e : i32
    } : !obs.pull<1 x i32>
    %q = obs.push %result : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "edit_distance", threads = 128 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}
