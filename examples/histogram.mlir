// Histogram of bytes: r[v] is the number of bytes with value v. From: the counting sort of the FHPC'13 paper.
//
// The index of a write depends on the data, and many iterations may write the same element. So the contract
// of the `fill` is `reduce(addi)`: writes to one element are added, in any order. An element that no
// iteration writes stays 0.
//
// GPU: a memset and one kernel. Many bytes are equal, and the result has 256 elements only. So the compiler
// gives each block a privatised copy of the result in shared memory. Each byte is one atomic addition to this
// copy. At the end, the block adds its copy to the result.
//
// Run: obs-run examples/histogram.mlir iota:1000xi8
//      obs-run examples/histogram.mlir --device=emulate --report LICENSE:i8
//      obs-run examples/histogram.mlir --device=emulate random:9000xi8:1

!i8s = !obs.pull<? x i8>

func.func @main(%bytes: !i8s) -> !obs.pull<256 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %bytes, 0 : !i8s
  %p = obs.fill init %zero reduce(addi) par (%t) in (%n) {
    %byte = obs.get %bytes[%t] : !i8s
    %v = arith.index_castui %byte : i8 to index
    obs.write %one at [%v] : i32
  } : !obs.push<grid, 256 x i32>
  %r = obs.force %p {kernel = "histogram"} : !obs.push<grid, 256 x i32>
  return %r : !obs.pull<256 x i32>
}
