// Map fusion: r[i] = (a[i] + 1)^2 - a[i], from three arrays that do not exist. From: the Obsidian papers.
//
// `%succ` and `%square` are pull arrays, that is, functions from index to
// element. Nothing forces them, so they are never in memory: the kernel loads
// a[i] once, computes in registers, and stores r[i].
//
// GPU: one kernel; its elements go over the threads of the whole grid.
//
// Run: obs-run examples/map-fusion.mlir iota:10xi32
//      obs-run examples/map-fusion.mlir --device=emulate --report iota:10xi32

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %one = arith.constant 1 : i32
  %succ = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %square = obs.map (%x = %succ : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %difference = obs.map (%x = %square : !obs.pull<? x i32>, %y = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %z = arith.subi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %difference : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "map_fusion"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
