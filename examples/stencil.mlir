// 3 x 3 box sum of an image: r[i, j] is the sum of a[i - 1 .. i + 1, j - 1 .. j + 1]. Past
// the border, the image continues as its mirror image: a[-1] is a[0], and a[n] is a[n - 1].
//
// An output tile of 16 x 16 needs an input tile of 18 x 18: the tile and its halo. The
// input tile is forced, so each pixel is loaded about once from global memory, and then
// read nine times from shared memory. The border is a function on indices, in the array
// from which the tile is cut. The sums do not depend on it. From: the stencils of
// Accelerate.
//
// GPU: one kernel. Each block processes one tile. The input tile is in shared memory, with
// a barrier before the sums. The join drops the elements past the right and the lower
// border.
//
// Run: obs-run examples/stencil.mlir iota:4x5xi32
//      obs-run examples/stencil.mlir --device=emulate --report iota:33x100xi32

!image = !obs.pull<? x ? x i32>
!halo = !obs.pull<18 x 18 x i32>

func.func @main(%a: !image) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %th = arith.ceildivui %h, %c16 : index
  %tw = arith.ceildivui %w, %c16 : index
  %h2 = arith.addi %h, %h : index
  %w2 = arith.addi %w, %w : index
  %hlast = arith.subi %h2, %c1 : index
  %wlast = arith.subi %w2, %c1 : index

  // Tile (ti, tj) begins at row 16 ti - 1 and column 16 tj - 1.
  %tiles = obs.generate (%ti, %tj) [%th, %tw] {
    %tile = obs.generate (%y, %x) {
      %i0 = arith.muli %ti, %c16 : index
      %i1 = arith.addi %i0, %y : index
      %i2 = arith.subi %i1, %c1 : index
      %j0 = arith.muli %tj, %c16 : index
      %j1 = arith.addi %j0, %x : index
      %j2 = arith.subi %j1, %c1 : index
      // Index -1 becomes 0.
      %i3 = arith.maxsi %i2, %c0 : index
      %j3 = arith.maxsi %j2, %c0 : index
      // Index n becomes n - 1. An index further past the border becomes 0 or more.
      %i4 = arith.subi %hlast, %i3 : index
      %j4 = arith.subi %wlast, %j3 : index
      %i5 = arith.minsi %i3, %i4 : index
      %j5 = arith.minsi %j3, %j4 : index
      %i = arith.maxsi %i5, %c0 : index
      %j = arith.maxsi %j5, %c0 : index
      %v = obs.get %a[%i, %j] : !image
      obs.yield %v : i32
    } : !halo
    obs.yield %tile : !halo
  } : !obs.pull<? x ? x !halo>

  %sums = obs.distribute block in grid (%tile = %tiles : !obs.pull<? x ? x !halo>) {
    %halo = obs.force %tile in shared : !halo
    %box = obs.generate (%y, %x) {
      %s = scf.for %dy = %c0 to %c3 step %c1 iter_args(%outer = %zero) -> i32 {
        %row = scf.for %dx = %c0 to %c3 step %c1 iter_args(%sum = %outer) -> i32 {
          %i = arith.addi %y, %dy : index
          %j = arith.addi %x, %dx : index
          %v = obs.get %halo[%i, %j] : !halo
          %next = arith.addi %sum, %v : i32
          scf.yield %next : i32
        }
        scf.yield %row : i32
      }
      obs.yield %s : i32
    } : !obs.pull<16 x 16 x i32>
    %q = obs.push block %box : !obs.pull<16 x 16 x i32>
    obs.yield %q : !obs.push<block, 16 x 16 x i32>
  }
  %flat = obs.join %sums to [%h, %w] : !obs.push<grid, ? x ? x 16 x 16 x i32>
  %r = obs.force %flat {kernel = "box_3x3"} : !obs.push<grid, ? x ? x i32>
  return %r : !image
}
