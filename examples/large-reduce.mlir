// Reductions of whole arrays of any length: @minimum, @first_largest (the largest element and its
// first position), and @largest_segment (the largest sum of consecutive elements, which may be no
// elements).
//
// From: the reductions of the Obsidian papers and slides, which were written by hand as two kernels.
// @largest_segment is from J. Bentley, Programming Pearls. The three reductions differ in the operator
// only. Memory has an atomic operation for the operator of @minimum. An element of @first_largest is a
// pair, and the left one of two equal elements wins. An element of @largest_segment is a stretch (a
// range of consecutive elements): its sum, and the largest sums of a beginning of it, of an end of it,
// and of any part of it. This operator depends on the order of its operands.
//
// GPU: each reduction is one kernel, together with the maps before and after it. Each block combines a
// part of 4096 elements or more. For @minimum, atomic operations combine the results of the blocks.
// For the others, the last block to finish combines them, in the order of the parts.
//
// Run: obs-run examples/large-reduce.mlir --entry=minimum random:10xi32:1
//      obs-run examples/large-reduce.mlir --entry=minimum --device=emulate --report random:100000xi32:1
//      obs-run examples/large-reduce.mlir --entry=first_largest --device=emulate --report random:100000xi32:1
//      obs-run examples/large-reduce.mlir --entry=largest_segment --device=emulate --report random:100000xi16:1

!i32s = !obs.pull<? x i32>
!one = !obs.pull<1 x i32>

func.func @minimum(%a: !i32s) -> !one {
  %largest = arith.constant 0x7fffffff : i32
  %p = obs.reduce grid { arith.minsi } %a init %largest : !i32s
  %r = obs.force %p {kernel = "minimum"} : !obs.push<grid, 1 x i32>
  return %r : !one
}

// The position is -1 if there are no elements.
func.func @first_largest(%a: !i32s) -> !obs.pull<1 x i32, i32> {
  %least = arith.constant 0x80000000 : i32
  %nowhere = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !i32s
  %places = obs.iota [%n] : !i32s
  %pairs = obs.zip %a, %places : !i32s
  %p = obs.reduce grid (%x, %i, %y, %j) = %pairs init %least, %nowhere : !obs.pull<? x i32, i32> {
    // If the left element has no position, the right one wins.
    %none = arith.cmpi slt, %i, %zero : i32
    %greater = arith.cmpi sgt, %y, %x : i32
    %right = arith.ori %none, %greater : i1
    %m = arith.select %right, %y, %x : i32
    %k = arith.select %right, %j, %i : i32
    obs.yield %m, %k : i32, i32
  }
  %r = obs.force %p {kernel = "first_largest"} : !obs.push<grid, 1 x i32, i32>
  return %r : !obs.pull<1 x i32, i32>
}

func.func @largest_segment(%a: !obs.pull<? x i16>) -> !obs.pull<1 x i64> {
  %zero = arith.constant 0 : i64
  %stretches = obs.map (%x = %a : !obs.pull<? x i16>) {
    %s = arith.extsi %x : i16 to i64
    %m = arith.maxsi %s, %zero : i64
    obs.yield %s, %m, %m, %m : i64, i64, i64, i64
  }
  %p = obs.reduce grid (%s1, %b1, %e1, %m1, %s2, %b2, %e2, %m2) = %stretches init %zero, %zero, %zero, %zero : !obs.pull<? x i64, i64, i64, i64> {
    %s = arith.addi %s1, %s2 : i64
    %through_left = arith.addi %s1, %b2 : i64
    %b = arith.maxsi %b1, %through_left : i64
    %through_right = arith.addi %e1, %s2 : i64
    %e = arith.maxsi %e2, %through_right : i64
    %across = arith.addi %e1, %b2 : i64
    %either = arith.maxsi %m1, %m2 : i64
    %m = arith.maxsi %either, %across : i64
    obs.yield %s, %b, %e, %m : i64, i64, i64, i64
  }
  %best = obs.map (%s, %b, %e, %m = %p : !obs.push<grid, 1 x i64, i64, i64, i64>) {
    obs.yield %m : i64
  }
  %r = obs.force %best {kernel = "largest_segment"} : !obs.push<grid, 1 x i64>
  return %r : !obs.pull<1 x i64>
}
