// Matrix product c = a b in f32, computed directly. An element of c is the
// sum of products along a row of a and a column of b, one after the other.
//
// From: the textbook. matmul.mlir computes the same bits from tiles in
// shared memory, and matmul-registers.mlir from tiles in registers.
//
// GPU: one kernel. Each thread computes one element. It reads each operand
// from global memory for each use.
//
// Run: obs-run examples/matmul-naive.mlir iota:2x3xf32 iota:3x2xf32
//      obs-run examples/matmul-naive.mlir --device=emulate --report random:20x30xf32:1 random:30x10xf32:2

!matrix = !obs.pull<? x ? x f32>

func.func @main(%a: !matrix, %b: !matrix) -> !matrix {
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !matrix
  %k = obs.dim %a, 1 : !matrix
  %w = obs.dim %b, 1 : !matrix
  %c = obs.generate (%i, %j) [%h, %w] {
    %products = obs.generate (%t) [%k] {
      %x = obs.get %a[%i, %t] : !matrix
      %y = obs.get %b[%t, %j] : !matrix
      %p = arith.mulf %x, %y : f32
      obs.yield %p : f32
    } : !obs.pull<? x f32>
    %sum = obs.reduce { arith.addf } %products init %zero : !obs.pull<? x f32>
    obs.yield %sum : f32
  } : !matrix
  %r = obs.force %c {kernel = "matmul_naive"} : !matrix
  return %r : !matrix
}
