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

!f32x16x16 = !obs.pull<16 x 16 x f32>
!f32_2d = !obs.pull<? x ? x f32>
!f32x16x16_2d = !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
!index_2d = !obs.pull<? x ? x index>

func.func @main(%a: !f32_2d, %b: !f32_2d) -> !f32_2d {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !f32_2d
  %w = obs.dim %b, 1 : !f32_2d
  %at = obs.split %a by [16, 16] pad %zero : !f32_2d
  %bt = obs.split %b by [16, 16] pad %zero : !f32_2d
  %rows = obs.dim %at, 0 : !f32x16x16_2d
  %columns = obs.dim %bt, 1 : !f32x16x16_2d
  %steps = obs.dim %at, 1 : !f32x16x16_2d
  %is = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i : index
  } : !index_2d
  %js = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %j : index
  } : !index_2d
  %tiles = obs.distribute block in grid (%i = %is, %j = %js : !index_2d) {
    %none = obs.splat %zero : !f32x16x16
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !f32x16x16 {
      %u = obs.get %at[%i, %k] : !f32x16x16_2d
      %v = obs.get %bt[%k, %j] : !f32x16x16_2d
      %up = obs.push block %u : !f32x16x16
      %vp = obs.push block %v : !f32x16x16
      %x, %y = obs.force %up, %vp in shared : !obs.push<block, 16 x 16 x f32>
      %next = obs.generate (%r, %c) {
        %old = obs.get %acc[%r, %c] : !f32x16x16
        %new = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %old) -> f32 {
          %p = obs.get %x[%r, %t] : !f32x16x16
          %q = obs.get %y[%t, %c] : !f32x16x16
          %m = arith.mulf %p, %q : f32
          %z = arith.addf %s, %m : f32
          scf.yield %z : f32
        }
        obs.yield %new : f32
      } : !f32x16x16
      %f = obs.force %next : !f32x16x16
      scf.yield %f : !f32x16x16
    }
    %q = obs.push block %sum : !f32x16x16
    obs.yield %q : !obs.push<block, 16 x 16 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 16 x 16 x f32>
  %r = obs.force %flat {kernel = "matmul", threads = 256} : !obs.push<grid, ? x ? x f32>
  return %r : !f32_2d
}
