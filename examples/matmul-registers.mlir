// Matrix product c = a b in f32 with register tiles: a tile of 64 x 64 elements of c is an
// array of 16 x 16 elements, each of which is a tuple of 4 x 4 numbers.
//
// From: the usual form of fast matrix products on GPUs (V. Volkov, J. Demmel, 2008). As in
// matmul.mlir, a loop over tiles of a and b forces the tiles and carries the sums. Here an
// element of the carried array is a tuple of 16 sums. Element (r, c) has the sums of rows r, r
// + 16, r + 32, r + 48 and of columns c, c + 16, c + 32, c + 48. For these sums, each step
// reads 4 numbers of a and 4 numbers of b from the tiles: half a read for each product, instead
// of two. The additions are in the same order as in matmul.mlir, so the bits are equal.
//
// GPU: one kernel. A block of 256 threads computes a tile of c. Each thread has one element, so
// it has 16 sums in registers. The tiles of a and b, of 64 x 16 and 16 x 64 elements, are in
// shared memory. Tiles at the edges are padded with zeros, and the join drops the elements
// outside of c.
//
// Run: obs-run examples/matmul-registers.mlir iota:2x3xf32 iota:3x2xf32
//      obs-run examples/matmul-registers.mlir --device=emulate --report random:50x40xf32:1 random:40x70xf32:2

!index_2d = !obs.pull<? x ? x index>
!matrix = !obs.pull<? x ? x f32>
!a_tile = !obs.pull<64 x 16 x f32>
!b_tile = !obs.pull<16 x 64 x f32>
!sums = !obs.pull<16 x 16 x f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32>

func.func @main(%a: !matrix, %b: !matrix) -> !matrix {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %b, 1 : !matrix
  %at = obs.split %a by [64, 16] pad %zero : !matrix
  %bt = obs.split %b by [16, 64] pad %zero : !matrix
  %rows = obs.dim %at, 0 : !obs.pull<? x ? x !a_tile>
  %columns = obs.dim %bt, 1 : !obs.pull<? x ? x !b_tile>
  %steps = obs.dim %at, 1 : !obs.pull<? x ? x !a_tile>
  %is = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i : index
  } : !index_2d
  %js = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %j : index
  } : !index_2d
  %tiles = obs.distribute block in grid (%i = %is, %j = %js : !index_2d) {
    %none = obs.splat %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero : !sums
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !sums {
      %u = obs.get %at[%i, %k] : !obs.pull<? x ? x !a_tile>
      %v = obs.get %bt[%k, %j] : !obs.pull<? x ? x !b_tile>
      %up = obs.push block %u : !a_tile
      %vp = obs.push block %v : !b_tile
      %x, %y = obs.force %up, %vp in shared : !obs.push<block, 64 x 16 x f32>, !obs.push<block, 16 x 64 x f32>
      %next = obs.generate (%r0, %q0) {
        %r1 = arith.addi %r0, %c16 : index
        %r2 = arith.addi %r0, %c32 : index
        %r3 = arith.addi %r0, %c48 : index
        %q1 = arith.addi %q0, %c16 : index
        %q2 = arith.addi %q0, %c32 : index
        %q3 = arith.addi %q0, %c48 : index
        %o00, %o01, %o02, %o03, %o10, %o11, %o12, %o13, %o20, %o21, %o22, %o23, %o30, %o31, %o32, %o33 = obs.get %acc[%r0, %q0] : !sums
        %new:16 = scf.for %t = %c0 to %c16 step %c1
            iter_args(%s00 = %o00, %s01 = %o01, %s02 = %o02, %s03 = %o03,
                      %s10 = %o10, %s11 = %o11, %s12 = %o12, %s13 = %o13,
                      %s20 = %o20, %s21 = %o21, %s22 = %o22, %s23 = %o23,
                      %s30 = %o30, %s31 = %o31, %s32 = %o32, %s33 = %o33)
            -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
          %a0 = obs.get %x[%r0, %t] : !a_tile
          %a1 = obs.get %x[%r1, %t] : !a_tile
          %a2 = obs.get %x[%r2, %t] : !a_tile
          %a3 = obs.get %x[%r3, %t] : !a_tile
          %b0 = obs.get %y[%t, %q0] : !b_tile
          %b1 = obs.get %y[%t, %q1] : !b_tile
          %b2 = obs.get %y[%t, %q2] : !b_tile
          %b3 = obs.get %y[%t, %q3] : !b_tile
          %p00 = arith.mulf %a0, %b0 : f32
          %n00 = arith.addf %s00, %p00 : f32
          %p01 = arith.mulf %a0, %b1 : f32
          %n01 = arith.addf %s01, %p01 : f32
          %p02 = arith.mulf %a0, %b2 : f32
          %n02 = arith.addf %s02, %p02 : f32
          %p03 = arith.mulf %a0, %b3 : f32
          %n03 = arith.addf %s03, %p03 : f32
          %p10 = arith.mulf %a1, %b0 : f32
          %n10 = arith.addf %s10, %p10 : f32
          %p11 = arith.mulf %a1, %b1 : f32
          %n11 = arith.addf %s11, %p11 : f32
          %p12 = arith.mulf %a1, %b2 : f32
          %n12 = arith.addf %s12, %p12 : f32
          %p13 = arith.mulf %a1, %b3 : f32
          %n13 = arith.addf %s13, %p13 : f32
          %p20 = arith.mulf %a2, %b0 : f32
          %n20 = arith.addf %s20, %p20 : f32
          %p21 = arith.mulf %a2, %b1 : f32
          %n21 = arith.addf %s21, %p21 : f32
          %p22 = arith.mulf %a2, %b2 : f32
          %n22 = arith.addf %s22, %p22 : f32
          %p23 = arith.mulf %a2, %b3 : f32
          %n23 = arith.addf %s23, %p23 : f32
          %p30 = arith.mulf %a3, %b0 : f32
          %n30 = arith.addf %s30, %p30 : f32
          %p31 = arith.mulf %a3, %b1 : f32
          %n31 = arith.addf %s31, %p31 : f32
          %p32 = arith.mulf %a3, %b2 : f32
          %n32 = arith.addf %s32, %p32 : f32
          %p33 = arith.mulf %a3, %b3 : f32
          %n33 = arith.addf %s33, %p33 : f32
          scf.yield %n00, %n01, %n02, %n03, %n10, %n11, %n12, %n13, %n20, %n21, %n22, %n23, %n30, %n31, %n32, %n33
              : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
        }
        obs.yield %new#0, %new#1, %new#2, %new#3, %new#4, %new#5, %new#6, %new#7, %new#8, %new#9, %new#10, %new#11, %new#12, %new#13, %new#14, %new#15
          : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      } : !sums
      %f = obs.force %next : !sums
      scf.yield %f : !sums
    }
    %q = obs.fill par (%r0, %q0) in (%c16, %c16) {
      %r1 = arith.addi %r0, %c16 : index
      %r2 = arith.addi %r0, %c32 : index
      %r3 = arith.addi %r0, %c48 : index
      %q1 = arith.addi %q0, %c16 : index
      %q2 = arith.addi %q0, %c32 : index
      %q3 = arith.addi %q0, %c48 : index
      %o00, %o01, %o02, %o03, %o10, %o11, %o12, %o13, %o20, %o21, %o22, %o23, %o30, %o31, %o32, %o33 = obs.get %sum[%r0, %q0] : !sums
      obs.write %o00 at [%r0, %q0] : f32
      obs.write %o01 at [%r0, %q1] : f32
      obs.write %o02 at [%r0, %q2] : f32
      obs.write %o03 at [%r0, %q3] : f32
      obs.write %o10 at [%r1, %q0] : f32
      obs.write %o11 at [%r1, %q1] : f32
      obs.write %o12 at [%r1, %q2] : f32
      obs.write %o13 at [%r1, %q3] : f32
      obs.write %o20 at [%r2, %q0] : f32
      obs.write %o21 at [%r2, %q1] : f32
      obs.write %o22 at [%r2, %q2] : f32
      obs.write %o23 at [%r2, %q3] : f32
      obs.write %o30 at [%r3, %q0] : f32
      obs.write %o31 at [%r3, %q1] : f32
      obs.write %o32 at [%r3, %q2] : f32
      obs.write %o33 at [%r3, %q3] : f32
    } : !obs.push<block, 64 x 64 x f32>
    obs.yield %q : !obs.push<block, 64 x 64 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 64 x 64 x f32>
  %r = obs.force %flat {kernel = "matmul_registers", threads = 256} : !obs.push<grid, ? x ? x f32>
  return %r : !matrix
}
