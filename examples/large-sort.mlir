// Sorts any number of integers: the large sorter of the DAMP'12 paper on push arrays, with
// all comparators in one direction. From: K. Claessen, M. Sheeran, J. Svensson, DAMP 2012.
//
// First, each block sorts a chunk of 512 elements (the periodic network vsort). Then
// merges make runs of 512 * 2^i elements, for i = 1, 2, .... The columns of a merge have
// the strides 256 * 2^i, ..., 512. The first column compares each element with its mirror
// image in the run (a vee). One block for each chunk executes the columns with strides
// below 512. A column over the whole array mainly moves data, so three columns are one
// kernel: @tile, a network on the eight elements of one thread, for any stride. The last
// three columns of a merge may have strides below 512; a column that is executed again
// changes nothing.
//
// An array of any other length than 512 * 2^i is padded with the largest integer.
//
// GPU: 2^24 elements need 61 launches, and at most two arrays. The columns of a tile are
// unrolled, so its elements are in registers.
//
// Run: obs-run examples/large-sort.mlir random:5000xi32:1
//      obs-run examples/large-sort.mlir --device=emulate random:5000xi32:1

!i32s = !obs.pull<? x i32>
!chunk = !obs.pull<512 x i32>
!pushed = !obs.push<block, 512 x i32>
!grid_i32s = !obs.push<grid, ? x i32>
!i32x8 = !obs.pull<8 x i32>

// One stage of a network in a block. A comparator compares two elements whose indices
// differ in the bits of %mask, of which 2^%bit is the highest. Iteration t writes both
// elements of pair t, so no select is needed.
func.func private @stage(%x: !chunk, %mask: index, %bit: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %pairs = arith.constant 256 : index
  %p = obs.fill unchecked par (%t) in (%pairs) {
    %i = obs.bit.insert_zero %t, %bit : index
    %j = arith.xori %i, %mask : index
    %a = obs.get %x[%i] : !chunk
    %b = obs.get %x[%j] : !chunk
    %min = arith.minsi %a, %b : i32
    %max = arith.maxsi %a, %b : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !pushed
  %r = obs.force %p : !pushed
  return %r : !chunk
}

// vsort of one chunk. Stage j of group i compares elements whose indices differ by the
// mask 2^(10-j) - 2^(9-i).
func.func private @sort_chunk(%c: !chunk) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c1 to %c10 step %c1 iter_args(%x = %c) -> !chunk {
    %end = arith.addi %i, %c1 : index
    %y = scf.for %j = %c1 to %end step %c1 iter_args(%z = %x) -> !chunk {
      %bit = arith.subi %c9, %j : index
      %low = arith.subi %c9, %i : index
      %high = arith.shli %c2, %bit : index
      %step = arith.shli %c1, %low : index
      %mask = arith.subi %high, %step : index
      %next = func.call @stage(%z, %mask, %bit) : (!chunk, index, index) -> !chunk
      scf.yield %next : !chunk
    }
    scf.yield %y : !chunk
  }
  return %r : !chunk
}

// The columns with strides 256, 128, ..., 1 in one chunk.
func.func private @merge_chunk(%c: !chunk) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %c) -> !chunk {
    %bit = arith.subi %c8, %i : index
    %mask = arith.shli %c1, %bit : index
    %next = func.call @stage(%x, %mask, %bit) : (!chunk, index, index) -> !chunk
    scf.yield %next : !chunk
  }
  return %r : !chunk
}

// Three columns over the whole array, with strides 2^(%low + 2), ..., 2^%low. If %vee is
// true, the first one compares mirror images. Thread t holds the elements whose index has
// any bits %low, ..., %low + 2, and the bits of t in the other places. In a vee, it holds
// the mirror images of the upper half, in reverse order: each element is compared with
// the one four places further.
func.func private @tile(%x: !i32s, %low: index, %vee: i1) -> !i32s {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 4 : index
  %n = obs.dim %x, 0 : !i32s
  %tiles = arith.shrui %n, %c3 : index
  %stride = arith.shli %c1, %low : index
  %rest = arith.subi %stride, %c1 : index
  // The position of element j of tile t in the array.
  %address = obs.generate (%t, %j) [%tiles] {
    %r = arith.andi %t, %rest : index
    %mirrored = arith.subi %rest, %r : index
    %upper = arith.cmpi uge, %j, %half : index
    %turned = arith.andi %upper, %vee : i1
    %offset = arith.select %turned, %mirrored, %r : index
    %group = arith.shrui %t, %low : index
    %high = arith.shli %group, %c3 : index
    %back = arith.xori %j, %c3 : index
    %place = arith.select %turned, %back, %j : index
    %row = arith.ori %high, %place : index
    %begin = arith.shli %row, %low : index
    %e = arith.ori %begin, %offset : index
    obs.yield %e : index
  } : !obs.pull<? x 8 x index>
  %rows = obs.nest %address dims 1 : !obs.pull<? x 8 x index>
  %d = obs.distribute thread (%row = %rows : !obs.pull<? x !obs.pull<8 x index>>) -> !obs.push<grid, ? x 8 x i32> {
    %given = obs.map (%e = %row : !obs.pull<8 x index>) {
      %v = obs.get %x[%e] : !i32s
      obs.yield %v : i32
    }
    %own = obs.force %given : !i32x8
    %sorted = scf.for %c = %c0 to %c3 step %c1 iter_args(%y = %own) -> !i32x8 {
      %mask = arith.shrui %half, %c : index
      %isLater = arith.cmpi ne, %c, %c0 : index
      %turns = arith.andi %isLater, %vee : i1
      %column = obs.generate (%j) {
        %partner = arith.xori %j, %mask : index
        %mine = obs.get %y[%j] : !i32x8
        %theirs = obs.get %y[%partner] : !i32x8
        %isLeft = arith.cmpi ult, %j, %partner : index
        %upper = arith.cmpi uge, %j, %half : index
        %turned = arith.andi %upper, %turns : i1
        %isLow = arith.xori %isLeft, %turned : i1
        %min = arith.minsi %mine, %theirs : i32
        %max = arith.maxsi %mine, %theirs : i32
        %v = arith.select %isLow, %min, %max : i32
        obs.yield %v : i32
      } : !i32x8
      %f = obs.force %column : !i32x8
      scf.yield %f : !i32x8
    } {obs.unroll}
    %q = obs.push thread %sorted : !i32x8
    obs.yield %q : !obs.push<thread, 8 x i32>
  }
  %moved = obs.reindex (%t, %j) = %d [%n] unchecked {
    %e = obs.get %address[%t, %j] : !obs.pull<? x 8 x index>
    obs.yield %e : index
  } : !obs.push<grid, ? x 8 x i32> -> !grid_i32s
  %f = obs.force %moved {kernel = "columns"} : !grid_i32s
  return %f : !i32s
}

func.func @main(%a: !i32s {obs.name = "numbers"}) -> (!i32s {obs.name = "sorted"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
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
    %v = scf.if %isIn -> i32 {
      %given = obs.get %a[%e] : !i32s
      scf.yield %given : i32
    } else {
      scf.yield %largest : i32
    }
    obs.yield %v : i32
  } : !i32s
  %chunks = obs.split %filled by [512] : !i32s
  %parts = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !chunk>) {
    %s = func.call @sort_chunk(%c) : (!chunk) -> !chunk
    %p = obs.push block %s : !chunk
    obs.yield %p : !pushed
  }
  %flat = obs.join %parts to [%size] : !obs.push<grid, ? x 512 x i32>
  %runs = obs.force %flat {kernel = "sort_chunks"} : !grid_i32s

  %end = arith.addi %rounds, %c1 : index
  %sorted = scf.for %i = %c1 to %end step %c1 iter_args(%x = %runs) -> !i32s {
    // There are %i columns with strides of 512 or more.
    %groups = arith.ceildivui %i, %c3 : index
    %y = scf.for %g = %c0 to %groups step %c1 iter_args(%z = %x) -> !i32s {
      %isFirst = arith.cmpi eq, %g, %c0 : index
      %before = arith.muli %g, %c3 : index
      %left = arith.subi %i, %before : index
      %low = arith.addi %left, %c6 : index
      %done = func.call @tile(%z, %low, %isFirst) : (!i32s, index, i1) -> !i32s
      scf.yield %done : !i32s
    }
    %runs2 = obs.split %y by [512] : !i32s
    %merged = obs.distribute block in grid (%c = %runs2 : !obs.pull<? x !chunk>) {
      %m = func.call @merge_chunk(%c) : (!chunk) -> !chunk
      %p = obs.push block %m : !chunk
      obs.yield %p : !pushed
    }
    %joined = obs.join %merged to [%size] : !obs.push<grid, ? x 512 x i32>
    %next = obs.force %joined {kernel = "merge_chunks"} : !grid_i32s
    scf.yield %next : !i32s
  }
  %result = obs.take %sorted [%n] : !i32s
  return %result : !i32s
}
