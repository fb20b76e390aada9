// RUN: %python %S/check.py obs-run %s

// Sequential building blocks of Obsidian: programs of single threads, and
// programs of a block in which one step follows the other.
// docs/FromObsidian.md quotes these functions; check.py compares each with Python.

!v = !obs.pull<? x i32>
!out = !obs.push<grid, ? x i32>
!row = !obs.pull<4 x i32>
!rows = !obs.pull<? x !obs.pull<4 x i32>>
!written = !obs.push<thread, 4 x i32>

// seqReduce, seqFold: a loop in the code of one element. The first operand is init.
func.func @seq_reduce(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %rows = obs.split %a by [4] pad %zero : !v -> !rows
  %r = obs.map (%row = %rows : !rows) -> !v {
    %s = obs.reduce (%x, %y) = %row init %zero : !row -> i32 {
      %z = arith.subi %x, %y : i32
      obs.yield %z : i32
    }
    obs.yield %s : i32
  }
  return %r : !v
}

// seqIterate n f x.
func.func @seq_iterate(%a: !v) -> !v {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %r = obs.map (%x = %a : !v) -> !v {
    %z = scf.for %i = %c0 to %c10 step %c1 iter_args(%y = %x) -> (i32) : i32 {
      %s = arith.muli %y, %y : i32
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    }
    obs.yield %z : i32
  }
  return %r : !v
}

// seqUntil, which is a while: halves a number as long as it is even and not 0.
func.func @seq_until(%a: !v) -> !v {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = obs.map (%x = %a : !v) -> !v {
    %z = scf.while (%y = %x) : (i32) -> i32 {
      %bit = arith.andi %y, %c1 : i32
      %even = arith.cmpi eq, %bit, %c0 : i32
      %some = arith.cmpi ne, %y, %c0 : i32
      %more = arith.andi %even, %some : i1
      scf.condition(%more) %y : i32
    } do {
    ^bb0(%y: i32):
      %h = arith.divsi %y, %c2 : i32
      scf.yield %h : i32
    }
    obs.yield %z : i32
  }
  return %r : !v
}

// seqScan, seqScanCin: a scan in a region of level thread; init is the carry in.
func.func @seq_scan(%a: !v, %carry: i32) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %rows = obs.split %a by [4] pad %zero : !v -> !rows
  %parts = obs.distribute thread (%row = %rows : !rows) -> !obs.push<grid, ? x 4 x i32> {
    %p = obs.scan inclusive (%x, %y) = %row init %carry : !row -> !written {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    obs.yield %p : !written
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// mapAccumL f: a loop over the elements carries an accumulator of any type. Each element of
// the result is the accumulator before it, here the number of negative elements before.
func.func @map_accum_l(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %rows = obs.split %a by [4] pad %zero : !v -> !rows
  %parts = obs.distribute thread (%row = %rows : !rows) -> !obs.push<grid, ? x 4 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %p = obs.fill {
      %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> i32 {
        obs.write %acc at [%i] : i32
        %x = obs.get %row[%i] : !row
        %negative = arith.cmpi slt, %x, %zero : i32
        %bit = arith.extui %negative : i1 to i32
        %next = arith.addi %acc, %bit : i32
        scf.yield %next : i32
      }
    } : !written
    obs.yield %p : !written
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// mapAccumR f is mapAccumL f of the reversed array, reversed; here a scan from the right.
func.func @map_accum_r(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %rows = obs.split %a by [4] pad %zero : !v -> !rows
  %parts = obs.distribute thread (%row = %rows : !rows) -> !obs.push<grid, ? x 4 x i32> {
    %back = obs.reverse %row : !row
    %p = obs.scan exclusive (%x, %y) = %back init %zero : !row -> !written {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %q = obs.reverse %p : !written
    obs.yield %q : !written
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// seqMap f: a push of level thread is a loop.
func.func @seq_map(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %rows = obs.split %a by [4] pad %zero : !v -> !rows
  %parts = obs.distribute thread (%row = %rows : !rows) -> !obs.push<grid, ? x 4 x i32> {
    %b = obs.map (%x = %row : !row) -> !row {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %p = obs.push %b : !row -> !written
    obs.yield %p : !written
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// sMapAccum f: a block scans its chunks one after the other; the total is carried.
func.func @s_map_accum(%a: !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
  %tiles = obs.split %a by [128] : !obs.pull<256 x i32> -> !obs.pull<2 x !obs.pull<128 x i32>>
  %parts = obs.distribute block (%tile = %tiles : !obs.pull<2 x !obs.pull<128 x i32>>) -> !obs.push<grid, 2 x 128 x i32> {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %chunks = obs.split %tile by [32] : !obs.pull<128 x i32> -> !obs.pull<4 x !obs.pull<32 x i32>>
    %p = obs.fill {
      %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%carry = %zero) -> i32 {
        %chunk = obs.get %chunks[%i] : !obs.pull<4 x !obs.pull<32 x i32>>
        %s, %total = obs.scan inclusive (%x, %y) = %chunk init %carry : !obs.pull<32 x i32> -> (!obs.push<block, 32 x i32>, i32) {
          %z = arith.addi %x, %y : i32
          obs.yield %z : i32
        }
        %o = arith.muli %i, %c32 : index
        obs.put %s at [%o] : !obs.push<block, 32 x i32>
        scf.yield %total : i32
      }
    } : !obs.push<block, 128 x i32>
    obs.yield %p : !obs.push<block, 128 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 2 x 128 x i32> -> !obs.push<grid, 256 x i32>
  %r = obs.force %flat : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
  return %r : !obs.pull<256 x i32>
}

// A sequential sort: the index of an element is the number of smaller elements and of equal
// elements before it.
func.func @seq_sort(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %chunks = obs.split %a by [8] : !obs.pull<96 x i32> -> !obs.pull<12 x !obs.pull<8 x i32>>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<12 x !obs.pull<8 x i32>>) -> !obs.push<grid, 12 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %p = obs.fill unchecked {
      scf.for %i = %c0 to %c8 step %c1 {
        %x = obs.get %c[%i] : !obs.pull<8 x i32>
        %place = scf.for %j = %c0 to %c8 step %c1 iter_args(%k = %c0) -> index {
          %y = obs.get %c[%j] : !obs.pull<8 x i32>
          %less = arith.cmpi slt, %y, %x : i32
          %equal = arith.cmpi eq, %y, %x : i32
          %before = arith.cmpi ult, %j, %i : index
          %tie = arith.andi %equal, %before : i1
          %first = arith.ori %less, %tie : i1
          %next = arith.addi %k, %c1 : index
          %m = arith.select %first, %next, %k : index
          scf.yield %m : index
        }
        obs.write %x at [%place] : i32
      }
    } : !obs.push<thread, 8 x i32>
    obs.yield %p : !obs.push<thread, 8 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 12 x 8 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %flat : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// A sequential merge of the sorted halves of 8 elements: two numbers of elements
// taken are carried. At the end of one half, the other half is used.
func.func @seq_merge(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %sorted = func.call @sorted_halves(%a) : (!obs.pull<96 x i32>) -> !obs.pull<96 x i32>
  %chunks = obs.split %sorted by [8] : !obs.pull<96 x i32> -> !obs.pull<12 x !obs.pull<8 x i32>>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<12 x !obs.pull<8 x i32>>) -> !obs.push<grid, 12 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %p = obs.fill {
      %end:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %c0, %r = %c0) -> (index, index) {
        // Indices stay in range. A value past the end is not used.
        %li = arith.minui %l, %c3 : index
        %ri = arith.minui %r, %c3 : index
        %ro = arith.addi %ri, %c4 : index
        %x = obs.get %c[%li] : !obs.pull<8 x i32>
        %y = obs.get %c[%ro] : !obs.pull<8 x i32>
        %le = arith.cmpi sle, %x, %y : i32
        %l_left = arith.cmpi ult, %l, %c4 : index
        %r_done = arith.cmpi uge, %r, %c4 : index
        %either = arith.ori %le, %r_done : i1
        %from_l = arith.andi %either, %l_left : i1
        %z = arith.select %from_l, %x, %y : i32
        obs.write %z at [%i] : i32
        %l1 = arith.addi %l, %c1 : index
        %r1 = arith.addi %r, %c1 : index
        %ln = arith.select %from_l, %l1, %l : index
        %rn = arith.select %from_l, %r, %r1 : index
        scf.yield %ln, %rn : index, index
      }
    } : !obs.push<thread, 8 x i32>
    obs.yield %p : !obs.push<thread, 8 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 12 x 8 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %flat : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// Sorted runs of four elements: the input of seq_merge.
func.func @sorted_halves(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %r = obs.generate (%i) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    // The element with as many elements before it as i says.
    %want = arith.andi %i, %c3 : index
    %base = arith.subi %i, %want : index
    %x = scf.for %j = %c0 to %c4 step %c1 iter_args(%found = %zero) -> i32 {
      %jo = arith.addi %base, %j : index
      %y = obs.get %a[%jo] : !obs.pull<96 x i32>
      %rank = scf.for %k = %c0 to %c4 step %c1 iter_args(%count = %c0) -> index {
        %ko = arith.addi %base, %k : index
        %z = obs.get %a[%ko] : !obs.pull<96 x i32>
        %less = arith.cmpi slt, %z, %y : i32
        %equal = arith.cmpi eq, %z, %y : i32
        %before = arith.cmpi ult, %k, %j : index
        %tie = arith.andi %equal, %before : i1
        %first = arith.ori %less, %tie : i1
        %more = arith.addi %count, %c1 : index
        %m = arith.select %first, %more, %count : index
        scf.yield %m : index
      }
      %is = arith.cmpi eq, %rank, %want : index
      %next = arith.select %is, %y, %found : i32
      scf.yield %next : i32
    }
    obs.yield %x : i32
  } : !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// A sequential filter of each row: first the elements that are not negative, then -1. The
// second result has the number of the elements that are not negative.
func.func @seq_filter(%a: !v) -> (!v, !v) {
  %zero = arith.constant 0 : i32
  %gone = arith.constant -1 : i32
  %rows = obs.split %a by [4] pad %gone : !v -> !rows
  %parts, %counts = obs.distribute thread (%row = %rows : !rows) -> (!obs.push<grid, ? x 4 x i32>, !obs.push<grid, ? x 1 x i32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %p = obs.fill init %gone {
      %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> index {
        %x = obs.get %row[%i] : !row
        %keep = arith.cmpi sge, %x, %zero : i32
        scf.if %keep {
          obs.write %x at [%k] : i32
        }
        %k1 = arith.addi %k, %c1 : index
        %next = arith.select %keep, %k1, %k : index
        scf.yield %next : index
      }
    } : !written
    %ones = obs.map (%x = %row : !row) -> !row {
      %keep = arith.cmpi sge, %x, %zero : i32
      %bit = arith.extui %keep : i1 to i32
      obs.yield %bit : i32
    }
    %count = obs.reduce (%x, %y) = %ones init %zero : !row -> i32 {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %count : !obs.pull<1 x i32>
    %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    obs.yield %p, %q : !written, !obs.push<thread, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 4 x i32> -> !out
  %sizes = obs.join %counts : !obs.push<grid, ? x 1 x i32> -> !out
  %r:2 = obs.force %flat, %sizes : !out, !out -> (!v, !v)
  return %r#0, %r#1 : !v, !v
}
