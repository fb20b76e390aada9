// Sums of chunks of 512, each by a tree: 512 numbers, 256 sums, 128, ..., 1. From: the Obsidian papers.
//
// Each stage adds the upper half of an array to its lower half and forces the result, so the next stage
// reads it from memory. An array that is not forced is fused: the first stage reads directly from the
// input. The arrays become shorter from stage to stage, so their extent is `?`, and `bound` determines
// the size of the memory.
//
// GPU: one kernel. Each block processes one chunk. A stage is a loop over the threads of the block. The
// arrays of the stages are in shared memory, with barriers between stages. The last chunk is padded
// with zeros.
//
// Run: obs-run examples/sum-chunks-loop.mlir iota:1025xi32
//      obs-run examples/sum-chunks-loop.mlir --device=emulate --report iota:1025xi32

!i32s = !obs.pull<? x i32>
!halves = !obs.pull<? x i32 bound [256]>

func.func @main(%a: !i32s) -> !i32s {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %stages = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !i32s
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) {
    %c256 = arith.constant 256 : index
    %lo = obs.slice %c [0] [%c256] [1] : !obs.pull<512 x i32> -> !halves
    %hi = obs.slice %c [256] [%c256] [1] : !obs.pull<512 x i32> -> !halves
    %sum = obs.map { arith.addi } %lo, %hi : !halves
    %s256 = obs.force %sum : !halves
    %s1 = scf.for %i = %c0 to %stages step %c1 iter_args(%s = %s256) -> !halves {
      %half = arith.shrui %c128, %i : index
      %slo = obs.take %s [%half] : !halves
      %shi = obs.slice %s [%half] [%half] [1] : !halves
      %ssum = obs.map { arith.addi } %slo, %shi : !halves
      %f = obs.force %ssum : !halves
      scf.yield %f : !halves
    }
    %one = obs.take %s1 [1] : !halves
    %q = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat {kernel = "sum_chunks", threads = 128} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
