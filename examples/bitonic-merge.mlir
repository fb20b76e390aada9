// Bitonic merge. In each chunk of 512 numbers, two sorted runs of 256 numbers become one sorted
// run of 512 numbers. From: K. Batcher, Sorting networks and their applications, 1968.
//
// There are nine columns of 256 comparators. The first column (a vee) compares element t with
// its mirror image, element t ^ 511. The other columns compare elements at distances 128, 64,
// ..., 1. A comparator reads two elements and writes two elements, so a column is a `fill`. No
// two iterations write the same element. This follows from `insert_zero` and the flips, for any
// bit, so nothing is checked at run time.
//
// GPU: one kernel. Each block processes one chunk, and each thread executes one comparator of a
// column. The array between two columns is in shared memory, in two slots that are used
// alternately. The last chunk is padded with the largest number, and the join drops the padding.
//
// Run: obs-run examples/bitonic-merge.mlir iota:512xi32
//      obs-run examples/bitonic-merge.mlir --device=emulate --report iota:512xi32

!chunk = !obs.pull<512 x i32>
!i32s = !obs.pull<? x i32>
!column = !obs.push<block, 512 x i32>

func.func @main(%a: !i32s) -> !i32s {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %largest = arith.constant 0x7fffffff : i32
  %n = obs.dim %a, 0 : !i32s
  %chunks = obs.split %a by [512] pad %largest : !i32s
  %merged = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !chunk>) {
    %vee = obs.fill par (%t) in (%c256) {
      %i = obs.bit.insert_zero %t, %c8 : index
      %j = obs.bit.flip_low %i, %c8 : index
      %x = obs.get %c[%i] : !chunk
      %y = obs.get %c[%j] : !chunk
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      obs.write %min at [%i] : i32
      obs.write %max at [%j] : i32
    } : !column
    %first = obs.force %vee : !column
    %sorted = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %first) -> !chunk {
      %bit = arith.subi %c7, %k : index
      %column = obs.fill par (%t) in (%c256) {
        %i = obs.bit.insert_zero %t, %bit : index
        %j = obs.bit.flip %i, %bit : index
        %x = obs.get %s[%i] : !chunk
        %y = obs.get %s[%j] : !chunk
        %min = arith.minsi %x, %y : i32
        %max = arith.maxsi %x, %y : i32
        obs.write %min at [%i] : i32
        obs.write %max at [%j] : i32
      } : !column
      %f = obs.force %column : !column
      scf.yield %f : !chunk
    }
    %p = obs.push block %sorted : !chunk
    obs.yield %p : !column
  }
  %flat = obs.join %merged to [%n] : !obs.push<grid, ? x 512 x i32>
  %r = obs.force %flat {kernel = "bitonic_merge"} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
