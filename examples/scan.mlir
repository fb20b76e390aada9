// Prefix sums of chunks of 1000, like prefix-sum.mlir, by the collective. From: the Obsidian papers.
//
// GPU: one kernel. Each block processes one chunk, in registers. A warp scans groups of 32 numbers
// with shuffles, and adds the totals of the groups before them, which are in shared memory. The last
// chunk is padded with zeros, and the join drops the padding.
//
// Run: obs-run examples/scan.mlir iota:10xi32
//      obs-run examples/scan.mlir --device=emulate --report iota:1000xi32

!i32s = !obs.pull<? x i32>

func.func @main(%a: !i32s) -> !i32s {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !i32s
  %chunks = obs.split %a by [1000] pad %zero : !i32s
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<1000 x i32>>) {
    %p = obs.scan block inclusive { arith.addi } %c init %zero : !obs.pull<1000 x i32>
    obs.yield %p : !obs.push<block, 1000 x i32>
  }
  %flat = obs.join %sums to [%n] : !obs.push<grid, ? x 1000 x i32>
  %r = obs.force %flat {kernel = "scan"} : !obs.push<grid, ? x i32>
  return %r : !i32s
}
