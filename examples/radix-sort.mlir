// Radix sort, least significant digit first, with 8 bits in each pass. The keys have 32
// bits: unsigned numbers (@u32), signed numbers (@i32) or floats (@f32).
// radix-sort-64.mlir has keys of 64 bits, and keys with values.
//
// Floats are in the order of IEEE 754-2008 (totalOrder): -NaN, -infinity, ..., -0, +0,
// ..., +infinity, NaN.
//
// From: the usual radix sort of GPUs (N. Satish, M. Harris, M. Garland, 2009). Keys are
// processed in tiles of 1024. A pass counts the digits of each tile. Then it scans the
// counts, ordered by digit and then by tile. The result is the index at which the keys of
// a tile with a digit begin. To this index, the pass adds the position of a key among the
// keys of its tile with the same digit, which it computes by `obs.rank`. It writes the
// key there. No two keys have the same index, but the compiler cannot prove this. So the
// fill is `unchecked`, and `--check` checks it. Keys past the end have the largest digit,
// so they come last and are not written. Equal keys keep their order in each pass.
//
// Maps at both ends change the order of signed numbers and floats to that of unsigned
// numbers. They flip the sign bit, or all bits of a negative float.
//
// GPU: three kernels for each pass, which count, scan, and rank and write. Each block
// processes one tile. The digits, ranks and counts of its keys are in shared memory.
//
// Run: obs-run examples/radix-sort.mlir --entry=u32 random:10xi32:1
//      obs-run examples/radix-sort.mlir --entry=i32 --device=emulate random:1500xi32:1
//      obs-run examples/radix-sort.mlir --entry=f32 --device=emulate --report random:1500xf32:1

!grid_i32s = !obs.push<grid, ? x i32>
!f32s = !obs.pull<? x f32>
!counts = !obs.push<block, 256 x i32>
!ints = !obs.pull<? x i32>
!tile = !obs.pull<1024 x i32>
!table = !obs.pull<256 x i32>

// The digits of a tile: 8 bits, from bit %shift on.
func.func private @digits(%keys: !ints, %shift: i32, %tile: index) -> !tile attributes {obs.level = #obs.level<block>} {
  %c1024 = arith.constant 1024 : index
  %mask = arith.constant 255 : i32
  %last = arith.constant 255 : i32
  %n = obs.dim %keys, 0 : !ints
  %first = arith.muli %tile, %c1024 : index
  %digits = obs.generate (%j) {
    %i = arith.addi %first, %j : index
    %is_in = arith.cmpi ult, %i, %n : index
    %d = scf.if %is_in -> i32 {
      %key = obs.get %keys[%i] : !ints
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

// The count of each digit in each tile, ordered by digit and then by tile.
func.func private @count(%keys: !ints, %shift: i32, %tiles: index) -> !ints {
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %numbers = obs.iota [%tiles] : !obs.pull<? x index>
  %parts = obs.distribute block in grid (%tile = %numbers : !obs.pull<? x index>) {
    %digits = func.call @digits(%keys, %shift, %tile) : (!ints, i32, index) -> !tile
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
  %r = obs.force %flat {kernel = "count", threads = 256 : i64} : !grid_i32s
  return %r : !ints
}

// One pass: a stable sort of the keys by 8 bits, from bit %shift on.
func.func private @pass(%keys: !ints, %shift: i32) -> !ints {
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !ints
  %tiles = arith.ceildivui %n, %c1024 : index
  %counts = func.call @count(%keys, %shift, %tiles) : (!ints, i32, index) -> !ints
  %sums = obs.scan grid exclusive { arith.addi } %counts init %zero {strategy = "one_pass"} : !ints
  %begins = obs.force %sums {kernel = "scan", threads = 256 : i64} : !grid_i32s
  %p = obs.fill unchecked [%n] {
    obs.par block (%tile) in (%tiles) {
      %first = arith.muli %tile, %c1024 : index
      %virtual = func.call @digits(%keys, %shift, %tile) : (!ints, i32, index) -> !tile
      %digits = obs.force %virtual in shared : !tile
      %rp, %cp = obs.rank %digits : !tile -> !obs.push<block, 1024 x i32>, !counts
      %ranks, %own = obs.force %rp, %cp : !obs.push<block, 1024 x i32>, !counts
      %sp = obs.scan exclusive { arith.addi } %own init %zero : !table -> !counts
      %starts = obs.force %sp : !counts
      obs.par (%j) in (%c1024) {
        %i = arith.addi %first, %j : index
        %is_in = arith.cmpi ult, %i, %n : index
        scf.if %is_in {
          %key = obs.get %keys[%i] : !ints
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
          obs.write %key at [%place] : i32
        }
      }
    }
  } : !grid_i32s
  %r = obs.force %p {kernel = "scatter", threads = 256 : i64} : !grid_i32s
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
