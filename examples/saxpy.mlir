// Saxpy: r[i] = k * x[i] + y[i], in f32. From: BLAS, level 1.
//
// Without `fastmath`, the product is rounded before the sum on every device. So
// results are equal to those of any other IEEE machine, bit for bit.
//
// GPU: one kernel. Its iterations are distributed over the threads of the whole grid.
//
// Run: obs-run examples/saxpy.mlir 2.0 iota:10xf32 iota:10xf32
//      obs-run examples/saxpy.mlir --device=emulate 2.0 random:1000xf32:1 random:1000xf32:2

!f32s = !obs.pull<? x f32>

func.func @main(%k: f32 {obs.name = "k"}, %x: !f32s {obs.name = "x"}, %y: !f32s {obs.name = "y"})
    -> (!f32s {obs.name = "r"}) {
  %s = obs.map (%a = %x, %b = %y : !f32s) {
    %p = arith.mulf %k, %a : f32
    %q = arith.addf %p, %b : f32
    obs.yield %q : f32
  }
  %r = obs.force %s {kernel = "saxpy"} : !f32s
  return %r : !f32s
}
