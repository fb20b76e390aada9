// An operator that divides: the remainder of the right element. Workers without an element divide nothing.

// DEFINE: %{entry} =
// DEFINE: %{run} = obs-run %s --entry=%{entry} iota:130xi32 | FileCheck %s --check-prefix=%{entry} && obs-run %s --entry=%{entry} --device=emulate --check --threads=64 iota:130xi32 | FileCheck %s --check-prefix=%{entry}
// REDEFINE: %{entry} = reduce_of_blocks
// RUN: %{run}
// REDEFINE: %{entry} = lanes_of_blocks
// RUN: %{run}
// REDEFINE: %{entry} = tree_of_warps
// RUN: %{run}
// REDEFINE: %{entry} = scan_of_warps
// RUN: %{run}

// Chunk 0 ends with i = 99, and chunk 1 with the pad (5, 2), whose remainder is 1.
// reduce_of_blocks: {{\[\[}}98],
// reduce_of_blocks-NEXT: [1]]
func.func @reduce_of_blocks(%v: !obs.pull<? x i32>) -> !obs.pull<? x 1 x i32> {
  %c = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // Element i is (2 i, i + 1): the remainder is i - 1, and 0 for i = 0.
  %pairs = obs.map (%x = %v : !obs.pull<? x i32>) {
    %d = arith.muli %x, %two : i32
    %n = arith.addi %x, %one : i32
    obs.yield %d, %n : i32, i32
  }
  %s = obs.split %pairs by [100] pad %c, %two : !obs.pull<? x i32, i32>
  %d = obs.distribute block in grid (%q = %s : !obs.pull<? x !obs.pull<100 x i32, i32>>) {
    %a = obs.force %q : !obs.pull<100 x i32, i32>
    %p0, %p1 = obs.reduce (%x, %m, %y, %n) = %a init %c, %one : !obs.pull<100 x i32, i32> -> (i32, i32) {
      %r = arith.remsi %y, %n : i32
      obs.yield %r, %n : i32, i32
    }
    %w = obs.splat %p0 : !obs.pull<1 x i32>
    %u = obs.push block %w : !obs.pull<1 x i32>
    obs.yield %u : !obs.push<block, 1 x i32>
  }
  %f = obs.force %d : !obs.push<grid, ? x 1 x i32>
  return %f : !obs.pull<? x 1 x i32>
}

// lanes_of_blocks: {{\[\[}}98],
// lanes_of_blocks-NEXT: [1]]
func.func @lanes_of_blocks(%v: !obs.pull<? x i32>) -> !obs.pull<? x 1 x i32> {
  %c = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // Element i is (2 i, i + 1): the remainder is i - 1, and 0 for i = 0.
  %pairs = obs.map (%x = %v : !obs.pull<? x i32>) {
    %d = arith.muli %x, %two : i32
    %n = arith.addi %x, %one : i32
    obs.yield %d, %n : i32, i32
  }
  %s = obs.split %pairs by [100] pad %c, %two : !obs.pull<? x i32, i32>
  %d = obs.distribute block in grid (%q = %s : !obs.pull<? x !obs.pull<100 x i32, i32>>) {
    %a = obs.force %q : !obs.pull<100 x i32, i32>
    %p0, %p1 = obs.reduce (%x, %m, %y, %n) = %a init %c, %one {strategy = "lanes"} : !obs.pull<100 x i32, i32> -> (i32, i32) {
      %r = arith.remsi %y, %n : i32
      obs.yield %r, %n : i32, i32
    }
    %w = obs.splat %p0 : !obs.pull<1 x i32>
    %u = obs.push block %w : !obs.pull<1 x i32>
    obs.yield %u : !obs.push<block, 1 x i32>
  }
  %f = obs.force %d : !obs.push<grid, ? x 1 x i32>
  return %f : !obs.pull<? x 1 x i32>
}

// tree_of_warps: {{\[\[}}98],
// tree_of_warps-NEXT: [1]]
func.func @tree_of_warps(%v: !obs.pull<? x i32>) -> !obs.pull<? x 1 x i32> {
  %c = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // Element i is (2 i, i + 1): the remainder is i - 1, and 0 for i = 0.
  %pairs = obs.map (%x = %v : !obs.pull<? x i32>) {
    %d = arith.muli %x, %two : i32
    %n = arith.addi %x, %one : i32
    obs.yield %d, %n : i32, i32
  }
  %s = obs.split %pairs by [100] pad %c, %two : !obs.pull<? x i32, i32>
  %d = obs.distribute warp in grid (%q = %s : !obs.pull<? x !obs.pull<100 x i32, i32>>) {
    %a = obs.force %q : !obs.pull<100 x i32, i32>
    %p0, %p1 = obs.reduce (%x, %m, %y, %n) = %a init %c, %one {strategy = "adjacent_tree"} : !obs.pull<100 x i32, i32> -> (i32, i32) {
      %r = arith.remsi %y, %n : i32
      obs.yield %r, %n : i32, i32
    }
    %w = obs.splat %p0 : !obs.pull<1 x i32>
    %u = obs.push warp %w : !obs.pull<1 x i32>
    obs.yield %u : !obs.push<warp, 1 x i32>
  }
  %f = obs.force %d : !obs.push<grid, ? x 1 x i32>
  return %f : !obs.pull<? x 1 x i32>
}

// scan_of_warps: {{\[\[}}0, 0, 1, 2, 3,
func.func @scan_of_warps(%v: !obs.pull<? x i32>) -> !obs.pull<? x 100 x i32> {
  %c = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // Element i is (2 i, i + 1): the remainder is i - 1, and 0 for i = 0.
  %pairs = obs.map (%x = %v : !obs.pull<? x i32>) {
    %d = arith.muli %x, %two : i32
    %n = arith.addi %x, %one : i32
    obs.yield %d, %n : i32, i32
  }
  %s = obs.split %pairs by [100] pad %c, %two : !obs.pull<? x i32, i32>
  %d = obs.distribute warp in grid (%q = %s : !obs.pull<? x !obs.pull<100 x i32, i32>>) {
    %a = obs.force %q : !obs.pull<100 x i32, i32>
    %p = obs.scan warp inclusive (%x, %m, %y, %n) = %a init %c, %one {strategy = "brent_kung"} : !obs.pull<100 x i32, i32> {
      %r = arith.remsi %y, %n : i32
      obs.yield %r, %n : i32, i32
    }
    %w = obs.map (%x, %m = %p : !obs.push<warp, 100 x i32, i32>) {
      obs.yield %x : i32
    }
    obs.yield %w : !obs.push<warp, 100 x i32>
  }
  %f = obs.force %d : !obs.push<grid, ? x 100 x i32>
  return %f : !obs.pull<? x 100 x i32>
}
