// The largest sum of consecutive elements, for each chunk of 4096: one reduction with an operator that
// does not commute. An element of the reduction is a stretch (a range of consecutive elements of the
// chunk). Four numbers describe it: its sum, and the largest sums of a beginning of it, of an end of
// it, and of any part of it, all of which may be empty. From: J. Bentley, Programming pearls, 1984.
//
// GPU: one kernel. Each block processes one chunk. Each of 128 workers combines 32 elements one after
// the other. Then a tree combines their results from left to right.
//
// Run: obs-run examples/max-segment.mlir random:5000xi16:1
//      obs-run examples/max-segment.mlir --device=emulate --report random:5000xi16:1

!numbers = !obs.pull<? x i16>
!chunk = !obs.pull<4096 x i32, i32, i32, i32>

func.func @main(%a: !numbers) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %stretches = obs.map (%x = %a : !numbers) {
    %s = arith.extsi %x : i16 to i32
    %m = arith.maxsi %s, %zero : i32
    obs.yield %s, %m, %m, %m : i32, i32, i32, i32
  }
  %chunks = obs.split %stretches by [4096] pad %zero, %zero, %zero, %zero : !obs.pull<? x i32, i32, i32, i32>
  %best = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !chunk>) {
    %s, %b, %e, %m = obs.reduce (%s1, %b1, %e1, %m1, %s2, %b2, %e2, %m2) = %c init %zero, %zero, %zero, %zero : !chunk {
      %s = arith.addi %s1, %s2 : i32
      %through_left = arith.addi %s1, %b2 : i32
      %b = arith.maxsi %b1, %through_left : i32
      %through_right = arith.addi %e1, %s2 : i32
      %e = arith.maxsi %e2, %through_right : i32
      %across = arith.addi %e1, %b2 : i32
      %either = arith.maxsi %m1, %m2 : i32
      %m = arith.maxsi %either, %across : i32
      obs.yield %s, %b, %e, %m : i32, i32, i32, i32
    }
    %one = obs.splat %m : !obs.pull<1 x i32>
    %p = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %best : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat {kernel = "max_segment", threads = 128} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
