// Parts that begin inside of an array.

!ints = !obs.pull<? x i32>

func.func @middle(%a: !ints, %k: index, %n: index) -> !ints {
  %t = obs.slice %a [%k] [%n] [1] : !ints -> !ints
  return %t : !ints
}
// A slice of an array that a kernel makes.
func.func @made(%a: !ints, %k: index, %n: index) -> !ints {
  %m = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x i32> -> !ints
  %t = obs.slice %f [%k] [%n] [1] : !ints -> !ints
  return %t : !ints
}
// Both halves of one array, and the array.
func.func @halves(%a: !ints) -> (!ints, !ints, !ints) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %h = arith.shrui %n, %c1 : index
  %k = arith.subi %n, %h : index
  %r = obs.reverse %a : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "turn"} : !obs.push<grid, ? x i32> -> !ints
  %x = obs.take %f [%h] : !ints -> !ints
  %y = obs.slice %f [%h] [%k] [1] : !ints -> !ints
  return %x, %y, %f : !ints, !ints, !ints
}
func.func @chunk(%a: !ints, %i: index) -> !obs.pull<4 x i32> {
  %s = obs.split %a by [4] : !ints -> !obs.pull<? x !obs.pull<4 x i32>>
  %c = obs.get %s[%i] : !obs.pull<? x !obs.pull<4 x i32>>
  return %c : !obs.pull<4 x i32>
}
// One row, and a part of one.
func.func @row(%a: !obs.pull<? x 4 x i32>, %i: index) -> (!obs.pull<1 x 4 x i32>, !obs.pull<1 x 2 x i32>) {
  %r = obs.slice %a [%i, 0] [1, 4] [1, 1] : !obs.pull<? x 4 x i32> -> !obs.pull<1 x 4 x i32>
  %s = obs.slice %a [%i, 1] [1, 2] [1, 1] : !obs.pull<? x 4 x i32> -> !obs.pull<1 x 2 x i32>
  return %r, %s : !obs.pull<1 x 4 x i32>, !obs.pull<1 x 2 x i32>
}
// A part of a part, and both arrays of pairs.
func.func @inner(%a: !ints, %b: !ints, %k: index, %n: index) -> !obs.pull<? x i32, i32> {
  %z = obs.zip %a, %b : !ints, !ints
  %t = obs.slice %z [%k] [%n] [1] : !obs.pull<? x i32, i32> -> !obs.pull<? x i32, i32>
  %c2 = arith.constant 2 : index
  %m = arith.subi %n, %c2 : index
  %u = obs.slice %t [1] [%m] [1] : !obs.pull<? x i32, i32> -> !obs.pull<? x i32, i32>
  return %u : !obs.pull<? x i32, i32>
}
// Loses its first and last element in each iteration.
func.func @shrink(%a: !ints) -> !ints {
  %c2 = arith.constant 2 : index
  %r = scf.while (%x = %a) : (!ints) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %go = arith.cmpi ugt, %n, %c2 : index
    scf.condition(%go) %x : !ints
  } do {
  ^bb0(%y : !ints):
    %n = obs.dim %y, 0 : !ints
    %m = arith.subi %n, %c2 : index
    %t = obs.slice %y [1] [%m] [1] : !ints -> !ints
    scf.yield %t : !ints
  }
  return %r : !ints
}
// Adds the rest of the array to a sum. In each iteration this is another kernel argument that
// begins elsewhere, while another array is made.
func.func @pyramid(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r, %s = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %n = obs.dim %x, 0 : !ints
    %m = arith.subi %n, %c2 : index
    %t = obs.slice %x [1] [%m] [1] : !ints -> !ints
    %u = obs.take %y [%m] : !ints -> !ints
    %v = obs.map (%p = %t : !ints, %q = %u : !ints) -> !ints {
      %w = arith.addi %p, %q : i32
      obs.yield %w : i32
    }
    %o = obs.push %v : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %o {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %t, %f : !ints, !ints
  }
  return %r, %s : !ints, !ints
}
// Adds neighbours, and those behind the first, and so on; the last of these arrays.
func.func @rounds(%a: !ints) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r, %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %n = obs.dim %x, 0 : !ints
    %m = arith.subi %n, %c1 : index
    %t = obs.slice %x [1] [%m] [1] : !ints -> !ints
    %u = obs.take %x [%m] : !ints -> !ints
    %v = obs.map (%p = %t : !ints, %q = %u : !ints) -> !ints {
      %w = arith.addi %p, %q : i32
      obs.yield %w : i32
    }
    %o = obs.push %v : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %o {kernel = "pairs"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %t, %f : !ints, !ints
  }
  return %s : !ints
}
// Not one after the other in memory: an array of their own.
func.func @evens(%a: !ints, %n: index) -> !ints {
  %t = obs.slice %a [1] [%n] [2] : !ints -> !ints
  return %t : !ints
}
