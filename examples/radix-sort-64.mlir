// Radix sort as in radix-sort.mlir, of unsigned keys of 64 bits (@u64), and of pairs of a
// key of 32 bits and a value (@pairs). The sort is stable: pairs with equal keys keep
// their order. From: the source that radix-sort.mlir names.
//
// GPU: two kernels, which count and scan, and one for each pass. @u64 has eight passes,
// and @pairs has four.
//
// Run: obs-run examples/radix-sort-64.mlir --entry=u64 random:1500xi64:1
//      obs-run examples/radix-sort-64.mlir --entry=pairs --device=emulate --report random:1500xi32:1 iota:1500xi32

!ints = !obs.pull<? x i32>
!longs = !obs.pull<? x i64>
!pairs = !obs.pull<? x i32, i32>
!row = !obs.pull<256 x i32>
!begins4 = !obs.pull<4 x 256 x i32>
!rows4 = !obs.pull<4 x !row>
!begins8 = !obs.pull<8 x 256 x i32>
!rows8 = !obs.pull<8 x !row>

// The digit of %key from bit %shift on.
func.func private @digit_64(%key: i64, %shift: i64) -> i64 attributes {obs.level = #obs.level<thread>} {
  %mask = arith.constant 255 : i64
  %shifted = arith.shrui %key, %shift : i64
  %digit = arith.andi %shifted, %mask : i64
  return %digit : i64
}

func.func private @digit_32(%key: i32, %shift: i32) -> i32 attributes {obs.level = #obs.level<thread>} {
  %mask = arith.constant 255 : i32
  %shifted = arith.shrui %key, %shift : i32
  %digit = arith.andi %shifted, %mask : i32
  return %digit : i32
}

// For each pass and digit, the index of the result at which its keys begin.
func.func private @begins_64(%keys: !longs) -> !begins8 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %passes = arith.constant 8 : index
  %n = obs.dim %keys, 0 : !longs
  %p = obs.fill init %zero reduce(addi) par (%i) in (%n) {
    %key = obs.get %keys[%i] : !longs
    scf.for %pass = %c0 to %passes step %c1 {
      %bit = arith.muli %pass, %c8 : index
      %shift = arith.index_cast %bit : index to i64
      %digit = func.call @digit_64(%key, %shift) : (i64, i64) -> i64
      %d = arith.index_castui %digit : i64 to index
      %row = arith.muli %pass, %c256 : index
      %at = arith.addi %row, %d : index
      obs.write %one at [%at] : i32
    }
  } : !obs.push<grid, 2048 x i32>
  %flat = obs.force %p {kernel = "count", threads = 256} : !obs.push<grid, 2048 x i32>
  %counts = obs.reshape %flat : !obs.pull<2048 x i32> -> !begins8
  %rows = obs.nest %counts dims 1 : !begins8
  %sums = obs.distribute block in grid (%row = %rows : !rows8) {
    %sum = obs.scan block exclusive { arith.addi } %row init %zero : !row
    obs.yield %sum : !obs.push<block, 256 x i32>
  }
  %begins = obs.force %sums {kernel = "scan", threads = 256} : !obs.push<grid, 8 x 256 x i32>
  return %begins : !begins8
}

func.func private @begins_32(%keys: !ints) -> !begins4 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %passes = arith.constant 4 : index
  %n = obs.dim %keys, 0 : !ints
  %p = obs.fill init %zero reduce(addi) par (%i) in (%n) {
    %key = obs.get %keys[%i] : !ints
    scf.for %pass = %c0 to %passes step %c1 {
      %bit = arith.muli %pass, %c8 : index
      %shift = arith.index_cast %bit : index to i32
      %digit = func.call @digit_32(%key, %shift) : (i32, i32) -> i32
      %d = arith.index_castui %digit : i32 to index
      %row = arith.muli %pass, %c256 : index
      %at = arith.addi %row, %d : index
      obs.write %one at [%at] : i32
    }
  } : !obs.push<grid, 1024 x i32>
  %flat = obs.force %p {kernel = "count", threads = 256} : !obs.push<grid, 1024 x i32>
  %counts = obs.reshape %flat : !obs.pull<1024 x i32> -> !begins4
  %rows = obs.nest %counts dims 1 : !begins4
  %sums = obs.distribute block in grid (%row = %rows : !rows4) {
    %sum = obs.scan block exclusive { arith.addi } %row init %zero : !row
    obs.yield %sum : !obs.push<block, 256 x i32>
  }
  %begins = obs.force %sums {kernel = "scan", threads = 256} : !obs.push<grid, 4 x 256 x i32>
  return %begins : !begins4
}

func.func @u64(%keys: !longs) -> !longs {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %passes = arith.constant 8 : index
  %begins = func.call @begins_64(%keys) : (!longs) -> !begins8
  %all = obs.nest %begins dims 1 : !begins8
  %r = scf.for %pass = %c0 to %passes step %c1 iter_args(%a = %keys) -> !longs {
    %own = obs.get %all[%pass] : !rows8
    %bit = arith.muli %pass, %c8 : index
    %shift = arith.index_cast %bit : index to i64
    %p = obs.partition (%key) = %a from %own : !longs, !row -> !obs.push<grid, ? x i64> {
      %digit = func.call @digit_64(%key, %shift) : (i64, i64) -> i64
      obs.yield %digit : i64
    }
    %next = obs.force %p {kernel = "partition", threads = 256} : !obs.push<grid, ? x i64>
    scf.yield %next : !longs
  }
  return %r : !longs
}

func.func @pairs(%keys: !ints, %values: !ints) -> !pairs {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %passes = arith.constant 4 : index
  %begins = func.call @begins_32(%keys) : (!ints) -> !begins4
  %both = obs.zip %keys, %values : !ints
  %all = obs.nest %begins dims 1 : !begins4
  %r = scf.for %pass = %c0 to %passes step %c1 iter_args(%a = %both) -> !pairs {
    %own = obs.get %all[%pass] : !rows4
    %bit = arith.muli %pass, %c8 : index
    %shift = arith.index_cast %bit : index to i32
    %p = obs.partition (%key, %value) = %a from %own : !pairs, !row -> !obs.push<grid, ? x i32, i32> {
      %digit = func.call @digit_32(%key, %shift) : (i32, i32) -> i32
      obs.yield %digit : i32
    }
    %next = obs.force %p {kernel = "partition", threads = 256} : !obs.push<grid, ? x i32, i32>
    scf.yield %next : !pairs
  }
  return %r : !pairs
}
