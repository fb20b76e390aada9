// Radix sort, least significant digit first, with 8 bits in each pass. The keys have 32
// bits: unsigned numbers (@u32), signed numbers (@i32), floats (@f32), or unsigned numbers
// with values (@pairs). radix-sort-64.mlir has keys of 64 bits.
//
// Floats are in the order of IEEE 754-2008 (totalOrder): -NaN, -infinity, ..., -0, +0,
// ..., +infinity, NaN.
//
// From: the usual radix sort of GPUs (N. Satish, M. Harris, M. Garland, 2009). A fill
// counts the digits of all passes. A scan of the counts of a pass is the index at which
// the keys with each digit begin. Then `obs.partition` moves the keys to the ranges of
// their digits. Equal digits keep their order.
//
// Maps at both ends change the order of signed numbers and floats to that of unsigned
// numbers. They flip the sign bit, or all bits of a negative float.
//
// GPU: two kernels, which count and scan, and one kernel for each pass. A block of it
// counts the digits of a tile, publishes the counts, sorts the tile in shared memory, and
// looks back for each digit at the tiles before. It reads and writes each key once.
//
// Run: obs-run examples/radix-sort.mlir --entry=u32 random:10xi32:1
//      obs-run examples/radix-sort.mlir --entry=i32 --device=emulate random:5000xi32:1
//      obs-run examples/radix-sort.mlir --entry=f32 --device=emulate --report random:5000xf32:1
//      obs-run examples/radix-sort.mlir --entry=pairs --device=emulate random:1500xi32:1 iota:1500xi32

!ints = !obs.pull<? x i32>
!f32s = !obs.pull<? x f32>
!pairs = !obs.pull<? x i32, i32>
!row = !obs.pull<256 x i32>
!begins = !obs.pull<4 x 256 x i32>
!rows = !obs.pull<4 x !row>

// The digit of %key in a pass.
func.func private @digit(%key: i32, %pass: index) -> i32 attributes {obs.level = #obs.level<thread>} {
  %c8 = arith.constant 8 : index
  %mask = arith.constant 255 : i32
  %bit = arith.muli %pass, %c8 : index
  %shift = arith.index_cast %bit : index to i32
  %shifted = arith.shrui %key, %shift : i32
  %digit = arith.andi %shifted, %mask : i32
  return %digit : i32
}

// For each pass and digit, the index of the result at which its keys begin.
func.func private @begins(%keys: !ints) -> !begins {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %passes = arith.constant 4 : index
  %n = obs.dim %keys, 0 : !ints
  %p = obs.fill init %zero reduce(addi) par (%i) in (%n) {
    %key = obs.get %keys[%i] : !ints
    scf.for %pass = %c0 to %passes step %c1 {
      %digit = func.call @digit(%key, %pass) : (i32, index) -> i32
      %d = arith.index_castui %digit : i32 to index
      %row = arith.muli %pass, %c256 : index
      %at = arith.addi %row, %d : index
      obs.write %one at [%at] : i32
    }
  } : !obs.push<grid, 1024 x i32>
  %flat = obs.force %p {kernel = "count", threads = 256} : !obs.push<grid, 1024 x i32>
  %counts = obs.reshape %flat : !obs.pull<1024 x i32> -> !begins
  %rows = obs.nest %counts dims 1 : !begins
  %sums = obs.distribute block in grid (%row = %rows : !rows) {
    %sum = obs.scan block exclusive { arith.addi } %row init %zero : !row
    obs.yield %sum : !obs.push<block, 256 x i32>
  }
  %begins = obs.force %sums {kernel = "scan", threads = 256} : !obs.push<grid, 4 x 256 x i32>
  return %begins : !begins
}

func.func @u32(%keys: !ints) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %passes = arith.constant 4 : index
  %begins = func.call @begins(%keys) : (!ints) -> !begins
  %all = obs.nest %begins dims 1 : !begins
  %r = scf.for %pass = %c0 to %passes step %c1 iter_args(%a = %keys) -> !ints {
    %own = obs.get %all[%pass] : !rows
    %p = obs.partition (%key) = %a from %own : !ints, !row -> !obs.push<grid, ? x i32> {
      %digit = func.call @digit(%key, %pass) : (i32, index) -> i32
      obs.yield %digit : i32
    }
    %next = obs.force %p {kernel = "partition", threads = 256} : !obs.push<grid, ? x i32>
    scf.yield %next : !ints
  }
  return %r : !ints
}

func.func @i32(%keys: !ints) -> !ints {
  %sign = arith.constant 0x80000000 : i32
  %unsigned = obs.map (%x = %keys : !ints) {
    %y = arith.xori %x, %sign : i32
    obs.yield %y : i32
  }
  %stored = obs.force %unsigned {kernel = "turn"} : !ints
  %sorted = func.call @u32(%stored) : (!ints) -> !ints
  %r = obs.map (%x = %sorted : !ints) {
    %y = arith.xori %x, %sign : i32
    obs.yield %y : i32
  }
  return %r : !ints
}

func.func @f32(%keys: !f32s) -> !f32s {
  %sign = arith.constant 0x80000000 : i32
  %all = arith.constant 0xffffffff : i32
  %zero = arith.constant 0 : i32
  %unsigned = obs.map (%x = %keys : !f32s) {
    %b = arith.bitcast %x : f32 to i32
    %is_negative = arith.cmpi slt, %b, %zero : i32
    %flip = arith.select %is_negative, %all, %sign : i32
    %y = arith.xori %b, %flip : i32
    obs.yield %y : i32
  }
  %stored = obs.force %unsigned {kernel = "turn"} : !ints
  %sorted = func.call @u32(%stored) : (!ints) -> !ints
  %r = obs.map (%x = %sorted : !ints) {
    %was_negative = arith.cmpi sge, %x, %zero : i32
    %flip = arith.select %was_negative, %all, %sign : i32
    %b = arith.xori %x, %flip : i32
    %y = arith.bitcast %b : i32 to f32
    obs.yield %y : f32
  }
  return %r : !f32s
}

// The sort is stable: pairs with equal keys keep their order.
func.func @pairs(%keys: !ints, %values: !ints) -> !pairs {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %passes = arith.constant 4 : index
  %begins = func.call @begins(%keys) : (!ints) -> !begins
  %both = obs.zip %keys, %values : !ints
  %all = obs.nest %begins dims 1 : !begins
  %r = scf.for %pass = %c0 to %passes step %c1 iter_args(%a = %both) -> !pairs {
    %own = obs.get %all[%pass] : !rows
    %p = obs.partition (%key, %value) = %a from %own : !pairs, !row -> !obs.push<grid, ? x i32, i32> {
      %digit = func.call @digit(%key, %pass) : (i32, index) -> i32
      obs.yield %digit : i32
    }
    %next = obs.force %p {kernel = "partition", threads = 256} : !obs.push<grid, ? x i32, i32>
    scf.yield %next : !pairs
  }
  return %r : !pairs
}
