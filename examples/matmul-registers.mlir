// Matrix product c = a b in f32 with register tiles: a tile of 64 x 64 elements of c is an
// array of 4 x 4 x 16 x 16 elements, of which each thread has 4 x 4.
//
// From: the usual form of fast matrix products on GPUs (V. Volkov, J. Demmel, 2008). As in
// matmul.mlir, a loop over tiles of a and b forces the tiles and carries the sums. Element
// (u, v, r, q) of the sums is that of row 16 u + r and column 16 v + q of the tile of c. The
// last two numbers determine the thread, so a thread has the sums of 4 rows and 4 columns.
// Each step reads 4 numbers of a and 4 numbers of b from the tiles for them: half a read for
// each product, instead of two. The additions are in the same order as in matmul.mlir, so the
// bits are equal.
//
// GPU: one kernel. A block of 256 threads computes a tile of c. Each thread has 16 sums in
// registers. The tiles of a and b, of 64 x 16 and 16 x 64 elements, are in shared memory.
// Tiles at the edges are padded with zeros, and the join drops the elements outside of c.
//
// Run: obs-run examples/matmul-registers.mlir iota:2x3xf32 iota:3x2xf32
//      obs-run examples/matmul-registers.mlir --device=emulate --report random:50x40xf32:1 random:40x70xf32:2

!places = !obs.pull<? x ? x index, index>
!matrix = !obs.pull<? x ? x f32>
!a_tile = !obs.pull<64 x 16 x f32>
!b_tile = !obs.pull<16 x 64 x f32>
!sums = !obs.pull<4 x 4 x 16 x 16 x f32>

func.func @main(%a: !matrix, %b: !matrix) -> !matrix {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %b, 1 : !matrix
  %at = obs.split %a by [64, 16] pad %zero : !matrix
  %bt = obs.split %b by [16, 64] pad %zero : !matrix
  %rows = obs.dim %at, 0 : !obs.pull<? x ? x !a_tile>
  %columns = obs.dim %bt, 1 : !obs.pull<? x ? x !b_tile>
  %steps = obs.dim %at, 1 : !obs.pull<? x ? x !a_tile>
  %places = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i, %j : index, index
  } : !places
  %tiles = obs.distribute block in grid (%i, %j = %places : !places) {
    %none = obs.splat %zero : !sums
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !sums {
      %e = obs.get %at[%i, %k] : !obs.pull<? x ? x !a_tile>
      %f = obs.get %bt[%k, %j] : !obs.pull<? x ? x !b_tile>
      %x, %y = obs.force %e, %f in shared : !a_tile, !b_tile
      %next = obs.generate (%u, %v, %r, %q) {
        %up = arith.muli %u, %c16 : index
        %row = arith.addi %up, %r : index
        %vp = arith.muli %v, %c16 : index
        %column = arith.addi %vp, %q : index
        %old = obs.get %acc[%u, %v, %r, %q] : !sums
        %new = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %old) -> f32 {
          %p = obs.get %x[%row, %t] : !a_tile
          %o = obs.get %y[%t, %column] : !b_tile
          %m = arith.mulf %p, %o : f32
          %z = arith.addf %s, %m : f32
          scf.yield %z : f32
        }
        obs.yield %new : f32
      } : !sums
      %g = obs.force %next : !sums
      scf.yield %g : !sums
    }
    %placed = obs.fill par (%u, %v, %r, %q) in (%c4, %c4, %c16, %c16) {
      %up = arith.muli %u, %c16 : index
      %row = arith.addi %up, %r : index
      %vp = arith.muli %v, %c16 : index
      %column = arith.addi %vp, %q : index
      %s = obs.get %sum[%u, %v, %r, %q] : !sums
      obs.write %s at [%row, %column] : f32
    } : !obs.push<block, 64 x 64 x f32>
    obs.yield %placed : !obs.push<block, 64 x 64 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 64 x 64 x f32>
  %r = obs.force %flat {kernel = "matmul_registers"} : !obs.push<grid, ? x ? x f32>
  return %r : !matrix
}
