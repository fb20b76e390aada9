// RUN: obs-run %s --entry=sort iota:6xi32 | FileCheck %s --check-prefix=SORT
// RUN: obs-run %s --device=emulate --threads=17 --entry=sort iota:6xi32 | FileCheck %s --check-prefix=SORT
// RUN: obs-run %s --entry=sort iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=sort iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=levels iota:8xi32 | FileCheck %s --check-prefix=LEVELS
// RUN: obs-run %s --device=emulate --threads=17 --entry=levels iota:8xi32 | FileCheck %s --check-prefix=LEVELS
// RUN: obs-run %s --entry=two iota:3xi32 iota:3xf32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate --threads=17 --entry=two iota:3xi32 iota:3xf32 | FileCheck %s --check-prefix=TWO
// RUN: not obs-run %s --entry=two iota:3xi32 iota:2xf32 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=open iota:2xi32 3 | FileCheck %s --check-prefix=OPEN
// RUN: not obs-run %s --entry=ragged 3 2>&1 | FileCheck %s --check-prefix=RAGGED
// RUN: obs-run %s --entry=same iota:4xi32 | FileCheck %s --check-prefix=SAME
// RUN: obs-run %s --device=emulate --threads=17 --entry=same iota:4xi32 | FileCheck %s --check-prefix=SAME

// Neighbours are exchanged: 0 1, 2 3, 4 5 in descending order.
// SORT: {{^}}[1, 0, 3, 2, 5, 4]{{$}}
// NONE: {{^}}[]{{$}}
func.func @sort(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %pairs = obs.split %a by [2] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<2 x i32>>
  %sorted = obs.distribute thread (%p = %pairs : !obs.pull<? x !obs.pull<2 x i32>>) -> !obs.push<grid, ? x 2 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = obs.get %p[%c0] : !obs.pull<2 x i32>
    %y = obs.get %p[%c1] : !obs.pull<2 x i32>
    %lo = arith.minsi %x, %y : i32
    %hi = arith.maxsi %x, %y : i32
    %q = obs.fill {
      obs.write %hi at [%c0] : i32
      obs.write %lo at [%c1] : i32
    } : !obs.push<thread, 2 x i32>
    obs.yield %q : !obs.push<thread, 2 x i32>
  }
  %flat = obs.join %sorted : !obs.push<grid, ? x 2 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Warps in blocks, with a force in each: 8 elements are 2 blocks of 2 warps of
// 2 elements. Every warp reverses its elements, every block its warps.
// LEVELS: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}
func.func @levels(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %blocks = obs.split %a by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x !obs.pull<4 x i32>>
  %p = obs.distribute block (%b = %blocks : !obs.pull<2 x !obs.pull<4 x i32>>) -> !obs.push<grid, 2 x 4 x i32> {
    %warps = obs.split %b by [2] : !obs.pull<4 x i32> -> !obs.pull<2 x !obs.pull<2 x i32>>
    %backwards = obs.reverse %warps : !obs.pull<2 x !obs.pull<2 x i32>>
    %q = obs.distribute warp (%w = %backwards : !obs.pull<2 x !obs.pull<2 x i32>>) -> !obs.push<block, 2 x 2 x i32> {
      %s = obs.push %w : !obs.pull<2 x i32> -> !obs.push<warp, 2 x i32>
      %f = obs.force %s : !obs.push<warp, 2 x i32> -> !obs.pull<2 x i32>
      %v = obs.reverse %f : !obs.pull<2 x i32>
      %t = obs.push %v : !obs.pull<2 x i32> -> !obs.push<warp, 2 x i32>
      obs.yield %t : !obs.push<warp, 2 x i32>
    }
    %j = obs.join %q : !obs.push<block, 2 x 2 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %j : !obs.push<block, 4 x i32>
  }
  %flat = obs.join %p : !obs.push<grid, 2 x 4 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %flat : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Two operands (i, and i as a float), two results: (i, i) and 1.5 i.
// TWO: [0, 0],
// TWO-NEXT: [1, 1],
// TWO-NEXT: [2, 2]
// TWO-NEXT: [0.0],
// TWO-NEXT: [1.5],
// TWO-NEXT: [3.0]
// EXTENTS: distribute.mlir:[[#@LINE+3]]:10: error: [R4-extents] the arrays have extents [2] and [3]
func.func @two(%a: !obs.pull<? x i32>, %b: !obs.pull<? x f32>) -> (!obs.pull<? x 2 x i32>, !obs.pull<? x 1 x f32>) {
  %k = arith.constant 1.5 : f32
  %p:2 = obs.distribute block (%x = %a : !obs.pull<? x i32>, %y = %b : !obs.pull<? x f32>) -> (!obs.push<grid, ? x 2 x i32>, !obs.push<grid, ? x 1 x f32>) {
    %u = obs.splat %x : !obs.pull<2 x i32>
    %z = arith.mulf %y, %k : f32
    %v = obs.splat %z : !obs.pull<1 x f32>
    %q = obs.push %u : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
    %w = obs.push %v : !obs.pull<1 x f32> -> !obs.push<block, 1 x f32>
    obs.yield %q, %w : !obs.push<block, 2 x i32>, !obs.push<block, 1 x f32>
  }
  %r:2 = obs.force %p#0, %p#1 : !obs.push<grid, ? x 2 x i32>, !obs.push<grid, ? x 1 x f32> -> (!obs.pull<? x 2 x i32>, !obs.pull<? x 1 x f32>)
  return %r#0, %r#1 : !obs.pull<? x 2 x i32>, !obs.pull<? x 1 x f32>
}

// The extents of a part that only the program knows. Its program prints a line
// once for each part.
// OPEN: {{^}}part 0{{$}}
// OPEN-NEXT: {{^}}part 1{{$}}
// OPEN-NEXT: [0, 0, 0],
// OPEN-NEXT: [1, 1, 1]
func.func @open(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x ? x i32> {
  %p = obs.distribute block (%x = %a : !obs.pull<? x i32>) -> !obs.push<grid, ? x ? x i32> {
    obs.print "part {}", %x : i32
    %u = obs.splat %x [%n] : !obs.pull<? x i32>
    %q = obs.push %u : !obs.pull<? x i32> -> !obs.push<block, ? x i32>
    obs.yield %q : !obs.push<block, ? x i32>
  }
  %r = obs.force %p : !obs.push<grid, ? x ? x i32> -> !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// RAGGED: distribute.mlir:[[#@LINE+3]]:8: error: [R4-extents] sub-program [1] yields an array of extents [1], the others [0]
func.func @ragged(%n: index) -> !obs.pull<? x ? x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %p = obs.distribute block (%x = %a : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x index> {
    %u = obs.splat %x [%x] : !obs.pull<? x index>
    %q = obs.push %u : !obs.pull<? x index> -> !obs.push<block, ? x index>
    obs.yield %q : !obs.push<block, ? x index>
  }
  %r = obs.force %p : !obs.push<grid, ? x ? x index> -> !obs.pull<? x ? x index>
  return %r : !obs.pull<? x ? x index>
}

// At the same level, with a force in each part: two programs side by side that
// reverse a half each.
// SAME: {{^}}[1, 0, 3, 2]{{$}}
func.func @same(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %halves = obs.split %a by [2] : !obs.pull<4 x i32> -> !obs.pull<2 x !obs.pull<2 x i32>>
  %p = obs.distribute grid (%h = %halves : !obs.pull<2 x !obs.pull<2 x i32>>) -> !obs.push<grid, 2 x 2 x i32> {
    %s = obs.push %h : !obs.pull<2 x i32> -> !obs.push<grid, 2 x i32>
    %f = obs.force %s : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
    %v = obs.reverse %f : !obs.pull<2 x i32>
    %t = obs.push %v : !obs.pull<2 x i32> -> !obs.push<grid, 2 x i32>
    obs.yield %t : !obs.push<grid, 2 x i32>
  }
  %flat = obs.join %p : !obs.push<grid, 2 x 2 x i32> -> !obs.push<grid, 4 x i32>
  %r = obs.force %flat : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
