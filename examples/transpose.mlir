// Matrix transpose: r[j, i] = a[i, j], for any height and width. From: Optimizing matrix
// transpose in CUDA (2009).
//
// `obs.transpose` alone is correct, but then either the loads or the stores of a warp are a
// row apart. So a tile of 32 x 32 is forced in between. It is loaded along the rows of `a`
// and stored along the rows of the result.
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

!i32_2d = !obs.pull<? x ? x i32>
!i32x32x32 = !obs.pull<32 x 32 x i32>
!block_i32x32x32 = !obs.push<block, 32 x 32 x i32>
!i32x32x32_2d = !obs.pull<? x ? x !obs.pull<32 x 32 x i32>>

func.func @main(%a: !i32_2d) -> !i32_2d {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !i32_2d
  %w = obs.dim %a, 1 : !i32_2d
  %rows = obs.split %a by [32, 32] pad %zero : !i32_2d
  %tiles = obs.transpose %rows [1, 0] : !i32x32x32_2d
  %done = obs.distribute block in grid (%tile = %tiles : !i32x32x32_2d) {
    %f = obs.force %tile in shared : !i32x32x32
    %t = obs.transpose %f [1, 0] : !i32x32x32
    %q = obs.push block %t : !i32x32x32
    obs.yield %q : !block_i32x32x32
  }
  %flat = obs.join %done to [%w, %h] : !obs.push<grid, ? x ? x 32 x 32 x i32>
  %r = obs.force %flat {kernel = "transpose", threads = 256} : !obs.push<grid, ? x ? x i32>
  return %r : !i32_2d
}

func.func @swizzled(%a: !i32_2d) -> !i32_2d {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !i32_2d
  %w = obs.dim %a, 1 : !i32_2d
  %rows = obs.split %a by [32, 32] pad %zero : !i32_2d
  %tiles = obs.transpose %rows [1, 0] : !i32x32x32_2d
  %done = obs.distribute block in grid (%tile = %tiles : !i32x32x32_2d) {
    %p = obs.push block %tile : !i32x32x32
    %swizzled = obs.reindex (%i, %j) = %p {
      %k = arith.xori %j, %i : index
      obs.yield %i, %k : index, index
    } : !block_i32x32x32 -> !block_i32x32x32
    %stored = obs.force %swizzled in shared : !block_i32x32x32
    %f = obs.reindex (%i, %j) = %stored {
      %k = arith.xori %j, %i : index
      obs.yield %i, %k : index, index
    } : !i32x32x32 -> !i32x32x32
    %t = obs.transpose %f [1, 0] : !i32x32x32
    %q = obs.push block %t : !i32x32x32
    obs.yield %q : !block_i32x32x32
  }
  %flat = obs.join %done to [%w, %h] : !obs.push<grid, ? x ? x 32 x 32 x i32>
  %r = obs.force %flat {kernel = "transpose_swizzled", threads = 256} : !obs.push<grid, ? x ? x i32>
  return %r : !i32_2d
}
