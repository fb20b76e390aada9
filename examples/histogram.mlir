// Histogram of bytes: r[v] is how often v occurs. From: the counting sort of the FHPC'13 paper.
//
// Where an iteration writes depends on the data, and many may write the same
// element, so the contract of the `fill` is `reduce(addi)`: writes to one element
// are added up, whatever their order. Elements that nobody writes keep 0.
//
// GPU: a memset and one kernel. Many bytes are equal, and 256 numbers are few, so the
// compiler gives each block a copy of them in shared memory. A byte is an atomic addition
// there; what a block has found is added to the result once.
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
