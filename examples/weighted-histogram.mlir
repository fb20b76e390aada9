// Weighted histogram: r[v] is the sum of the weights of the elements with key v, for
// any number of bins. Elements with a key outside of the bins are ignored.
//
// From: the histograms of the Obsidian slides and of Accelerate (permute). The index
// of a write depends on the data, so the contract is `reduce(addi)`: writes to one
// bin are added, in any order. @direct writes to the result, because its strategy says
// so: without it, the host would choose a kernel with copies. @blocks has at most 1024
// bins. There, each part of 4096 elements first fills a histogram of its own, and
// then adds its bins to the result.
//
// `obs.scatter` does the same in one operation. Its strategy determines the number of
// privatised copies of the bins: @per_thread, @per_warp and @per_block, for a fixed
// number of bins. @bits computes the number of bits of each sum: a map of the final
// sums. The last part of the kernel to finish a bin applies the map to this bin.
//
// GPU: a memset and one kernel. In @direct, each element is one atomic addition in
// global memory. In @blocks, each element is one in shared memory, and each bin of
// each part is one in global memory.
//
// Run: obs-run examples/weighted-histogram.mlir --entry=direct iota:10xi32 iota:10xi32 4
//      obs-run examples/weighted-histogram.mlir --entry=blocks --device=emulate --report iota:10000xi32 iota:10000xi32 100
//      obs-run examples/weighted-histogram.mlir --entry=per_thread --device=emulate --report zeros:10000xi32 iota:10000xi32
//      obs-run examples/weighted-histogram.mlir --entry=per_warp --device=emulate --report zeros:10000xi32 iota:10000xi32
//      obs-run examples/weighted-histogram.mlir --entry=per_block --device=emulate --report zeros:10000xi32 iota:10000xi32
//      obs-run examples/weighted-histogram.mlir --entry=bits --device=emulate --report zeros:10000xi32 iota:10000xi32

!i32s = !obs.pull<? x i32>
!bins = !obs.push<grid, 128 x i32>
!i32x128 = !obs.pull<128 x i32>
!grid_i32s = !obs.push<grid, ? x i32>

func.func @direct(%keys: !i32s, %weights: !i32s, %bins: index) -> !i32s {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) [%bins] {strategy = "atomic"} : !i32s, !i32s -> !grid_i32s
  %r = obs.force %p {kernel = "histogram_direct", threads = 256} : !grid_i32s
  return %r : !i32s
}

func.func @blocks(%keys: !i32s, %weights: !i32s, %bins: index) -> !i32s {
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0 : i32
  %few = arith.cmpi ule, %bins, %c1024 : index
  obs.assert %few, "there are at most 1024 bins"
  %n = obs.dim %keys, 0 : !i32s
  %parts = arith.ceildivui %n, %c4096 : index
  %p = obs.fill init %zero reduce(addi) [%bins] {
    obs.par block (%b) in (%parts) {
      %first = arith.muli %b, %c4096 : index
      %rest = arith.subi %n, %first : index
      %count = arith.minui %rest, %c4096 : index
      %q = obs.fill init %zero reduce(addi) [%bins] par (%t) in (%count) {
        %i = arith.addi %first, %t : index
        %key = obs.get %keys[%i] : !i32s
        %v = arith.index_castui %key : i32 to index
        %is_bin = arith.cmpi ult, %v, %bins : index
        scf.if %is_bin {
          %weight = obs.get %weights[%i] : !i32s
          obs.write %weight at [%v] : i32
        }
      } : !obs.push<block, ? x i32 bound [1024]>
      %own = obs.force %q in shared : !obs.push<block, ? x i32 bound [1024]>
      obs.par (%v) in (%bins) {
        %sum = obs.get %own[%v] : !obs.pull<? x i32 bound [1024]>
        obs.write %sum at [%v] : i32
      }
    }
  } : !grid_i32s
  %r = obs.force %p {kernel = "histogram_blocks", threads = 256} : !grid_i32s
  return %r : !i32s
}

func.func @per_thread(%keys: !i32s, %weights: !i32s) -> !obs.pull<16 x i32> {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) {strategy = "per_thread"} : !i32s, !i32s -> !obs.push<grid, 16 x i32>
  %r = obs.force %p {kernel = "histogram_per_thread", threads = 256} : !obs.push<grid, 16 x i32>
  return %r : !obs.pull<16 x i32>
}

func.func @per_warp(%keys: !i32s, %weights: !i32s) -> !i32x128 {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) {strategy = "per_warp"} : !i32s, !i32s -> !bins
  %r = obs.force %p {kernel = "histogram_per_warp", threads = 256} : !bins
  return %r : !i32x128
}

func.func @per_block(%keys: !i32s, %weights: !i32s) -> !i32x128 {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) {strategy = "per_block"} : !i32s, !i32s -> !bins
  %r = obs.force %p {kernel = "histogram_per_block", threads = 256} : !bins
  return %r : !i32x128
}

func.func @bits(%keys: !i32s, %weights: !i32s) -> !i32x128 {
  %zero = arith.constant 0 : i32
  %width = arith.constant 32 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) : !i32s, !i32s -> !bins
  %q = obs.map (%sum = %p : !bins) {
    %leading = math.ctlz %sum : i32
    %bits = arith.subi %width, %leading : i32
    obs.yield %bits : i32
  }
  %r = obs.force %q {kernel = "histogram_bits", threads = 256} : !bins
  return %r : !i32x128
}
