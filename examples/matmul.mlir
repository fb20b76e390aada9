// Matrix product c = a b in f32, tile by tile. From: CUDA C++ Programming Guide, on shared
// memory.
//
// A loop over the tiles of a row of a and of a column of b computes a tile of c. Both tiles
// are forced, so an element is loaded once for 16 uses. The loop carries the tile of sums. The
// order of the additions is that of the loops, so all devices compute the same bits.
//
// GPU: one kernel. Each block computes a tile of c. The tiles of a and b are in shared memory.
// Tiles at the edges are padded with zeros, and the join drops the elements outside of c.
//
// Run: obs-run examples/matmul.mlir iota:2x3xf32 iota:3x2xf32
//      obs-run examples/matmul.mlir --device=emulate --report random:50x70xf32:1 random:70x33xf32:2

!tile = !obs.pull<16 x 16 x f32>
!matrix = !obs.pull<? x ? x f32>
!tiles = !obs.pull<? x ? x !tile>
!places = !obs.pull<? x ? x index, index>

func.func @main(%a: !matrix, %b: !matrix) -> !matrix {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %b, 1 : !matrix
  %at = obs.split %a by [16, 16] pad %zero : !matrix
  %bt = obs.split %b by [16, 16] pad %zero : !matrix
  %rows = obs.dim %at, 0 : !tiles
  %columns = obs.dim %bt, 1 : !tiles
  %steps = obs.dim %at, 1 : !tiles
  %places = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i, %j : index, index
  } : !places
  %tiles = obs.distribute block in grid (%i, %j = %places : !places) {
    %none = obs.splat %zero : !tile
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !tile {
      %u = obs.get %at[%i, %k] : !tiles
      %v = obs.get %bt[%k, %j] : !tiles
      %x, %y = obs.force %u, %v in shared : !tile
      %next = obs.generate (%r, %c) {
        %old = obs.get %acc[%r, %c] : !tile
        %new = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %old) -> f32 {
          %p = obs.get %x[%r, %t] : !tile
          %q = obs.get %y[%t, %c] : !tile
          %m = arith.mulf %p, %q : f32
          %z = arith.addf %s, %m : f32
          scf.yield %z : f32
        }
        obs.yield %new : f32
      } : !tile
      %f = obs.force %next : !tile
      scf.yield %f : !tile
    }
    %q = obs.push block %sum : !tile
    obs.yield %q : !obs.push<block, 16 x 16 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 16 x 16 x f32>
  %r = obs.force %flat {kernel = "matmul"} : !obs.push<grid, ? x ? x f32>
  return %r : !matrix
}
