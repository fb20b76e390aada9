// Radix sort as in radix-sort.mlir, of unsigned keys of 64 bits (@u64), and of
// pairs of a key of 32 bits and a value (@pairs). The sort is stable: pairs with equal keys
// keep their order. Tiles have 4096 elements. From: the source that radix-sort.mlir names.
//
// GPU: three kernels for each pass. @u64 has eight passes, and @pairs has four.
//
// Run: obs-run examples/radix-sort-64.mlir --entry=u64 random:1500xi64:1
//      obs-run examples/radix-sort-64.mlir --entry=pairs --device=emulate --report random:1500xi32:1 iota:1500xi32

!i64s = !obs.pull<? x i64>
!i32_i32s = !obs.pull<? x i32, i32>
!grid_i32s = !obs.push<grid, ? x i32>
!indexs = !obs.pull<? x index>
!ints = !obs.pull<? x i32>
!counts = !obs.push<block, 256 x i32>
!table = !obs.pull<256 x i32>
!digits = !obs.pull<4096 x i8>
!positions = !obs.pull<4096 x i16>
!ranks = !obs.push<block, 4096 x i16>
!tile_pairs = !obs.pull<4096 x i32, i32>
!tile_64 = !obs.pull<4096 x i64>

// The elements of a tile. Past the end, they repeat the last one.
func.func private @tile_pairs(%keys: !i32_i32s, %tile: index) -> !tile_pairs attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %n = obs.dim %keys, 0 : !i32_i32s
  %last = arith.subi %n, %c1 : index
  %first = arith.muli %tile, %c4096 : index
  %virtual = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %at = arith.minui %i, %last : index
    %key, %value = obs.get %keys[%at] : !i32_i32s
    obs.yield %key, %value : i32, i32
  } : !tile_pairs
  %own = obs.force %virtual : !tile_pairs
  return %own : !tile_pairs
}

// The digits of a tile: 8 bits, from bit %shift on. Past the end, they are the largest.
func.func private @digits_pairs(%own: !tile_pairs, %shift: i32, %tile: index, %n: index) -> !digits attributes {obs.level = #obs.level<block>} {
  %c4096 = arith.constant 4096 : index
  %largest = arith.constant 255 : i32
  %first = arith.muli %tile, %c4096 : index
  %digits = obs.generate (%j) {
    %key, %value = obs.get %own[%j] : !tile_pairs
    %shifted = arith.shrui %key, %shift : i32
    %i = arith.addi %first, %j : index
    %is_in = arith.cmpi ult, %i, %n : index
    %d = arith.select %is_in, %shifted, %largest : i32
    %digit = arith.trunci %d : i32 to i8
    obs.yield %digit : i8
  } : !digits
  return %digits : !digits
}

// The count of each digit in each tile, ordered by digit and then by tile.
func.func private @count_pairs(%keys: !i32_i32s, %shift: i32, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !i32_i32s
  %numbers = obs.iota [%tiles] : !indexs
  %parts = obs.distribute block in grid (%tile = %numbers : !indexs) {
    %own = func.call @tile_pairs(%keys, %tile) : (!i32_i32s, index) -> !tile_pairs
    %digits = func.call @digits_pairs(%own, %shift, %tile, %n) : (!tile_pairs, i32, index, index) -> !digits
    %p = obs.fill init %zero reduce(addi) par (%j) in (%c4096) {
      %digit = obs.get %digits[%j] : !digits
      %d = arith.index_castui %digit : i8 to index
      obs.write %one at [%d] : i32
    } : !counts
    %counts = obs.force %p in shared : !counts
    %q = obs.push block %counts : !table
    obs.yield %q : !counts
  }
  %by_digit = obs.transpose %parts [1, 0] : !obs.push<grid, ? x 256 x i32>
  %size = arith.muli %tiles, %c256 : index
  %flat = obs.reshape %by_digit [%size] : !obs.push<grid, 256 x ? x i32> -> !grid_i32s
  %r = obs.force %flat {kernel = "count_pairs", threads = 256} : !grid_i32s
  return %r : !ints
}

// One pass: a stable sort by 8 bits, from bit %shift on.
func.func private @pass_pairs(%keys: !i32_i32s, %shift: i32) -> !i32_i32s {
  %c4096 = arith.constant 4096 : index
  %mask = arith.constant 255 : i32
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !i32_i32s
  %tiles = arith.ceildivui %n, %c4096 : index
  %counts = func.call @count_pairs(%keys, %shift, %tiles) : (!i32_i32s, i32, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan_pairs", threads = 256} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c4096 : index
      %own = func.call @tile_pairs(%keys, %tile) : (!i32_i32s, index) -> !tile_pairs
      %virtual = func.call @digits_pairs(%own, %shift, %tile, %n) : (!tile_pairs, i32, index, index) -> !digits
      %digits = obs.force %virtual in shared : !digits
      %of_tile = obs.generate (%d) {
        %row = arith.muli %d, %tiles : index
        %at = arith.addi %row, %tile : index
        %begin = obs.get %begins[%at] : !ints
        obs.yield %begin : i32
      } : !table
      %own_begins = obs.force %of_tile : !table
      %rp, %cp = obs.rank %digits : !digits -> !ranks, !counts
      %ranks, %own_counts = obs.force %rp, %cp : !ranks, !counts
      %sp = obs.scan exclusive { arith.addi } %own_counts init %zero : !table -> !counts
      %starts = obs.force %sp : !counts
      // Element p of the sorted tile has index p + base of its digit in the result.
      %differences = obs.map { arith.subi } %own_begins, %starts : !table
      %bases = obs.force %differences in shared : !table
      %tp = obs.fill unchecked par (%j) in (%c4096) {
        %key, %value = obs.get %own[%j] : !tile_pairs
        %rank = obs.get %ranks[%j] : !positions
        %p = arith.index_castui %rank : i16 to index
        obs.write %key, %value at [%p] : i32, i32
      } : !obs.push<block, 4096 x i32, i32>
      %sorted = obs.force %tp in shared : !obs.push<block, 4096 x i32, i32>
      obs.par (%p) in (%c4096) {
        %i = arith.addi %first, %p : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key, %value = obs.get %sorted[%p] : !tile_pairs
          %shifted = arith.shrui %key, %shift : i32
          %digit = arith.andi %shifted, %mask : i32
          %d = arith.index_castui %digit : i32 to index
          %base = obs.get %bases[%d] : !table
          %offset = arith.index_cast %p : index to i32
          %sum = arith.addi %base, %offset : i32
          %place = arith.index_castui %sum : i32 to index
          obs.write %key, %value at [%place] : i32, i32
        }
      }
    }
  } : !obs.push<grid, ? x i32, i32>
  %r = obs.force %p {kernel = "scatter_pairs", threads = 256} : !obs.push<grid, ? x i32, i32>
  return %r : !i32_i32s
}

// The elements of a tile. Past the end, they repeat the last one.
func.func private @tile_64(%keys: !i64s, %tile: index) -> !tile_64 attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %n = obs.dim %keys, 0 : !i64s
  %last = arith.subi %n, %c1 : index
  %first = arith.muli %tile, %c4096 : index
  %virtual = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %at = arith.minui %i, %last : index
    %key = obs.get %keys[%at] : !i64s
    obs.yield %key : i64
  } : !tile_64
  %own = obs.force %virtual : !tile_64
  return %own : !tile_64
}

// The digits of a tile: 8 bits, from bit %shift on. Past the end, they are the largest.
func.func private @digits_64(%own: !tile_64, %shift: i64, %tile: index, %n: index) -> !digits attributes {obs.level = #obs.level<block>} {
  %c4096 = arith.constant 4096 : index
  %largest = arith.constant 255 : i64
  %first = arith.muli %tile, %c4096 : index
  %digits = obs.generate (%j) {
    %key = obs.get %own[%j] : !tile_64
    %shifted = arith.shrui %key, %shift : i64
    %i = arith.addi %first, %j : index
    %is_in = arith.cmpi ult, %i, %n : index
    %d = arith.select %is_in, %shifted, %largest : i64
    %digit = arith.trunci %d : i64 to i8
    obs.yield %digit : i8
  } : !digits
  return %digits : !digits
}

// The count of each digit in each tile, ordered by digit and then by tile.
func.func private @count_64(%keys: !i64s, %shift: i64, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !i64s
  %numbers = obs.iota [%tiles] : !indexs
  %parts = obs.distribute block in grid (%tile = %numbers : !indexs) {
    %own = func.call @tile_64(%keys, %tile) : (!i64s, index) -> !tile_64
    %digits = func.call @digits_64(%own, %shift, %tile, %n) : (!tile_64, i64, index, index) -> !digits
    %p = obs.fill init %zero reduce(addi) par (%j) in (%c4096) {
      %digit = obs.get %digits[%j] : !digits
      %d = arith.index_castui %digit : i8 to index
      obs.write %one at [%d] : i32
    } : !counts
    %counts = obs.force %p in shared : !counts
    %q = obs.push block %counts : !table
    obs.yield %q : !counts
  }
  %by_digit = obs.transpose %parts [1, 0] : !obs.push<grid, ? x 256 x i32>
  %size = arith.muli %tiles, %c256 : index
  %flat = obs.reshape %by_digit [%size] : !obs.push<grid, 256 x ? x i32> -> !grid_i32s
  %r = obs.force %flat {kernel = "count_64", threads = 256} : !grid_i32s
  return %r : !ints
}

// One pass: a stable sort by 8 bits, from bit %shift on.
func.func private @pass_64(%keys: !i64s, %shift: i64) -> !i64s {
  %c4096 = arith.constant 4096 : index
  %mask = arith.constant 255 : i64
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !i64s
  %tiles = arith.ceildivui %n, %c4096 : index
  %counts = func.call @count_64(%keys, %shift, %tiles) : (!i64s, i64, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan_64", threads = 256} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c4096 : index
      %own = func.call @tile_64(%keys, %tile) : (!i64s, index) -> !tile_64
      %virtual = func.call @digits_64(%own, %shift, %tile, %n) : (!tile_64, i64, index, index) -> !digits
      %digits = obs.force %virtual in shared : !digits
      %of_tile = obs.generate (%d) {
        %row = arith.muli %d, %tiles : index
        %at = arith.addi %row, %tile : index
        %begin = obs.get %begins[%at] : !ints
        obs.yield %begin : i32
      } : !table
      %own_begins = obs.force %of_tile : !table
      %rp, %cp = obs.rank %digits : !digits -> !ranks, !counts
      %ranks, %own_counts = obs.force %rp, %cp : !ranks, !counts
      %sp = obs.scan exclusive { arith.addi } %own_counts init %zero : !table -> !counts
      %starts = obs.force %sp : !counts
      // Element p of the sorted tile has index p + base of its digit in the result.
      %differences = obs.map { arith.subi } %own_begins, %starts : !table
      %bases = obs.force %differences in shared : !table
      %tp = obs.fill unchecked par (%j) in (%c4096) {
        %key = obs.get %own[%j] : !tile_64
        %rank = obs.get %ranks[%j] : !positions
        %p = arith.index_castui %rank : i16 to index
        obs.write %key at [%p] : i64
      } : !obs.push<block, 4096 x i64>
      %sorted = obs.force %tp in shared : !obs.push<block, 4096 x i64>
      obs.par (%p) in (%c4096) {
        %i = arith.addi %first, %p : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key = obs.get %sorted[%p] : !tile_64
          %shifted = arith.shrui %key, %shift : i64
          %digit = arith.andi %shifted, %mask : i64
          %d = arith.index_castui %digit : i64 to index
          %base = obs.get %bases[%d] : !table
          %offset = arith.index_cast %p : index to i32
          %sum = arith.addi %base, %offset : i32
          %place = arith.index_castui %sum : i32 to index
          obs.write %key at [%place] : i64
        }
      }
    }
  } : !obs.push<grid, ? x i64>
  %r = obs.force %p {kernel = "scatter_64", threads = 256} : !obs.push<grid, ? x i64>
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
