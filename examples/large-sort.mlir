// Sorts any number of integers: the large sorter of the DAMP'12 paper on push arrays, with
// all comparators in one direction. From: K. Claessen, M. Sheeran, J. Svensson, DAMP 2012.
//
// First, each block sorts a chunk of 512 elements (the periodic network vsort). Then
// merges make runs of 512 * 2^i elements, for i = 1, 2, .... The columns of a merge have
// the strides 256 * 2^i, ..., 512. The first column compares each element with its mirror
// image in the run (a vee). One block for each chunk executes the columns with strides
// below 512. A column over the whole array mainly moves data, so up to three columns are
// one kernel: @tile, a network on the 2^k elements of one thread, for any stride. The
// number of columns of a kernel is a constant for the compiler. Everything else is known
// at run time only.
//
// An array of any other length than 512 * 2^i is padded with the largest integer.
//
// GPU: 2^24 elements need 61 launches, and at most two arrays. The columns of a tile are
// unrolled, so its elements are in registers.
//
// Run: obs-run examples/large-sort.mlir random:5000xi32:1
//      obs-run examples/large-sort.mlir --device=emulate random:5000xi32:1

!i32s = !obs.pull<? x i32>
!i32x512 = !obs.pull<512 x i32>
!block_i32x512 = !obs.push<block, 512 x i32>
!grid_i32s = !obs.push<grid, ? x i32>
!index_2d = !obs.pull<? x ? x index>

// One stage of a network in a block. A comparator compares two elements whose indices
// differ in the bits of %mask, of which 2^%bit is the highest. Iteration t writes both
// elements of pair t, so no select is needed.
func.func private @stage(%x: !i32x512, %mask: index, %bit: index) -> !i32x512 attributes {obs.level = #obs.level<block>} {
  %pairs = arith.constant 256 : index
  %p = obs.fill unchecked par (%t) in (%pairs) {
    %i = obs.bit.insert_zero %t, %bit : index
    %j = arith.xori %i, %mask : index
    %a = obs.get %x[%i] : !i32x512
    %b = obs.get %x[%j] : !i32x512
    %min = arith.minsi %a, %b : i32
    %max = arith.maxsi %a, %b : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !block_i32x512
  %r = obs.force %p : !block_i32x512
  return %r : !i32x512
}

// vsort of one chunk. Stage j of group i compares elements whose indices differ by the
// mask 2^(9-i) * (2^(i-j+1) - 1).
func.func private @sort_chunk(%c: !i32x512) -> !i32x512 attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c1 to %c10 step %c1 iter_args(%x = %c) -> !i32x512 {
    %end = arith.addi %i, %c1 : index
    %y = scf.for %j = %c1 to %end step %c1 iter_args(%z = %x) -> !i32x512 {
      %low = arith.subi %c9, %i : index
      %wide = arith.subi %end, %j : index
      %power = arith.shli %c1, %wide : index
      %ones = arith.subi %power, %c1 : index
      %mask = arith.shli %ones, %low : index
      %top = arith.addi %low, %wide : index
      %bit = arith.subi %top, %c1 : index
      %next = func.call @stage(%z, %mask, %bit) : (!i32x512, index, index) -> !i32x512
      scf.yield %next : !i32x512
    }
    scf.yield %y : !i32x512
  }
  return %r : !i32x512
}

// The columns with strides 256, 128, ..., 1 in one chunk.
func.func private @merge_chunk(%c: !i32x512) -> !i32x512 attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %c) -> !i32x512 {
    %bit = arith.subi %c8, %i : index
    %mask = arith.shli %c1, %bit : index
    %next = func.call @stage(%x, %mask, %bit) : (!i32x512, index, index) -> !i32x512
    scf.yield %next : !i32x512
  }
  return %r : !i32x512
}

// %k columns over the whole array, with strides 2^(%low + %k - 1), ..., 2^%low. If %vee is
// true, the first one compares mirror images. Thread t holds the elements whose index has
// any bits %low, ..., %low + %k - 1, and the bits of t in the other places. Of the upper half
// of a vee, it holds their mirror images.
func.func private @tile(%x: !i32s, %low: index, %k: index, %vee: i1) -> !i32s {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !i32s
  %size = arith.shli %c1, %k : index
  %half = arith.shrui %size, %c1 : index
  %last = arith.subi %size, %c1 : index
  %tiles = arith.shrui %n, %k : index
  %stride = arith.shli %c1, %low : index
  %rest = arith.subi %stride, %c1 : index
  // The position of element j of tile t in the array.
  %address = obs.generate (%t, %j) [%tiles, %size] {
    %r = arith.andi %t, %rest : index
    %mirrored = arith.subi %rest, %r : index
    %upper = arith.cmpi uge, %j, %half : index
    %turned = arith.andi %upper, %vee : i1
    %offset = arith.select %turned, %mirrored, %r : index
    %group = arith.shrui %t, %low : index
    %high = arith.shli %group, %k : index
    %row = arith.ori %high, %j : index
    %begin = arith.shli %row, %low : index
    %e = arith.ori %begin, %offset : index
    obs.yield %e : index
  } : !index_2d
  %numbers = obs.iota [%tiles] : !obs.pull<? x index>
  %d = obs.distribute thread (%t = %numbers : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x i32> {
    %own = obs.generate (%j) [%size] {
      %e = obs.get %address[%t, %j] : !index_2d
      %v = obs.get %x[%e] : !i32s
      obs.yield %v : i32
    } : !obs.pull<? x i32 bound [8]>
    %sorted = scf.for %c = %c0 to %k step %c1 iter_args(%y = %own) -> !obs.pull<? x i32 bound [8]> {
      %isFirst = arith.cmpi eq, %c, %c0 : index
      %mirror = arith.andi %isFirst, %vee : i1
      %power = arith.shrui %half, %c : index
      %mask = arith.select %mirror, %last, %power : index
      %column = obs.generate (%j) [%size] {
        %partner = arith.xori %j, %mask : index
        %mine = obs.get %y[%j] : !obs.pull<? x i32 bound [8]>
        %theirs = obs.get %y[%partner] : !obs.pull<? x i32 bound [8]>
        %isLow = arith.cmpi ult, %j, %partner : index
        %min = arith.minsi %mine, %theirs : i32
        %max = arith.maxsi %mine, %theirs : i32
        %v = arith.select %isLow, %min, %max : i32
        obs.yield %v : i32
      } : !obs.pull<? x i32 bound [8]>
      %f = obs.force %column : !obs.pull<? x i32 bound [8]>
      scf.yield %f : !obs.pull<? x i32 bound [8]>
    } {obs.unroll}
    %q = obs.push thread %sorted : !obs.pull<? x i32 bound [8]>
    obs.yield %q : !obs.push<thread, ? x i32 bound [8]>
  }
  %moved = obs.reindex (%t, %j) = %d [%n] unchecked {
    %e = obs.get %address[%t, %j] : !index_2d
    obs.yield %e : index
  } : !obs.push<grid, ? x ? x i32> -> !grid_i32s
  %f = obs.force %moved {kernel = "columns"} : !grid_i32s
  return %f : !i32s
}

func.func @main(%a: !i32s {obs.name = "numbers"}) -> (!i32s {obs.name = "sorted"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c511 = arith.constant 511 : index
  %c512 = arith.constant 512 : index
  %largest = arith.constant 2147483647 : i32
  %n = obs.dim %a, 0 : !i32s

  // %size is 512 * 2^%rounds, the smallest such number that is not less than %n.
  %size, %rounds = scf.while (%s = %c512, %r = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %s, %n : index
    scf.condition(%more) %s, %r : index, index
  } do {
  ^bb0(%s: index, %r: index):
    %twice = arith.shli %s, %c1 : index
    %next = arith.addi %r, %c1 : index
    scf.yield %twice, %next : index, index
  }
  %filled = obs.generate (%e) [%size] {
    %isIn = arith.cmpi ult, %e, %n : index
    %v = scf.if %isIn -> (i32) {
      %given = obs.get %a[%e] : !i32s
      scf.yield %given : i32
    } else {
      scf.yield %largest : i32
    }
    obs.yield %v : i32
  } : !i32s
  %chunks = obs.split %filled by [512] : !i32s
  %parts = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !i32x512>) {
    %s = func.call @sort_chunk(%c) : (!i32x512) -> !i32x512
    %p = obs.push block %s : !i32x512
    obs.yield %p : !block_i32x512
  }
  %flat = obs.join %parts to [%size] : !obs.push<grid, ? x 512 x i32>
  %runs = obs.force %flat {kernel = "sort_chunks", threads = 256} : !grid_i32s

  %end = arith.addi %rounds, %c1 : index
  %sorted = scf.for %i = %c1 to %end step %c1 iter_args(%x = %runs) -> !i32s {
    // There are %i columns with strides of 512 or more. Each kernel executes three of
    // them, and the last kernel executes the rest.
    %ceil = arith.addi %i, %c2 : index
    %groups = arith.divui %ceil, %c3 : index
    %y = scf.for %g = %c0 to %groups step %c1 iter_args(%z = %x) -> !i32s {
      %isFirst = arith.cmpi eq, %g, %c0 : index
      %before = arith.muli %g, %c3 : index
      %left = arith.subi %i, %before : index
      %k = arith.minui %left, %c3 : index
      %after = arith.subi %left, %k : index
      %low = arith.addi %c9, %after : index
      %isThree = arith.cmpi eq, %k, %c3 : index
      %done = scf.if %isThree -> !i32s {
        %t = func.call @tile(%z, %low, %c3, %isFirst) : (!i32s, index, index, i1) -> !i32s
        scf.yield %t : !i32s
      } else {
        %isTwo = arith.cmpi eq, %k, %c2 : index
        %t = scf.if %isTwo -> !i32s {
          %u = func.call @tile(%z, %low, %c2, %isFirst) : (!i32s, index, index, i1) -> !i32s
          scf.yield %u : !i32s
        } else {
          %u = func.call @tile(%z, %low, %c1, %isFirst) : (!i32s, index, index, i1) -> !i32s
          scf.yield %u : !i32s
        }
        scf.yield %t : !i32s
      }
      scf.yield %done : !i32s
    }
    %runs2 = obs.split %y by [512] : !i32s
    %merged = obs.distribute block in grid (%c = %runs2 : !obs.pull<? x !i32x512>) {
      %m = func.call @merge_chunk(%c) : (!i32x512) -> !i32x512
      %p = obs.push block %m : !i32x512
      obs.yield %p : !block_i32x512
    }
    %joined = obs.join %merged to [%size] : !obs.push<grid, ? x 512 x i32>
    %next = obs.force %joined {kernel = "merge_chunks", threads = 256} : !grid_i32s
    scf.yield %next : !i32s
  }
  %result = obs.take %sorted [%n] : !i32s
  return %result : !i32s
}
