// Radix sort as in radix-sort.mlir, of unsigned keys of 64 bits (@u64), and of
// pairs of a key of 32 bits and a value (@pairs). The sort is stable: pairs with
// equal keys keep their order. From: the source that radix-sort.mlir names.
//
// GPU: three kernels for each pass. @u64 has eight passes, and @pairs has four.
//
// Run: obs-run examples/radix-sort-64.mlir --entry=u64 random:1500xi64:1
//      obs-run examples/radix-sort-64.mlir --entry=pairs --device=emulate --report random:1500xi32:1 iota:1500xi32

!i64s = !obs.pull<? x i64>
!i32_i32s = !obs.pull<? x i32, i32>
!grid_i32s = !obs.push<grid, ? x i32>
!indexs = !obs.pull<? x index>
!counts = !obs.push<block, 256 x i32>
!ints = !obs.pull<? x i32>
!tile = !obs.pull<1024 x i32>
!table = !obs.pull<256 x i32>

// The digits of a tile: 8 bits, from bit %shift on.
func.func private @digits_pairs(%keys: !i32_i32s, %shift: i32, %tile: index) -> !tile attributes {obs.level = #obs.level<block>} {
  %c1024 = arith.constant 1024 : index
  %mask = arith.constant 255 : i32
  %last = arith.constant 255 : i32
  %n = obs.dim %keys, 0 : !i32_i32s
  %first = arith.muli %tile, %c1024 : index
  %digits = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %is_in = arith.cmpi ult, %i, %n : index
    %d = scf.if %is_in -> i32 {
      %key, %value = obs.get %keys[%i] : !i32_i32s
      %shifted = arith.shrui %key, %shift : i32
      %digit = arith.andi %shifted, %mask : i32
      scf.yield %digit : i32
    } else {
      scf.yield %last : i32
    }
    obs.yield %d : i32
  } : !tile
  return %digits : !tile
}

func.func private @digits_64(%keys: !i64s, %shift: i64, %tile: index) -> !tile attributes {obs.level = #obs.level<block>} {
  %c1024 = arith.constant 1024 : index
  %mask = arith.constant 255 : i64
  %last = arith.constant 255 : i32
  %n = obs.dim %keys, 0 : !i64s
  %first = arith.muli %tile, %c1024 : index
  %digits = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %is_in = arith.cmpi ult, %i, %n : index
    %d = scf.if %is_in -> i32 {
      %key = obs.get %keys[%i] : !i64s
      %shifted = arith.shrui %key, %shift : i64
      %low = arith.andi %shifted, %mask : i64
      %digit = arith.trunci %low : i64 to i32
      scf.yield %digit : i32
    } else {
      scf.yield %last : i32
    }
    obs.yield %d : i32
  } : !tile
  return %digits : !tile
}

// The count of each digit in each tile, ordered by digit and then by tile.
func.func private @count_pairs(%keys: !i32_i32s, %shift: i32, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %numbers = obs.iota [%tiles] : !indexs
  %parts = obs.distribute block in grid (%tile = %numbers : !indexs) {
    %digits = func.call @digits_pairs(%keys, %shift, %tile) : (!i32_i32s, i32, index) -> !tile
    %p = obs.fill init %zero reduce(addi) par (%j) in (%c1024) {
      %d = obs.get %digits[%j] : !tile
      %v = arith.index_castui %d : i32 to index
      obs.write %one at [%v] : i32
    } : !counts
    %own = obs.force %p in shared : !counts
    %q = obs.push block %own : !table
    obs.yield %q : !counts
  }
  %by_digit = obs.transpose %parts [1, 0] : !obs.push<grid, ? x 256 x i32>
  %size = arith.muli %tiles, %c256 : index
  %flat = obs.reshape %by_digit [%size] : !obs.push<grid, 256 x ? x i32> -> !grid_i32s
  %r = obs.force %flat {kernel = "count_pairs", threads = 256 : i64} : !grid_i32s
  return %r : !ints
}

// One pass: a stable sort of the keys by 8 bits, from bit %shift on.
func.func private @pass_pairs(%keys: !i32_i32s, %shift: i32) -> !i32_i32s {
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !i32_i32s
  %tiles = arith.ceildivui %n, %c1024 : index
  %counts = func.call @count_pairs(%keys, %shift, %tiles) : (!i32_i32s, i32, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan_pairs", threads = 256 : i64} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c1024 : index
      %virtual = func.call @digits_pairs(%keys, %shift, %tile) : (!i32_i32s, i32, index) -> !tile
      %digits = obs.force %virtual in shared : !tile
      %rp, %cp = obs.rank %digits : !tile -> !obs.push<block, 1024 x i32>, !counts
      %ranks, %own = obs.force %rp, %cp : !obs.push<block, 1024 x i32>, !counts
      %sp = obs.scan exclusive { arith.addi } %own init %zero : !table -> !counts
      %starts = obs.force %sp : !counts
      obs.par (%j) in (%c1024) {
        %i = arith.addi %first, %j : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key, %value = obs.get %keys[%i] : !i32_i32s
          %digit = obs.get %digits[%j] : !tile
          %d = arith.index_castui %digit : i32 to index
          %row = arith.muli %d, %tiles : index
          %at = arith.addi %row, %tile : index
          %begin = obs.get %begins[%at] : !ints
          %start = obs.get %starts[%d] : !table
          %rank = obs.get %ranks[%j] : !tile
          %among = arith.subi %rank, %start : i32
          %sum = arith.addi %begin, %among : i32
          %place = arith.index_castui %sum : i32 to index
          obs.write %key, %value at [%place] : i32, i32
        }
      }
    }
  } : !obs.push<grid, ? x i32, i32>
  %r = obs.force %p {kernel = "scatter_pairs", threads = 256 : i64} : !obs.push<grid, ? x i32, i32>
  return %r : !i32_i32s
}

func.func private @count_64(%keys: !i64s, %shift: i64, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %numbers = obs.iota [%tiles] : !indexs
  %parts = obs.distribute block in grid (%tile = %numbers : !indexs) {
    %digits = func.call @digits_64(%keys, %shift, %tile) : (!i64s, i64, index) -> !tile
    %p = obs.fill init %zero reduce(addi) par (%j) in (%c1024) {
      %d = obs.get %digits[%j] : !tile
      %v = arith.index_castui %d : i32 to index
      obs.write %one at [%v] : i32
    } : !counts
    %own = obs.force %p in shared : !counts
    %q = obs.push block %own : !table
    obs.yield %q : !counts
  }
  %by_digit = obs.transpose %parts [1, 0] : !obs.push<grid, ? x 256 x i32>
  %size = arith.muli %tiles, %c256 : index
  %flat = obs.reshape %by_digit [%size] : !obs.push<grid, 256 x ? x i32> -> !grid_i32s
  %r = obs.force %flat {kernel = "count_64", threads = 256 : i64} : !grid_i32s
  return %r : !ints
}

func.func private @pass_64(%keys: !i64s, %shift: i64) -> !i64s {
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !i64s
  %tiles = arith.ceildivui %n, %c1024 : index
  %counts = func.call @count_64(%keys, %shift, %tiles) : (!i64s, i64, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan_64", threads = 256 : i64} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c1024 : index
      %virtual = func.call @digits_64(%keys, %shift, %tile) : (!i64s, i64, index) -> !tile
      %digits = obs.force %virtual in shared : !tile
      %rp, %cp = obs.rank %digits : !tile -> !obs.push<block, 1024 x i32>, !counts
      %ranks, %own = obs.force %rp, %cp : !obs.push<block, 1024 x i32>, !counts
      %sp = obs.scan exclusive { arith.addi } %own init %zero : !table -> !counts
      %starts = obs.force %sp : !counts
      obs.par (%j) in (%c1024) {
        %i = arith.addi %first, %j : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key = obs.get %keys[%i] : !i64s
          %digit = obs.get %digits[%j] : !tile
          %d = arith.index_castui %digit : i32 to index
          %row = arith.muli %d, %tiles : index
          %at = arith.addi %row, %tile : index
          %begin = obs.get %begins[%at] : !ints
          %start = obs.get %starts[%d] : !table
          %rank = obs.get %ranks[%j] : !tile
          %among = arith.subi %rank, %start : i32
          %sum = arith.addi %begin, %among : i32
          %place = arith.index_castui %sum : i32 to index
          obs.write %key at [%place] : i64
        }
      }
    }
  } : !obs.push<grid, ? x i64>
  %r = obs.force %p {kernel = "scatter_64", threads = 256 : i64} : !obs.push<grid, ? x i64>
  return %r : !i64s
}

// All passes.
func.func private @sort_pairs(%keys: !i32_i32s) -> !i32_i32s {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %bits = arith.constant 32 : i32
  %r = scf.for %shift = %zero to %bits step %eight iter_args(%a = %keys) -> !i32_i32s : i32 {
    %next = func.call @pass_pairs(%a, %shift) : (!i32_i32s, i32) -> !i32_i32s
    scf.yield %next : !i32_i32s
  }
  return %r : !i32_i32s
}

func.func private @sort_64(%keys: !i64s) -> !i64s {
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %bits = arith.constant 64 : i64
  %r = scf.for %shift = %zero to %bits step %eight iter_args(%a = %keys) -> !i64s : i64 {
    %next = func.call @pass_64(%a, %shift) : (!i64s, i64) -> !i64s
    scf.yield %next : !i64s
  }
  return %r : !i64s
}

func.func @u64(%keys: !i64s) -> !i64s {
  %r = func.call @sort_64(%keys) : (!i64s) -> !i64s
  return %r : !i64s
}

func.func @pairs(%keys: !ints, %values: !ints) -> !i32_i32s {
  %both = obs.zip %keys, %values : !ints
  %r = func.call @sort_pairs(%both) : (!i32_i32s) -> !i32_i32s
  return %r : !i32_i32s
}
