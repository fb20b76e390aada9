// Scans, compactions and segments of rows whose length is known at run time only, by blocks and warps: tile by
// tile, with a carry. The oracle is NumPy; rows end in, at and behind the end of a tile.
// REQUIRES: numpy
// RUN: %python %S/Inputs/rows-without-bound.py obs-run %s

func.func @inclusive(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 5 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %n = obs.dim %a, 1 : !obs.pull<? x ? x i32>
  %sums = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %s = obs.scan block inclusive { arith.addi } %row init %zero : !obs.pull<? x i32>
    obs.yield %s : !obs.push<block, ? x i32>
  }
  %r = obs.force %sums : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

func.func @exclusive(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 5 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %sums = obs.distribute warp in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %s = obs.scan warp exclusive { arith.addi } %row init %zero : !obs.pull<? x i32>
    obs.yield %s : !obs.push<warp, ? x i32>
  }
  %r = obs.force %sums : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Not commutative: the last element whose remainder by 7 is 0, by pairs.
func.func @last(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 0 : i32
  %off = arith.constant 0 : i1
  %seven = arith.constant 7 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %sums = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %pairs = obs.map (%x = %row : !obs.pull<? x i32>) {
      %m = arith.remui %x, %seven : i32
      %f = arith.cmpi eq, %m, %zero : i32
      obs.yield %f, %x : i1, i32
    }
    %s = obs.scan block inclusive (%f, %x, %g, %y) = %pairs init %off, %zero : !obs.pull<? x i1, i32> {
      %h = arith.ori %f, %g : i1
      %z = arith.select %g, %y, %x : i32
      obs.yield %h, %z : i1, i32
    }
    %t = obs.map (%f, %x = %s : !obs.push<block, ? x i1, i32>) {
      obs.yield %x : i32
    }
    obs.yield %t : !obs.push<block, ? x i32>
  }
  %r = obs.force %sums : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Segments begin where the element is a multiple of 5.
func.func @segments(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %sums = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %flags = obs.map (%x = %row : !obs.pull<? x i32>) {
      %m = arith.remui %x, %five : i32
      %f = arith.cmpi eq, %m, %zero : i32
      obs.yield %f : i1
    }
    %s = obs.segmented_scan block exclusive { arith.addi } %row init %one flags %flags : !obs.pull<? x i32>, !obs.pull<? x i1>
    obs.yield %s : !obs.push<block, ? x i32>
  }
  %r = obs.force %sums : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// The even elements, then -1.
func.func @kept(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %all = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %flags = obs.map (%x = %row : !obs.pull<? x i32>) {
      %m = arith.andi %x, %one : i32
      %f = arith.cmpi eq, %m, %zero : i32
      obs.yield %f : i1
    }
    %k, %n = obs.compact %row flags %flags init %none : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<block, ? x i32>, !obs.push<block, 1 x index>
    obs.yield %k : !obs.push<block, ? x i32>
  }
  %r = obs.force %all : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// The number of even elements.
func.func @count(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x 1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %all = obs.distribute warp in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %flags = obs.map (%x = %row : !obs.pull<? x i32>) {
      %m = arith.andi %x, %one : i32
      %f = arith.cmpi eq, %m, %zero : i32
      obs.yield %f : i1
    }
    %k, %n = obs.compact %row flags %flags init %none : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<warp, ? x i32>, !obs.push<warp, 1 x i32>
    obs.yield %n : !obs.push<warp, 1 x i32>
  }
  %r = obs.force %all : !obs.push<grid, ? x 1 x i32>
  return %r : !obs.pull<? x 1 x i32>
}

// The sum of this element and all behind it: the total, less what is before.
func.func @total(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %five = arith.constant 5 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %all = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %s, %t = obs.scan block exclusive { arith.addi } %row init %five total : !obs.pull<? x i32>
    %d = obs.map (%x = %s : !obs.push<block, ? x i32>) {
      %y = arith.subi %t, %x : i32
      obs.yield %y : i32
    }
    obs.yield %d : !obs.push<block, ? x i32>
  }
  %r = obs.force %all : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Three segments, from offsets 0, n / 3 and 2 n / 3 on.
func.func @offsets(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 2 : i32
  %c3 = arith.constant 3 : index
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %n = obs.dim %a, 1 : !obs.pull<? x ? x i32>
  %all = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %o = obs.generate (%s) {
      %p = arith.muli %s, %n : index
      %q = arith.divui %p, %c3 : index
      obs.yield %q : index
    } : !obs.pull<4 x index>
    %s = obs.segmented_scan block inclusive { arith.addi } %row init %zero offsets %o : !obs.pull<? x i32>, !obs.pull<4 x index>
    obs.yield %s : !obs.push<block, ? x i32>
  }
  %r = obs.force %all : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// The sums of segments that begin where the element is a multiple of 5, then -7.
func.func @sums(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %minus = arith.constant -7 : i32
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %n = obs.dim %a, 1 : !obs.pull<? x ? x i32>
  %all = obs.distribute warp in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %flags = obs.map (%x = %row : !obs.pull<? x i32>) {
      %m = arith.remui %x, %five : i32
      %f = arith.cmpi eq, %m, %zero : i32
      obs.yield %f : i1
    }
    %s = obs.segmented_reduce { arith.addi } %row init %minus flags %flags [%n] : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<warp, ? x i32>
    obs.yield %s : !obs.push<warp, ? x i32>
  }
  %r = obs.force %all : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}
