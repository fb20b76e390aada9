// Kernels for arrays of several static shapes.

// Elements of a table of seven, doubled: one kernel for three lengths, one of which is the size of a block.
func.func @main(%t: !obs.pull<7 x i32>) -> (!obs.pull<256 x i32>, !obs.pull<512 x i32>, !obs.pull<1000 x i32>) {
  %c7 = arith.constant 7 : index
  %s0 = obs.generate (%i) {
    %j = arith.remui %i, %c7 : index
    %x = obs.get %t[%j] : !obs.pull<7 x i32>
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  } : !obs.pull<256 x i32>
  %p0 = obs.push %s0 : !obs.pull<256 x i32> -> !obs.push<grid, 256 x i32>
  %f0 = obs.force %p0 {kernel = "twice", threads = 256 : i64} : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
  %s1 = obs.generate (%i) {
    %j = arith.remui %i, %c7 : index
    %x = obs.get %t[%j] : !obs.pull<7 x i32>
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  } : !obs.pull<512 x i32>
  %p1 = obs.push %s1 : !obs.pull<512 x i32> -> !obs.push<grid, 512 x i32>
  %f1 = obs.force %p1 {kernel = "twice", threads = 256 : i64} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  %s2 = obs.generate (%i) {
    %j = arith.remui %i, %c7 : index
    %x = obs.get %t[%j] : !obs.pull<7 x i32>
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  } : !obs.pull<1000 x i32>
  %p2 = obs.push %s2 : !obs.pull<1000 x i32> -> !obs.push<grid, 1000 x i32>
  %f2 = obs.force %p2 {kernel = "twice", threads = 256 : i64} : !obs.push<grid, 1000 x i32> -> !obs.pull<1000 x i32>
  return %f0, %f1, %f2 : !obs.pull<256 x i32>, !obs.pull<512 x i32>, !obs.pull<1000 x i32>
}

// Blocks reverse tiles in shared memory. The host knows the number of tiles; their length is code.
func.func @few(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %parts = obs.split %a by [128] : !obs.pull<512 x i32> -> !obs.pull<4 x !obs.pull<128 x i32>>
  %done = obs.distribute block (%c = %parts : !obs.pull<4 x !obs.pull<128 x i32>>) -> !obs.push<grid, 4 x 128 x i32> {
    %p = obs.push %c : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    %f = obs.force %p in shared : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
    %r = obs.reverse %f : !obs.pull<128 x i32>
    %q = obs.push %r : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %q : !obs.push<block, 128 x i32>
  }
  %m = arith.constant 512 : index
  %flat = obs.join %done to [%m] : !obs.push<grid, 4 x 128 x i32> -> !obs.push<grid, 512 x i32>
  %o = obs.force %flat {kernel = "tiles", threads = 64 : i64} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %o : !obs.pull<512 x i32>
}
func.func @many(%a: !obs.pull<1152 x i32>) -> !obs.pull<1152 x i32> {
  %parts = obs.split %a by [128] : !obs.pull<1152 x i32> -> !obs.pull<9 x !obs.pull<128 x i32>>
  %done = obs.distribute block (%c = %parts : !obs.pull<9 x !obs.pull<128 x i32>>) -> !obs.push<grid, 9 x 128 x i32> {
    %p = obs.push %c : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    %f = obs.force %p in shared : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
    %r = obs.reverse %f : !obs.pull<128 x i32>
    %q = obs.push %r : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %q : !obs.push<block, 128 x i32>
  }
  %m = arith.constant 1152 : index
  %flat = obs.join %done to [%m] : !obs.push<grid, 9 x 128 x i32> -> !obs.push<grid, 1152 x i32>
  %o = obs.force %flat {kernel = "tiles", threads = 64 : i64} : !obs.push<grid, 1152 x i32> -> !obs.pull<1152 x i32>
  return %o : !obs.pull<1152 x i32>
}
func.func @longer(%a: !obs.pull<1024 x i32>) -> !obs.pull<1024 x i32> {
  %parts = obs.split %a by [256] : !obs.pull<1024 x i32> -> !obs.pull<4 x !obs.pull<256 x i32>>
  %done = obs.distribute block (%c = %parts : !obs.pull<4 x !obs.pull<256 x i32>>) -> !obs.push<grid, 4 x 256 x i32> {
    %p = obs.push %c : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
    %f = obs.force %p in shared : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>
    %r = obs.reverse %f : !obs.pull<256 x i32>
    %q = obs.push %r : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
    obs.yield %q : !obs.push<block, 256 x i32>
  }
  %m = arith.constant 1024 : index
  %flat = obs.join %done to [%m] : !obs.push<grid, 4 x 256 x i32> -> !obs.push<grid, 1024 x i32>
  %o = obs.force %flat {kernel = "tiles", threads = 64 : i64} : !obs.push<grid, 1024 x i32> -> !obs.pull<1024 x i32>
  return %o : !obs.pull<1024 x i32>
}
