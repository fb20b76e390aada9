// Prefix sums of chunks of 256: r[i] is the sum of the elements of the chunk up to element i. From: P.
// Kogge, H. Stone, 1973: eight stages, in each of which an element adds the element at distance 2^k to
// its left.
//
// GPU: one kernel. Each block processes one chunk. The loop carries the array, in two slots of shared
// memory that are used alternately. The last chunk is padded with zeros, and the join drops the padding.
//
// Run: obs-run examples/prefix-sum.mlir iota:10xi32
//      obs-run examples/prefix-sum.mlir --device=emulate --report iota:1000xi32

!i32x256 = !obs.pull<256 x i32>
!i32s = !obs.pull<? x i32>

func.func @main(%a: !i32s) -> !i32s {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !i32s
  %chunks = obs.split %a by [256] pad %zero : !i32s
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !i32x256>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %last = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !i32x256 {
      %distance = arith.shli %c1, %k : index
      %round = obs.generate (%i) {
        %mine = obs.get %x[%i] : !i32x256
        %has_left = arith.cmpi uge, %i, %distance : index
        %r = scf.if %has_left -> i32 {
          %j = arith.subi %i, %distance : index
          %left = obs.get %x[%j] : !i32x256
          %s = arith.addi %left, %mine : i32
          scf.yield %s : i32
        } else {
          scf.yield %mine : i32
        }
        obs.yield %r : i32
      } : !i32x256
      %f = obs.force %round : !i32x256
      scf.yield %f : !i32x256
    }
    %q = obs.push block %last : !i32x256
    obs.yield %q : !obs.push<block, 256 x i32>
  }
  %flat = obs.join %sums to [%n] : !obs.push<grid, ? x 256 x i32>
  %r = obs.force %flat {kernel = "prefix_sum"} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
