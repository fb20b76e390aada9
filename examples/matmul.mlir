// Matrix product c = a b in f32, tile by tile. From: CUDA C++ Programming Guide, on shared memory.
//
// A tile of c is a loop over tiles of a row of a and of a column of b. Both are
// forced, so that an element is loaded once for 16 uses; the loop carries the
// tile of sums. The order of the additions is that of the loops, so results are
// the same bits everywhere.
//
// GPU: one kernel. A block takes a tile of c; the tiles of a and b are in shared
// memory. Tiles that stick out read zeros; the join drops what lies outside.
//
// Run: obs-run examples/matmul.mlir iota:2x3xf32 iota:3x2xf32
//      obs-run examples/matmul.mlir --device=emulate --report random:50x70xf32:1 random:70x33xf32:2

func.func @main(%a: !obs.pull<? x ? x f32>, %b: !obs.pull<? x ? x f32>) -> !obs.pull<? x ? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !obs.pull<? x ? x f32>
  %w = obs.dim %b, 1 : !obs.pull<? x ? x f32>
  %at = obs.split %a by [16, 16] pad %zero : !obs.pull<? x ? x f32> -> !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
  %bt = obs.split %b by [16, 16] pad %zero : !obs.pull<? x ? x f32> -> !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
  %rows = obs.dim %at, 0 : !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
  %columns = obs.dim %bt, 1 : !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
  %steps = obs.dim %at, 1 : !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
  %is = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i : index
  } : !obs.pull<? x ? x index>
  %js = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %j : index
  } : !obs.pull<? x ? x index>
  %tiles = obs.distribute block (%i = %is : !obs.pull<? x ? x index>, %j = %js : !obs.pull<? x ? x index>) -> !obs.push<grid, ? x ? x 16 x 16 x f32> {
    %none = obs.splat %zero : !obs.pull<16 x 16 x f32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !obs.pull<16 x 16 x f32> {
      %u = obs.get %at[%i, %k] : !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
      %v = obs.get %bt[%k, %j] : !obs.pull<? x ? x !obs.pull<16 x 16 x f32>>
      %up = obs.push %u : !obs.pull<16 x 16 x f32> -> !obs.push<block, 16 x 16 x f32>
      %vp = obs.push %v : !obs.pull<16 x 16 x f32> -> !obs.push<block, 16 x 16 x f32>
      %x, %y = obs.force %up, %vp in shared : !obs.push<block, 16 x 16 x f32>, !obs.push<block, 16 x 16 x f32> -> (!obs.pull<16 x 16 x f32>, !obs.pull<16 x 16 x f32>)
      %next = obs.generate (%r, %c) {
        %old = obs.get %acc[%r, %c] : !obs.pull<16 x 16 x f32>
        %new = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %old) -> f32 {
          %p = obs.get %x[%r, %t] : !obs.pull<16 x 16 x f32>
          %q = obs.get %y[%t, %c] : !obs.pull<16 x 16 x f32>
          %m = arith.mulf %p, %q : f32
          %z = arith.addf %s, %m : f32
          scf.yield %z : f32
        }
        obs.yield %new : f32
      } : !obs.pull<16 x 16 x f32>
      %np = obs.push %next : !obs.pull<16 x 16 x f32> -> !obs.push<block, 16 x 16 x f32>
      %f = obs.force %np : !obs.push<block, 16 x 16 x f32> -> !obs.pull<16 x 16 x f32>
      scf.yield %f : !obs.pull<16 x 16 x f32>
    }
    %q = obs.push %sum : !obs.pull<16 x 16 x f32> -> !obs.push<block, 16 x 16 x f32>
    obs.yield %q : !obs.push<block, 16 x 16 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 16 x 16 x f32> -> !obs.push<grid, ? x ? x f32>
  %r = obs.force %flat {kernel = "matmul", threads = 256 : i64} : !obs.push<grid, ? x ? x f32> -> !obs.pull<? x ? x f32>
  return %r : !obs.pull<? x ? x f32>
}
