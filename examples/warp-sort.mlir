// Sorts each chunk of 32 numbers by one warp: a bitonic sorting network at level warp.
// From: K. Batcher, Sorting networks and their applications, 1968.
//
// Stage i merges sorted runs of 2^i numbers: a vee column (element t and its mirror image),
// then columns at distances 2^(i-1), ..., 1. Each sub-program runs on one warp. The warps are
// numbered over the whole grid, and the launch determines how many of them are in a block.
//
// GPU: one kernel. An array that a warp forces belongs to this warp, so no barrier of the
// block stands between the columns. The last chunk is padded with the largest number, and the
// join drops the padding.
//
// Run: obs-run examples/warp-sort.mlir random:40xi32:1
//      obs-run examples/warp-sort.mlir --device=emulate --report random:1000xi32:1

!i32x32 = !obs.pull<32 x i32>
!i32s = !obs.pull<? x i32>
!warp_i32x32 = !obs.push<warp, 32 x i32>

func.func @main(%a: !i32s) -> !i32s {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %largest = arith.constant 0x7fffffff : i32
  %n = obs.dim %a, 0 : !i32s
  %chunks = obs.split %a by [32] pad %largest : !i32s
  %sorted = obs.distribute warp in grid (%c = %chunks : !obs.pull<? x !i32x32>) {
    %s = scf.for %stage = %c0 to %c5 step %c1 iter_args(%x = %c) -> !i32x32 {
      %vee = obs.fill par (%t) in (%c16) {
        %i = obs.bit.insert_zero %t, %stage : index
        %j = obs.bit.flip_low %i, %stage : index
        %u = obs.get %x[%i] : !i32x32
        %v = obs.get %x[%j] : !i32x32
        %min = arith.minsi %u, %v : i32
        %max = arith.maxsi %u, %v : i32
        obs.write %min at [%i] : i32
        obs.write %max at [%j] : i32
      } : !warp_i32x32
      %first = obs.force %vee : !warp_i32x32
      %merged = scf.for %k = %c0 to %stage step %c1 iter_args(%y = %first) -> !i32x32 {
        %last = arith.subi %stage, %c1 : index
        %bit = arith.subi %last, %k : index
        %column = obs.fill par (%t) in (%c16) {
          %i = obs.bit.insert_zero %t, %bit : index
          %j = obs.bit.flip %i, %bit : index
          %u = obs.get %y[%i] : !i32x32
          %v = obs.get %y[%j] : !i32x32
          %min = arith.minsi %u, %v : i32
          %max = arith.maxsi %u, %v : i32
          obs.write %min at [%i] : i32
          obs.write %max at [%j] : i32
        } : !warp_i32x32
        %next = obs.force %column : !warp_i32x32
        scf.yield %next : !i32x32
      }
      scf.yield %merged : !i32x32
    }
    %p = obs.push warp %s : !i32x32
    obs.yield %p : !warp_i32x32
  }
  %flat = obs.join %sorted to [%n] : !obs.push<grid, ? x 32 x i32>
  %r = obs.force %flat {kernel = "warp_sort", threads = 128} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
