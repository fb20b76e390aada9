// Matrix transpose: r[j, i] = a[i, j], for any height and width. From: Optimizing matrix
// transpose in CUDA (2009).
//
// With `obs.transpose` alone, either the loads or the stores of a warp are a row apart. So a
// tile of 32 x 32 is forced in between. It is loaded along the rows of `a` and stored along
// the rows of the result. The compiler does the same for a loop over the grid that does not
// have tiles (`obs-tile-transposes`); this program shows how tiles are written.
//
// A warp reads a column of the tile. Its elements would be 32 words apart, so all of them
// would be in one bank of shared memory. The compiler avoids this: it stores the rows 33
// words apart (`obs-assign-banks`). @swizzled does not depend on this pass. It stores element
// (i, j) at (i, j ^ i), in 4096 bytes instead of 4224. The verifier proves that no two
// elements have the same position (rule R5).
//
// GPU: one kernel. Each block processes one tile in shared memory, with a barrier between
// loads and stores. Tiles at the edges are padded with zeros, and the join drops the padding.
//
// Run: obs-run examples/transpose.mlir iota:3x5xi32
//      obs-run examples/transpose.mlir --device=emulate --report iota:33x100xi32
//      obs-run examples/transpose.mlir --entry=swizzled --device=emulate --report iota:33x100xi32

!matrix = !obs.pull<? x ? x i32>
!tile = !obs.pull<32 x 32 x i32>
!pushed = !obs.push<block, 32 x 32 x i32>
!tiles = !obs.pull<? x ? x !tile>

func.func @main(%a: !matrix) -> !matrix {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %a, 1 : !matrix
  %rows = obs.split %a by [32, 32] pad %zero : !matrix
  %tiles = obs.transpose %rows [1, 0] : !tiles
  %done = obs.distribute block in grid (%tile = %tiles : !tiles) {
    %f = obs.force %tile in shared : !tile
    %t = obs.transpose %f [1, 0] : !tile
    %q = obs.push block %t : !tile
    obs.yield %q : !pushed
  }
  %flat = obs.join %done to [%w, %h] : !obs.push<grid, ? x ? x 32 x 32 x i32>
  %r = obs.force %flat {kernel = "transpose"} : !obs.push<grid, ? x ? x i32>
  return %r : !matrix
}

func.func @swizzled(%a: !matrix) -> !matrix {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %a, 1 : !matrix
  %rows = obs.split %a by [32, 32] pad %zero : !matrix
  %tiles = obs.transpose %rows [1, 0] : !tiles
  %done = obs.distribute block in grid (%tile = %tiles : !tiles) {
    %p = obs.push block %tile : !tile
    %swizzled = obs.reindex (%i, %j) = %p {
      %k = arith.xori %j, %i : index
      obs.yield %i, %k : index, index
    } : !pushed -> !pushed
    %stored = obs.force %swizzled in shared : !pushed
    %f = obs.reindex (%i, %j) = %stored {
      %k = arith.xori %j, %i : index
      obs.yield %i, %k : index, index
    } : !tile -> !tile
    %t = obs.transpose %f [1, 0] : !tile
    %q = obs.push block %t : !tile
    obs.yield %q : !pushed
  }
  %flat = obs.join %done to [%w, %h] : !obs.push<grid, ? x ? x 32 x 32 x i32>
  %r = obs.force %flat {kernel = "transpose_swizzled"} : !obs.push<grid, ? x ? x i32>
  return %r : !matrix
}
