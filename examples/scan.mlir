// Prefix sums of chunks of 1000, like prefix-sum.mlir, by the collective. From: the Obsidian papers.
//
// GPU: one kernel. A block takes a chunk. Each warp scans 32 numbers, the last
// ones of which are scanned the same way and added to the warps behind them. The
// last chunk is padded with zeros, and the join drops what lies past the end.
//
// Run: obs-run examples/scan.mlir iota:10xi32
//      obs-run examples/scan.mlir --device=emulate --report iota:1000xi32

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [1000] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<1000 x i32>>
  %sums = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<1000 x i32>>) -> !obs.push<grid, ? x 1000 x i32> {
    %p = obs.scan inclusive (%x, %y) = %c init %zero : !obs.pull<1000 x i32> -> !obs.push<block, 1000 x i32> {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    obs.yield %p : !obs.push<block, 1000 x i32>
  }
  %flat = obs.join %sums to [%n] : !obs.push<grid, ? x 1000 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "scan", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
