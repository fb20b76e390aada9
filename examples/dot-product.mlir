// Dot product of two vectors of integers of any length, modulo 2^32. From: BLAS, level 1.
//
// The products are never stored: the map is fused with the reduction.
//
// GPU: a memset and one kernel. Each block adds a part of 4096 products or more in
// registers and shared memory. One atomic addition adds its sum to the result. The order
// of atomic additions has no effect on integers, but it has an effect on floats. So for
// floats, the last block to finish adds the sums of all blocks in order, unless the
// reduction is `commutative` and the addition has `fastmath<reassoc>`.
//
// Run: obs-run examples/dot-product.mlir iota:1000xi32 iota:1000xi32
//      obs-run examples/dot-product.mlir --device=emulate --report iota:100000xi32 iota:100000xi32

!i32s = !obs.pull<? x i32>

func.func @main(%a: !i32s, %b: !i32s) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %products = obs.map { arith.muli } %a, %b : !i32s
  %sum = obs.reduce grid { arith.addi } %products init %zero : !i32s
  %r = obs.force %sum {kernel = "dot_product"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}
