// RUN: %python %S/check.py obs-run %s

// Mutable arrays and atomics, gather and scatter, and tuples of Obsidian.
// docs/FromObsidian.md quotes these functions; check.py compares each with Python.

!v = !obs.pull<? x i32>
!out = !obs.push<grid, ? x i32>

// Mutable Global: memory that the caller owns, changed by each force into it.
func.func @mutable_global(%m: memref<?xi32>, %k: index) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = obs.view %m : memref<?xi32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%x = %a) -> !v {
    %y = obs.map (%e = %x : !v) -> !v {
      %s = arith.addi %e, %e : i32
      obs.yield %s : i32
    }
    %p = obs.push %y : !v -> !out
    %z = obs.force %p into %m : !out into memref<?xi32> -> !v
    scf.yield %z : !v
  }
  return %r : !v
}

// newSharedMutable, assignMutable, indexMutable: an array of the block. A later force
// keeps the elements that it does not write. There is no race between threads.
func.func @mutable_shared(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %tiles = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<3 x !obs.pull<32 x i32>>) -> !obs.push<grid, 3 x 32 x i32> {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %p = obs.push %tile : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %x = obs.force %p : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
    // Every second element becomes the sum of itself and its left neighbour.
    %q = obs.fill onto %x : !obs.pull<32 x i32> par (%t) in (%c16) {
      %i = arith.shli %t, %c1 : index
      %j = arith.ori %i, %c1 : index
      %u = obs.get %x[%i] : !obs.pull<32 x i32>
      %w = obs.get %x[%j] : !obs.pull<32 x i32>
      %s = arith.addi %u, %w : i32
      obs.write %s at [%j] : i32
    } : !obs.push<block, 32 x i32>
    obs.yield %q : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 3 x 32 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %flat : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// atomicInc, atomicAdd: a histogram. The array need not be set to 0 first.
func.func @atomic_add(%keys: !v) -> !obs.pull<10 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !v
  %p = obs.fill init %zero reduce(addi) par (%t) in (%n) {
    %k = obs.get %keys[%t] : !v
    %i = arith.index_castui %k : i32 to index
    obs.write %one at [%i] : i32
  } : !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

// atomicSub: additions of -1 onto the old contents.
func.func @atomic_sub(%onto: !v, %reads: !v) -> !v {
  %one = arith.constant -1 : i32
  %n = obs.dim %onto, 0 : !v
  %p = obs.fill onto %onto : !v reduce(addi) [%n] par (%t) in (%n) {
    %k = obs.get %reads[%t] : !v
    %i = arith.index_castui %k : i32 to index
    obs.write %one at [%i] : i32
  } : !out
  %f = obs.force %p : !out -> !v
  return %f : !v
}

// atomicMin, Max, And, Or, Xor were planned. The last position of each key, or -1.
func.func @atomic_max(%keys: !v) -> !obs.pull<10 x i32> {
  %none = arith.constant -1 : i32
  %n = obs.dim %keys, 0 : !v
  %p = obs.fill init %none reduce(maxs) par (%t) in (%n) {
    %k = obs.get %keys[%t] : !v
    %i = arith.index_castui %k : i32 to index
    %x = arith.index_cast %t : index to i32
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

// atomicExch without its result: one of several writers wins. Here all write the same value.
func.func @atomic_exch(%keys: !v) -> !obs.pull<10 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !v
  %p = obs.fill init %zero any par (%t) in (%n) {
    %k = obs.get %keys[%t] : !v
    %i = arith.index_castui %k : i32 to index
    obs.write %one at [%i] : i32
  } : !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

// atomicDec, which wraps to a bound, here 3. The result depends only on the number of decrements.
func.func @atomic_dec(%keys: !v) -> !obs.pull<10 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !v
  %p = obs.fill init %zero reduce(addi) par (%t) in (%n) {
    %k = obs.get %keys[%t] : !v
    %i = arith.index_castui %k : i32 to index
    obs.write %one at [%i] : i32
  } : !obs.push<grid, 10 x i32>
  %times = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  %r = obs.map (%c = %times : !obs.pull<10 x i32>) -> !obs.pull<10 x i32> {
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %down = arith.remui %c, %four : i32
    %x = arith.subi %three, %down : i32
    obs.yield %x : i32
  }
  return %r : !obs.pull<10 x i32>
}

// atomicCAS(1, 9) without its result, on 0, 1, 0, 1, ...: reads return the old contents. Of the
// writes that find the expected value, one wins.
func.func @atomic_cas(%keys: !v) -> !obs.pull<10 x i32> {
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  %n = obs.dim %keys, 0 : !v
  %g = obs.generate (%i) {
    %x = arith.index_cast %i : index to i32
    %odd = arith.andi %x, %one : i32
    obs.yield %odd : i32
  } : !obs.pull<10 x i32>
  %q = obs.push %g : !obs.pull<10 x i32> -> !obs.push<grid, 10 x i32>
  %old = obs.force %q : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  %p = obs.fill onto %old : !obs.pull<10 x i32> any par (%t) in (%n) {
    %k = obs.get %keys[%t] : !v
    %i = arith.index_castui %k : i32 to index
    %x = obs.get %old[%i] : !obs.pull<10 x i32>
    %equal = arith.cmpi eq, %x, %one : i32
    scf.if %equal {
      obs.write %nine at [%i] : i32
    }
  } : !obs.push<grid, 10 x i32>
  %r = obs.force %p : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %r : !obs.pull<10 x i32>
}

// gatherGlobal idx src: out[i] = src[idx[i]].
func.func @gather(%a: !v, %reads: !v) -> !v {
  %r = obs.map (%k = %reads : !v) -> !v {
    %i = arith.index_castui %k : i32 to index
    %x = obs.get %a[%i] : !v
    obs.yield %x : i32
  }
  return %r : !v
}

// scatterGlobal idx src, permutePush: out[idx[i]] = src[i]. By `disjoint`, the author
// promises that idx contains no index twice. The emulator checks this.
func.func @scatter(%a: !v, %places: !obs.pull<? x index>) -> !v {
  %n = obs.dim %a, 0 : !v
  %p = obs.fill unchecked [%n] par (%t) in (%n) {
    %x = obs.get %a[%t] : !v
    %i = obs.get %places[%t] : !obs.pull<? x index>
    obs.write %x at [%i] : i32
  } : !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// perm: the same for an array that is already a push array.
func.func @perm(%a: !v, %places: !obs.pull<? x index>) -> !v {
  %n = obs.dim %a, 0 : !v
  %p = obs.push %a : !v -> !out
  %back = obs.reverse %p : !out
  %q = obs.reindex (%i) = %back [%n] unchecked {
    %j = obs.get %places[%i] : !obs.pull<? x index>
    obs.yield %j : index
  } : !out -> !out
  %r = obs.force %q : !out -> !v
  return %r : !v
}

// A static permutation from a table of constants.
func.func @table(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %riffle = obs.constant dense<[0, 4, 1, 5, 2, 6, 3, 7]> : tensor<8xindex>
  %r = obs.reindex (%i) = %a {
    %j = obs.get %riffle[%i] : !obs.pull<8 x index>
    obs.yield %j : index
  } : !obs.pull<8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Elements that are tuples, of any number of scalars and of any types.
func.func @tuples(%a: !v, %b: !v) -> (!obs.pull<? x i32, i32, i64, i1>) {
  %r = obs.map (%x = %a : !v, %y = %b : !v) -> !obs.pull<? x i32, i32, i64, i1> {
    %l = arith.minsi %x, %y : i32
    %h = arith.maxsi %x, %y : i32
    %u = arith.extsi %x : i32 to i64
    %w = arith.extsi %y : i32 to i64
    %p = arith.muli %u, %w : i64
    %e = arith.cmpi slt, %x, %y : i32
    obs.yield %l, %h, %p, %e : i32, i32, i64, i1
  }
  return %r : !obs.pull<? x i32, i32, i64, i1>
}

// Select on tuples, and tuples in the storage of a block: an array for each component.
func.func @tuples_stored(%a: !obs.pull<64 x i32>, %b: !obs.pull<64 x i32>) -> (!obs.pull<64 x i32, i32>) {
  %pairs = obs.zip %a, %b : !obs.pull<64 x i32>, !obs.pull<64 x i32>
  %tiles = obs.split %pairs by [32] : !obs.pull<64 x i32, i32> -> !obs.pull<2 x !obs.pull<32 x i32, i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<32 x i32, i32>>) -> !obs.push<grid, 2 x 32 x i32, i32> {
    %p = obs.push %tile : !obs.pull<32 x i32, i32> -> !obs.push<block, 32 x i32, i32>
    %stored = obs.force %p : !obs.push<block, 32 x i32, i32> -> !obs.pull<32 x i32, i32>
    %c0 = arith.constant 0 : index
    %g = obs.generate (%i) {
      %j = obs.bit.flip %i, %c0 : index
      %x, %u = obs.get %stored[%i] : !obs.pull<32 x i32, i32>
      %y, %w = obs.get %stored[%j] : !obs.pull<32 x i32, i32>
      %low = arith.cmpi ult, %i, %j : index
      %greater = arith.cmpi sgt, %x, %y : i32
      %less = arith.cmpi slt, %x, %y : i32
      %swap = arith.select %low, %greater, %less : i1
      %k = arith.select %swap, %y, %x : i32
      %e = arith.select %swap, %w, %u : i32
      obs.yield %k, %e : i32, i32
    } : !obs.pull<32 x i32, i32>
    %q = obs.push %g : !obs.pull<32 x i32, i32> -> !obs.push<block, 32 x i32, i32>
    obs.yield %q : !obs.push<block, 32 x i32, i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 2 x 32 x i32, i32> -> !obs.push<grid, 64 x i32, i32>
  %r = obs.force %flat : !obs.push<grid, 64 x i32, i32> -> !obs.pull<64 x i32, i32>
  return %r : !obs.pull<64 x i32, i32>
}
