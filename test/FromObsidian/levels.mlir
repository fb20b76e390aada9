// RUN: %python %S/check.py obs-run %s

// Levels, and where arrays are stored. docs/FromObsidian.md quotes these
// functions; check.py compares each with Python.

!v = !obs.pull<? x i32>
!out = !obs.push<grid, ? x i32>
!c32 = !obs.pull<32 x i32>
!w32 = !obs.push<block, 32 x i32>

// tConcat, asBlock of thread programs: every thread of the block writes 4 elements.
func.func @t_concat(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %tiles = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !c32>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<3 x !c32>) -> !obs.push<grid, 3 x 32 x i32> {
    %quads = obs.split %tile by [4] : !c32 -> !obs.pull<8 x !obs.pull<4 x i32>>
    %threads = obs.distribute thread (%q = %quads : !obs.pull<8 x !obs.pull<4 x i32>>) -> !obs.push<block, 8 x 4 x i32> {
      %back = obs.reverse %q : !obs.pull<4 x i32>
      %p = obs.push %back : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
      obs.yield %p : !obs.push<thread, 4 x i32>
    }
    %flat = obs.join %threads : !obs.push<block, 8 x 4 x i32> -> !w32
    obs.yield %flat : !w32
  }
  %all = obs.join %parts : !obs.push<grid, 3 x 32 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %all : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// pConcat, asGrid: block programs side by side, which contain warp programs side by side.
func.func @p_concat(%a: !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
  %tiles = obs.split %a by [128] : !obs.pull<256 x i32> -> !obs.pull<2 x !obs.pull<128 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<128 x i32>>) -> !obs.push<grid, 2 x 128 x i32> {
    %quarters = obs.split %tile by [32] : !obs.pull<128 x i32> -> !obs.pull<4 x !c32>
    %warps = obs.distribute warp (%q = %quarters : !obs.pull<4 x !c32>) -> !obs.push<block, 4 x 32 x i32> {
      %p = obs.push %q : !c32 -> !obs.push<warp, 32 x i32>
      %stored = obs.force %p : !obs.push<warp, 32 x i32> -> !c32
      %back = obs.reverse %stored : !c32
      %s = obs.push %back : !c32 -> !obs.push<warp, 32 x i32>
      obs.yield %s : !obs.push<warp, 32 x i32>
    }
    %flat = obs.join %warps : !obs.push<block, 4 x 32 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %flat : !obs.push<block, 128 x i32>
  }
  %all = obs.join %parts : !obs.push<grid, 2 x 128 x i32> -> !obs.push<grid, 256 x i32>
  %r = obs.force %all : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
  return %r : !obs.pull<256 x i32>
}

// sConcat: a block runs its programs one after the other, each on the same storage.
func.func @s_concat(%a: !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
  %tiles = obs.split %a by [128] : !obs.pull<256 x i32> -> !obs.pull<2 x !obs.pull<128 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<128 x i32>>) -> !obs.push<grid, 2 x 128 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %quarters = obs.split %tile by [32] : !obs.pull<128 x i32> -> !obs.pull<4 x !c32>
    %sequence = obs.fill {
      scf.for %i = %c0 to %c4 step %c1 {
        %q = obs.get %quarters[%i] : !obs.pull<4 x !c32>
        %p = obs.push %q : !c32 -> !w32
        %stored = obs.force %p : !w32 -> !c32
        %back = obs.reverse %stored : !c32
        %s = obs.push %back : !c32 -> !w32
        %o = arith.muli %i, %c32 : index
        obs.put %s at [%o] : !w32
      }
    } : !obs.push<block, 128 x i32>
    obs.yield %sequence : !obs.push<block, 128 x i32>
  }
  %all = obs.join %parts : !obs.push<grid, 2 x 128 x i32> -> !obs.push<grid, 256 x i32>
  %r = obs.force %all : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
  return %r : !obs.pull<256 x i32>
}

// tDistribute, pDistribute: parts from a function of their number.
func.func @p_distribute(%n: index) -> !v {
  %numbers = obs.iota [%n] : !obs.pull<? x index>
  %parts = obs.distribute block (%b = %numbers : !obs.pull<? x index>) -> !obs.push<grid, ? x 3 x i32> {
    %row = obs.generate (%i) {
      %p = arith.muli %b, %i : index
      %x = arith.index_cast %p : index to i32
      obs.yield %x : i32
    } : !obs.pull<3 x i32>
    %p = obs.push %row : !obs.pull<3 x i32> -> !obs.push<block, 3 x i32>
    obs.yield %p : !obs.push<block, 3 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 3 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// sDistribute: parts one after the other, from a function of their number.
func.func @s_distribute(%n: index) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = arith.muli %n, %c3 : index
  %p = obs.fill [%m] {
    scf.for %b = %c0 to %n step %c1 {
      %row = obs.generate (%i) {
        %p = arith.muli %b, %i : index
        %x = arith.index_cast %p : index to i32
        obs.yield %x : i32
      } : !obs.pull<3 x i32>
      %q = obs.push %row : !obs.pull<3 x i32> -> !obs.push<grid, 3 x i32>
      %o = arith.muli %b, %c3 : index
      obs.put %q at [%o] : !obs.push<grid, 3 x i32>
    }
  } : !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// pCoalesceMap, then pUnCoalesce: `join strided` is the inverse of `split strided`.
func.func @un_coalesce(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a strided by [4] pad %zero : !v -> !obs.pull<? x !obs.pull<4 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) -> !obs.push<grid, ? x 4 x i32> {
    %p = obs.push %c : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %flat = obs.join %parts strided to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// pZipWith, zipWithG: a block program of two arrays for each pair of chunks.
func.func @zip_with_g(%a: !v, %b: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %x = obs.split %a by [32] pad %zero : !v -> !obs.pull<? x !c32>
  %y = obs.split %b by [32] pad %zero : !v -> !obs.pull<? x !c32>
  %parts = obs.distribute block (%c = %x : !obs.pull<? x !c32>, %d = %y : !obs.pull<? x !c32>) -> !obs.push<grid, ? x 32 x i32> {
    %back = obs.reverse %d : !c32
    %s = obs.map (%u = %c : !c32, %w = %back : !c32) -> !c32 {
      %z = arith.subi %u, %w : i32
      obs.yield %z : i32
    }
    %p = obs.push %s : !c32 -> !w32
    obs.yield %p : !w32
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 32 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// rep k f: a loop at any level. The array that it carries is stored in each iteration.
func.func @rep(%a: !v, %k: index) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%x = %a) -> !v {
    %y = obs.map (%e = %x : !v) -> !v {
      %s = arith.addi %e, %e : i32
      obs.yield %s : i32
    }
    %p = obs.push %y : !v -> !out
    %z = obs.force %p : !out -> !v
    scf.yield %z : !v
  }
  return %r : !v
}

// toGProgram: one kernel with two results, of different lengths.
func.func @to_g_program(%a: !v) -> (!v, !v) {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a by [32] pad %zero : !v -> !obs.pull<? x !c32>
  %scans, %totals = obs.distribute block (%c = %chunks : !obs.pull<? x !c32>) -> (!obs.push<grid, ? x 32 x i32>, !obs.push<grid, ? x 1 x i32>) {
    %s, %t = obs.scan inclusive (%x, %y) = %c init %zero : !c32 -> (!w32, i32) {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %t : !obs.pull<1 x i32>
    %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %s, %p : !w32, !obs.push<block, 1 x i32>
  }
  %flat = obs.join %scans to [%n] : !obs.push<grid, ? x 32 x i32> -> !out
  %sums = obs.join %totals : !obs.push<grid, ? x 1 x i32> -> !out
  %r:2 = obs.force %flat, %sums : !out, !out -> (!v, !v)
  return %r#0, %r#1 : !v, !v
}

// compute, force, sync: a force in a block. A length at run time needs a bound.
func.func @compute(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a by [32] pad %zero : !v -> !obs.pull<? x !c32>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !c32>) -> !obs.push<grid, ? x 32 x i32> {
    %p = obs.push %c : !c32 -> !w32
    %stored = obs.force %p : !w32 -> !c32
    %back = obs.reverse %stored : !c32
    %s = obs.push %back : !c32 -> !w32
    obs.yield %s : !w32
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 32 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// sync of a pair of arrays of different lengths: one force. Then both are read.
func.func @sync_pair(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %tiles = obs.split %a by [48] : !obs.pull<96 x i32> -> !obs.pull<2 x !obs.pull<48 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<48 x i32>>) -> !obs.push<grid, 2 x 48 x i32> {
    %x = obs.slice %tile [0] [32] [1] : !obs.pull<48 x i32> -> !c32
    %y = obs.slice %tile [32] [16] [1] : !obs.pull<48 x i32> -> !obs.pull<16 x i32>
    %p = obs.push %x : !c32 -> !w32
    %q = obs.push %y : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %f:2 = obs.force %p, %q : !w32, !obs.push<block, 16 x i32> -> (!c32, !obs.pull<16 x i32>)
    %both = obs.concat %f#1, %f#0 : !obs.pull<16 x i32>, !c32 -> !obs.pull<48 x i32>
    %s = obs.push %both : !obs.pull<48 x i32> -> !obs.push<block, 48 x i32>
    obs.yield %s : !obs.push<block, 48 x i32>
  }
  %all = obs.join %parts : !obs.push<grid, 2 x 48 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %all : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// forceG, forceG2: a force at level grid is a kernel; the next kernel reads the result.
func.func @force_g(%a: !v) -> (!v, !v) {
  %p = obs.push %a : !v -> !out
  %q = obs.reverse %p : !out
  %r:2 = obs.force %p, %q {kernel = "first"} : !out, !out -> (!v, !v)
  %d = obs.map (%x = %r#0 : !v, %y = %r#1 : !v) -> !v {
    %z = arith.subi %x, %y : i32
    obs.yield %z : i32
  }
  %s = obs.push %d : !v -> !out
  %t = obs.force %s {kernel = "second"} : !out -> !v
  return %r#1, %t : !v, !v
}

// forceTo, writeTo: a force into memory of the caller. The result is the new array.
func.func @force_to(%m: memref<?xi32>) -> !v {
  %one = arith.constant 1 : i32
  %a = obs.view %m : memref<?xi32>
  %b = obs.map (%x = %a : !v) -> !v {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %p = obs.push %b : !v -> !out
  %r = obs.force %p into %m : !out into memref<?xi32> -> !v
  return %r : !v
}

// composeS [f, f, f]: a force after each kernel, and the force of the program after the last one.
func.func private @stage(%a: !c32) -> !c32 attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %b = obs.generate (%i) {
    %k = arith.addi %i, %c1 : index
    %j = arith.andi %k, %c31 : index
    %x = obs.get %a[%i] : !c32
    %y = obs.get %a[%j] : !c32
    %z = arith.subi %x, %y : i32
    obs.yield %z : i32
  } : !c32
  %p = obs.push %b : !c32 -> !w32
  %r = obs.force %p : !w32 -> !c32
  return %r : !c32
}

func.func @compose_s(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %tiles = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !c32>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<3 x !c32>) -> !obs.push<grid, 3 x 32 x i32> {
    %x = func.call @stage(%tile) : (!c32) -> !c32
    %y = func.call @stage(%x) : (!c32) -> !c32
    %z = func.call @stage(%y) : (!c32) -> !c32
    %p = obs.push %z : !c32 -> !w32
    obs.yield %p : !w32
  }
  %all = obs.join %parts : !obs.push<grid, 3 x 32 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %all : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// atomicForce: each block has a histogram in its own storage. All of its threads read it
// afterwards.
func.func @atomic_force(%a: !obs.pull<96 x i32>) -> !obs.pull<48 x i32> {
  %tiles = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !c32>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<3 x !c32>) -> !obs.push<grid, 3 x 16 x i32> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c15 = arith.constant 15 : i32
    %c32 = arith.constant 32 : index
    %p = obs.fill init %zero reduce(addi) par (%t) in (%c32) {
      %x = obs.get %tile[%t] : !c32
      %k = arith.andi %x, %c15 : i32
      %i = arith.index_castui %k : i32 to index
      obs.write %one at [%i] : i32
    } : !obs.push<block, 16 x i32>
    %h = obs.force %p : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %back = obs.reverse %h : !obs.pull<16 x i32>
    %q = obs.push %back : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 3 x 16 x i32> -> !obs.push<grid, 48 x i32>
  %r = obs.force %flat : !obs.push<grid, 48 x i32> -> !obs.pull<48 x i32>
  return %r : !obs.pull<48 x i32>
}

// The storage of each level: registers of a thread, shared memory of a warp and of a block.
func.func @storage(%a: !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
  %tiles = obs.split %a by [128] : !obs.pull<256 x i32> -> !obs.pull<2 x !obs.pull<128 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<128 x i32>>) -> !obs.push<grid, 2 x 128 x i32> {
    %quads = obs.split %tile by [4] : !obs.pull<128 x i32> -> !obs.pull<32 x !obs.pull<4 x i32>>
    %threads = obs.distribute thread (%q = %quads : !obs.pull<32 x !obs.pull<4 x i32>>) -> !obs.push<block, 32 x 4 x i32> {
      %p = obs.push %q : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
      %own = obs.force %p in registers : !obs.push<thread, 4 x i32> -> !obs.pull<4 x i32>
      %back = obs.reverse %own : !obs.pull<4 x i32>
      %s = obs.push %back : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
      obs.yield %s : !obs.push<thread, 4 x i32>
    }
    %flat = obs.join %threads : !obs.push<block, 32 x 4 x i32> -> !obs.push<block, 128 x i32>
    %shared = obs.force %flat in shared : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
    %back = obs.reverse %shared : !obs.pull<128 x i32>
    %p = obs.push %back : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %p : !obs.push<block, 128 x i32>
  }
  %all = obs.join %parts : !obs.push<grid, 2 x 128 x i32> -> !obs.push<grid, 256 x i32>
  %r = obs.force %all : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
  return %r : !obs.pull<256 x i32>
}
