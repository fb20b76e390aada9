// Radix sort, least significant digit first, with 8 bits in each pass. The keys have 32
// bits: unsigned numbers (@u32), signed numbers (@i32) or floats (@f32).
// radix-sort-64.mlir has keys of 64 bits, and keys with values.
//
// Floats are in the order of IEEE 754-2008 (totalOrder): -NaN, -infinity, ..., -0, +0,
// ..., +infinity, NaN.
//
// From: the usual radix sort of GPUs (N. Satish, M. Harris, M. Garland, 2009). Keys are
// processed in tiles of 4096. A pass counts the digits of each tile. Then it scans the
// counts, ordered by digit and then by tile. The result is the index at which the keys of
// a tile with a digit begin. The pass also sorts each tile by the digit: `obs.rank`
// computes the positions. So keys with equal digits are neighbours in the tile, as they
// are in the result, and neighbouring threads write neighbouring elements. No two keys
// have the same index, but the compiler cannot prove this. So the fills are `unchecked`,
// and `--check` checks them. Keys past the end have the largest digit, so they come last
// and are not written. Equal keys keep their order in each pass.
//
// Maps at both ends change the order of signed numbers and floats to that of unsigned
// numbers. They flip the sign bit, or all bits of a negative float.
//
// GPU: three kernels for each pass, which count, scan, and rank and write. Each block
// processes one tile. Its keys are in registers; the digits, their ranks and the sorted
// tile are in shared memory.
//
// Run: obs-run examples/radix-sort.mlir --entry=u32 random:10xi32:1
//      obs-run examples/radix-sort.mlir --entry=i32 --device=emulate random:5000xi32:1
//      obs-run examples/radix-sort.mlir --entry=f32 --device=emulate --report random:5000xf32:1

!grid_i32s = !obs.push<grid, ? x i32>
!f32s = !obs.pull<? x f32>
!indexs = !obs.pull<? x index>
!ints = !obs.pull<? x i32>
!counts = !obs.push<block, 256 x i32>
!table = !obs.pull<256 x i32>
!digits = !obs.pull<4096 x i8>
!positions = !obs.pull<4096 x i16>
!ranks = !obs.push<block, 4096 x i16>
!tile = !obs.pull<4096 x i32>

// The elements of a tile. Past the end, they repeat the last one.
func.func private @tile(%keys: !ints, %tile: index) -> !tile attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %n = obs.dim %keys, 0 : !ints
  %last = arith.subi %n, %c1 : index
  %first = arith.muli %tile, %c4096 : index
  %virtual = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %at = arith.minui %i, %last : index
    %key = obs.get %keys[%at] : !ints
    obs.yield %key : i32
  } : !tile
  %own = obs.force %virtual : !tile
  return %own : !tile
}

// The digits of a tile: 8 bits, from bit %shift on. Past the end, they are the largest.
func.func private @digits(%own: !tile, %shift: i32, %tile: index, %n: index) -> !digits attributes {obs.level = #obs.level<block>} {
  %c4096 = arith.constant 4096 : index
  %largest = arith.constant 255 : i32
  %first = arith.muli %tile, %c4096 : index
  %digits = obs.generate (%j) {
    %key = obs.get %own[%j] : !tile
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
func.func private @count(%keys: !ints, %shift: i32, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !ints
  %numbers = obs.iota [%tiles] : !indexs
  %parts = obs.distribute block in grid (%tile = %numbers : !indexs) {
    %own = func.call @tile(%keys, %tile) : (!ints, index) -> !tile
    %digits = func.call @digits(%own, %shift, %tile, %n) : (!tile, i32, index, index) -> !digits
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
  %r = obs.force %flat {kernel = "count", threads = 256} : !grid_i32s
  return %r : !ints
}

// One pass: a stable sort by 8 bits, from bit %shift on.
func.func private @pass(%keys: !ints, %shift: i32) -> !ints {
  %c4096 = arith.constant 4096 : index
  %mask = arith.constant 255 : i32
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !ints
  %tiles = arith.ceildivui %n, %c4096 : index
  %counts = func.call @count(%keys, %shift, %tiles) : (!ints, i32, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan", threads = 256} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c4096 : index
      %own = func.call @tile(%keys, %tile) : (!ints, index) -> !tile
      %virtual = func.call @digits(%own, %shift, %tile, %n) : (!tile, i32, index, index) -> !digits
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
        %key = obs.get %own[%j] : !tile
        %rank = obs.get %ranks[%j] : !positions
        %p = arith.index_castui %rank : i16 to index
        obs.write %key at [%p] : i32
      } : !obs.push<block, 4096 x i32>
      %sorted = obs.force %tp in shared : !obs.push<block, 4096 x i32>
      obs.par (%p) in (%c4096) {
        %i = arith.addi %first, %p : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key = obs.get %sorted[%p] : !tile
          %shifted = arith.shrui %key, %shift : i32
          %digit = arith.andi %shifted, %mask : i32
          %d = arith.index_castui %digit : i32 to index
          %base = obs.get %bases[%d] : !table
          %offset = arith.index_cast %p : index to i32
          %sum = arith.addi %base, %offset : i32
          %place = arith.index_castui %sum : i32 to index
          obs.write %key at [%place] : i32
        }
      }
    }
  } : !grid_i32s
  %r = obs.force %p {kernel = "scatter", threads = 256} : !grid_i32s
  return %r : !ints
}

// All passes.
func.func private @sort(%keys: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %bits = arith.constant 32 : i32
  %r = scf.for %shift = %zero to %bits step %eight iter_args(%a = %keys) -> !ints : i32 {
    %next = func.call @pass(%a, %shift) : (!ints, i32) -> !ints
    scf.yield %next : !ints
  }
  return %r : !ints
}

func.func @u32(%keys: !ints) -> !ints {
  %r = func.call @sort(%keys) : (!ints) -> !ints
  return %r : !ints
}

func.func @i32(%keys: !ints) -> !ints {
  %sign = arith.constant 0x80000000 : i32
  %unsigned = obs.map (%x = %keys : !ints) {
    %y = arith.xori %x, %sign : i32
    obs.yield %y : i32
  }
  %sorted = func.call @sort(%unsigned) : (!ints) -> !ints
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
  %sorted = func.call @sort(%unsigned) : (!ints) -> !ints
  %r = obs.map (%x = %sorted : !ints) {
    %was_negative = arith.cmpi sge, %x, %zero : i32
    %flip = arith.select %was_negative, %all, %sign : i32
    %b = arith.xori %x, %flip : i32
    %y = arith.bitcast %b : i32 to f32
    obs.yield %y : f32
  }
  return %r : !f32s
}
