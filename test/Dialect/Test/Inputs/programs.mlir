// Programs with operations of the dialect in test/lib/Dialect/Test. sizes.py
// runs them on arrays of many extents.

!ints = !obs.pull<? x i32>

//===----------------------------------------------------------------------===//
// An index map: test.drop
//===----------------------------------------------------------------------===//

func.func @drop_pull(%a: !ints, %k: index) -> !ints {
  %d = test.drop %a, %k : !ints -> !ints
  %r = obs.force %d : !ints
  return %r : !ints
}

func.func @drop_push(%a: !ints, %k: index) -> !ints {
  %p = obs.push grid %a : !ints
  %d = test.drop %p, %k : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %d : !obs.push<grid, ? x i32>
  return %r : !ints
}

// Among other index maps, between maps, in shared memory: the elements of each
// tile of 64 without the first k, doubled, last one first.
func.func @drop_in_tiles(%a: !ints, %k: index) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 0 : i32
  %tiles = obs.split %a by [64] pad %zero : !ints
  %p = obs.distribute block (%t = %tiles : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x ? x i32> {
    %s = obs.force %t : !obs.pull<64 x i32>
    %d = test.drop %s, %k : !obs.pull<64 x i32> -> !obs.pull<? x i32 bound [64]>
    %f = obs.force %d : !obs.pull<? x i32 bound [64]>
    %v = obs.reverse %f : !obs.pull<? x i32 bound [64]>
    %m = obs.map { arith.addi } %v, %v : !obs.pull<? x i32 bound [64]>
    %q = obs.push block %m : !obs.pull<? x i32 bound [64]>
    obs.yield %q : !obs.push<block, ? x i32 bound [64]>
  }
  %r = obs.force %p : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// An array in memory is passed on without its first elements, and not copied.
func.func @drop_in_loop(%a: !ints, %k: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = obs.force %a {kernel = "store"} : !ints
  %l = scf.for %i = %c0 to %k step %c1 iter_args(%x = %s) -> (!ints) {
    %d = test.drop %x, %c1 : !ints -> !ints
    scf.yield %d : !ints
  }
  %m = obs.map { arith.addi } %l, %l : !ints
  %r = obs.force %m {kernel = "double"} : !ints
  return %r : !ints
}

//===----------------------------------------------------------------------===//
// Array operations: test.window (pull), test.repeat (push)
//===----------------------------------------------------------------------===//

func.func @window(%a: !ints) -> !ints {
  %two = arith.constant 2 : i32
  %b = obs.map (%x = %a : !ints) {
    %y = arith.muli %x, %two : i32
    obs.yield %y : i32
  }
  %w = test.window %b size 3 : !ints -> !ints
  %v = obs.reverse %w : !ints
  %r = obs.force %v {kernel = "window"} : !ints
  return %r : !ints
}

// Windows of windows: what each thread reads, others have written.
func.func @window_in_blocks(%a: !ints) -> !obs.pull<? x 28 x i32> {
  %zero = arith.constant 0 : i32
  %tiles = obs.split %a by [32] pad %zero : !ints
  %p = obs.distribute block (%t = %tiles : !obs.pull<? x !obs.pull<32 x i32>>) -> !obs.push<grid, ? x 28 x i32> {
    %u = test.window %t size 3 : !obs.pull<32 x i32> -> !obs.pull<30 x i32>
    %s = obs.force %u : !obs.pull<30 x i32>
    %v = test.window %s size 3 : !obs.pull<30 x i32> -> !obs.pull<28 x i32>
    %q = obs.push block %v : !obs.pull<28 x i32>
    obs.yield %q : !obs.push<block, 28 x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x 28 x i32>
  return %r : !obs.pull<? x 28 x i32>
}

// The host swaps buffers: an array that is read shifted is not written in place.
func.func @window_in_loop(%a: !ints, %k: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %k step %c1 iter_args(%x = %a) -> (!ints) {
    %w = test.window %x size 2 : !ints -> !ints
    %s = obs.force %w : !ints
    scf.yield %s : !ints
  }
  return %l : !ints
}

func.func @repeat(%a: !ints) -> !ints {
  %p = test.repeat %a times 3 : !ints -> !obs.push<grid, ? x i32>
  %v = obs.reverse %p : !obs.push<grid, ? x i32>
  %m = obs.map (%x = %v : !obs.push<grid, ? x i32>) {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %m {kernel = "repeat"} : !obs.push<grid, ? x i32>
  return %r : !ints
}

func.func @repeat_in_blocks(%a: !ints) -> !obs.pull<? x 96 x i32> {
  %zero = arith.constant 0 : i32
  %tiles = obs.split %a by [32] pad %zero : !ints
  %p = obs.distribute block (%t = %tiles : !obs.pull<? x !obs.pull<32 x i32>>) -> !obs.push<grid, ? x 96 x i32> {
    %q = test.repeat %t times 3 : !obs.pull<32 x i32> -> !obs.push<block, 96 x i32>
    %s = obs.force %q : !obs.push<block, 96 x i32>
    %v = obs.reverse %s : !obs.pull<96 x i32>
    %o = obs.push block %v : !obs.pull<96 x i32>
    obs.yield %o : !obs.push<block, 96 x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x 96 x i32>
  return %r : !obs.pull<? x 96 x i32>
}

//===----------------------------------------------------------------------===//
// A collective: test.digest
//===----------------------------------------------------------------------===//

// Behind a map, and before one.
func.func @digest_grid(%a: !ints, %base: i32) -> !obs.pull<1 x i32> {
  %one = arith.constant 1 : i32
  %b = obs.map (%x = %a : !ints) {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %d = test.digest %b base %base : !ints -> !obs.push<grid, 1 x i32>
  %m = obs.map (%x = %d : !obs.push<grid, 1 x i32>) {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %m {kernel = "digest"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

!bounded = !obs.pull<? x i32 bound [1100]>

func.func @digest_block(%a: !bounded, %base: i32) -> !obs.pull<1 x 1 x i32> {
  %once = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%i = %once : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x i32> {
    %d = test.digest %a base %base : !bounded -> !obs.push<block, 1 x i32>
    obs.yield %d : !obs.push<block, 1 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 1 x i32>
  return %r : !obs.pull<1 x 1 x i32>
}

func.func @digest_tree(%a: !bounded, %base: i32) -> !obs.pull<1 x 1 x i32> {
  %once = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%i = %once : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x i32> {
    %d = test.digest %a base %base {strategy = "tree"} : !bounded -> !obs.push<block, 1 x i32>
    obs.yield %d : !obs.push<block, 1 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 1 x i32>
  return %r : !obs.pull<1 x 1 x i32>
}

func.func @digest_warp(%a: !bounded, %base: i32) -> !obs.pull<1 x 1 x 1 x i32> {
  %once = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%i = %once : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x 1 x i32> {
    %inner = obs.iota : !obs.pull<1 x index>
    %q = obs.distribute warp (%j = %inner : !obs.pull<1 x index>) -> !obs.push<block, 1 x 1 x i32> {
      %d = test.digest %a base %base : !bounded -> !obs.push<warp, 1 x i32>
      obs.yield %d : !obs.push<warp, 1 x i32>
    }
    obs.yield %q : !obs.push<block, 1 x 1 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 1 x 1 x i32>
  return %r : !obs.pull<1 x 1 x 1 x i32>
}

// One for each chunk of 8, each by one thread.
func.func @digest_thread(%a: !ints, %base: i32) -> !obs.pull<? x 1 x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [8] pad %zero : !ints
  %p = obs.distribute thread (%c = %chunks : !obs.pull<? x !obs.pull<8 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %d = test.digest %c base %base : !obs.pull<8 x i32> -> !obs.push<thread, 1 x i32>
    obs.yield %d : !obs.push<thread, 1 x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x 1 x i32>
  return %r : !obs.pull<? x 1 x i32>
}
