// Sums of chunks of 512, like sum-chunks.mlir, by the collective. The compiler selects the strategy
// that combines the 512 numbers, unless the attribute `strategy` does. From: the Obsidian papers.
//
// GPU: one kernel. Each block processes one chunk. A warp adds 128 of its numbers: a lane adds four
// of them, and five stages add the sums of the lanes, without a barrier of the block. Then all
// threads add the four sums. The last chunk is padded with zeros.
//
// Run: obs-run examples/reduce.mlir iota:1025xi32
//      obs-run examples/reduce.mlir --device=emulate --report iota:1025xi32

!i32s = !obs.pull<? x i32>

func.func @main(%a: !i32s) -> !i32s {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !i32s
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) {
    %s = obs.reduce { arith.addi } %c init %zero {commutative} : !obs.pull<512 x i32>
    %one = obs.splat %s : !obs.pull<1 x i32>
    %p = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat {kernel = "sum_chunks", threads = 128} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
