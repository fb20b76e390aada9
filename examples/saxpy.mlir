// Saxpy: r[i] = k * x[i] + y[i], in f32. From: BLAS, level 1.
//
// Without `fastmath` the product is rounded before the sum, on every device,
// so that results agree bit for bit with any other IEEE machine.
//
// GPU: one kernel; its elements go over the threads of the whole grid.
//
// Run: obs-run examples/saxpy.mlir 2.0 iota:10xf32 iota:10xf32
//      obs-run examples/saxpy.mlir --device=emulate 2.0 random:1000xf32:1 random:1000xf32:2

func.func @main(%k: f32 {obs.name = "k"}, %x: !obs.pull<? x f32> {obs.name = "x"}, %y: !obs.pull<? x f32> {obs.name = "y"})
    -> (!obs.pull<? x f32> {obs.name = "r"}) {
  %s = obs.map (%a = %x : !obs.pull<? x f32>, %b = %y : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %p = arith.mulf %k, %a : f32
    %q = arith.addf %p, %b : f32
    obs.yield %q : f32
  }
  %p = obs.push %s : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %r = obs.force %p {kernel = "saxpy", threads = 256 : i64} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %r : !obs.pull<? x f32>
}
