// Radix sort as in radix-sort.mlir, of unsigned keys of 64 bits. From: the source that
// radix-sort.mlir names.
//
// GPU: two kernels, which count and scan, and one for each of the eight passes.
//
// Run: obs-run examples/radix-sort-64.mlir random:10xi64:1
//      obs-run examples/radix-sort-64.mlir --device=emulate --report random:1500xi64:1

!longs = !obs.pull<? x i64>
!row = !obs.pull<256 x i32>
!begins = !obs.pull<8 x 256 x i32>
!rows = !obs.pull<8 x !row>

// The digit of %key in a pass.
func.func private @digit(%key: i64, %pass: index) -> i64 attributes {obs.level = #obs.level<thread>} {
  %c8 = arith.constant 8 : index
  %mask = arith.constant 255 : i64
  %bit = arith.muli %pass, %c8 : index
  %shift = arith.index_cast %bit : index to i64
  %shifted = arith.shrui %key, %shift : i64
  %digit = arith.andi %shifted, %mask : i64
  return %digit : i64
}

// For each pass and digit, the index of the result at which its keys begin.
func.func private @begins(%keys: !longs) -> !begins {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %passes = arith.constant 8 : index
  %n = obs.dim %keys, 0 : !longs
  %p = obs.fill init %zero reduce(addi) par (%i) in (%n) {
    %key = obs.get %keys[%i] : !longs
    scf.for %pass = %c0 to %passes step %c1 {
      %digit = func.call @digit(%key, %pass) : (i64, index) -> i64
      %d = arith.index_castui %digit : i64 to index
      %row = arith.muli %pass, %c256 : index
      %at = arith.addi %row, %d : index
      obs.write %one at [%at] : i32
    }
  } : !obs.push<grid, 2048 x i32>
  %flat = obs.force %p {kernel = "count", threads = 256} : !obs.push<grid, 2048 x i32>
  %counts = obs.reshape %flat : !obs.pull<2048 x i32> -> !begins
  %rows = obs.nest %counts dims 1 : !begins
  %sums = obs.distribute block in grid (%row = %rows : !rows) {
    %sum = obs.scan block exclusive { arith.addi } %row init %zero : !row
    obs.yield %sum : !obs.push<block, 256 x i32>
  }
  %begins = obs.force %sums {kernel = "scan", threads = 256} : !obs.push<grid, 8 x 256 x i32>
  return %begins : !begins
}

func.func @u64(%keys: !longs) -> !longs {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %passes = arith.constant 8 : index
  %begins = func.call @begins(%keys) : (!longs) -> !begins
  %all = obs.nest %begins dims 1 : !begins
  %r = scf.for %pass = %c0 to %passes step %c1 iter_args(%a = %keys) -> !longs {
    %own = obs.get %all[%pass] : !rows
    %p = obs.partition (%key) = %a from %own : !longs, !row -> !obs.push<grid, ? x i64> {
      %digit = func.call @digit(%key, %pass) : (i64, index) -> i64
      obs.yield %digit : i64
    }
    %next = obs.force %p {kernel = "partition", threads = 256} : !obs.push<grid, ? x i64>
    scf.yield %next : !longs
  }
  return %r : !longs
}
