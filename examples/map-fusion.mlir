// Map fusion: three maps compute r[i] = (a[i] + 1)^2 - a[i] in one loop. From: the Obsidian papers.
//
// `%succ` and `%square` are pull arrays, that is, functions from index to element. The program does
// not force them, so they are never in memory. The kernel loads a[i] once, computes in registers,
// and stores r[i].
//
// GPU: one kernel. Its iterations are distributed over the threads of the whole grid.
//
// Run: obs-run examples/map-fusion.mlir iota:10xi32
//      obs-run examples/map-fusion.mlir --device=emulate --report iota:10xi32

!i32s = !obs.pull<? x i32>

func.func @main(%a: !i32s) -> !i32s {
  %one = arith.constant 1 : i32
  %succ = obs.map (%x = %a : !i32s) {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %square = obs.map (%x = %succ : !i32s) {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %difference = obs.map { arith.subi } %square, %a : !i32s
  %r = obs.force %difference {kernel = "map_fusion"} : !i32s
  return %r : !i32s
}
