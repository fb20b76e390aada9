// Threads process rows: a scan, a composition of affine maps, the difference to the largest element of rows of a vector,
// and scans of the rows of planes from the right.

func.func @scans(%m: !obs.pull<? x 33 x i32>) -> !obs.pull<? x 33 x i32> {
  %c0 = arith.constant 0 : i32
  %rows = obs.nest %m dims 1 : !obs.pull<? x 33 x i32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<? x !obs.pull<33 x i32>>) {
    %s = obs.scan thread inclusive { arith.addi } %row init %c0 : !obs.pull<33 x i32>
    obs.yield %s : !obs.push<thread, 33 x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x 33 x i32>
  return %r : !obs.pull<? x 33 x i32>
}

// Element m of a row is the map x -> m * x + 7. The result is that of all maps at 1.
func.func @maps(%m: !obs.pull<? x 12 x i32>) -> !obs.pull<? x 1 x i32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %rows = obs.nest %m dims 1 : !obs.pull<? x 12 x i32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<? x !obs.pull<12 x i32>>) {
    %maps = obs.map (%x = %row : !obs.pull<12 x i32>) {
      obs.yield %x, %c7 : i32, i32
    }
    %a, %b = obs.reduce (%a0, %b0, %a1, %b1) = %maps init %c1, %c0 : !obs.pull<12 x i32, i32> {
      %product = arith.muli %a0, %a1 : i32
      %scaled = arith.muli %b0, %a1 : i32
      %sum = arith.addi %scaled, %b1 : i32
      obs.yield %product, %sum : i32, i32
    }
    %y = arith.addi %a, %b : i32
    %one = obs.splat %y : !obs.pull<1 x i32>
    %push = obs.push thread %one : !obs.pull<1 x i32>
    obs.yield %push : !obs.push<thread, 1 x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x 1 x i32>
  return %r : !obs.pull<? x 1 x i32>
}

func.func @flat(%v: !obs.pull<6600 x i32>) -> !obs.pull<550 x 12 x i32> {
  %least = arith.constant -1 : i32
  %m = obs.reshape %v : !obs.pull<6600 x i32> -> !obs.pull<550 x 12 x i32>
  %rows = obs.nest %m dims 1 : !obs.pull<550 x 12 x i32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<550 x !obs.pull<12 x i32>>) {
    %top = obs.reduce { arith.maxsi } %row init %least : !obs.pull<12 x i32>
    %differences = obs.map (%x = %row : !obs.pull<12 x i32>) {
      %d = arith.subi %top, %x : i32
      obs.yield %d : i32
    }
    %push = obs.push thread %differences : !obs.pull<12 x i32>
    obs.yield %push : !obs.push<thread, 12 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 550 x 12 x i32>
  return %r : !obs.pull<550 x 12 x i32>
}

func.func @planes(%m: !obs.pull<? x ? x 17 x i8>) -> !obs.pull<? x ? x 17 x i8> {
  %c0 = arith.constant 0 : i8
  %flipped = obs.reverse %m dim 2 : !obs.pull<? x ? x 17 x i8>
  %rows = obs.nest %flipped dims 2 : !obs.pull<? x ? x 17 x i8>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<? x ? x !obs.pull<17 x i8>>) {
    %s = obs.scan thread inclusive { arith.addi } %row init %c0 : !obs.pull<17 x i8>
    obs.yield %s : !obs.push<thread, 17 x i8>
  }
  %q = obs.reverse %p dim 2 : !obs.push<grid, ? x ? x 17 x i8>
  %r = obs.force %q : !obs.push<grid, ? x ? x 17 x i8>
  return %r : !obs.pull<? x ? x 17 x i8>
}
