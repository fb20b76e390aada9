// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=32 --blocks=3 --schedule=random --seed=4 | FileCheck %s

// Misprints of the papers of Obsidian that were not copied; docs/FromObsidian.md
// lists them. Each function shows one by its result.

!v = !obs.pull<8 x i32>
!w = !obs.pull<16 x i32>
!col = !obs.push<grid, 8 x i32>

// 1: `<` printed as `<=`. conc takes element 3 of [0 1 2] ++ [10 11] from the
// second array, and rep 3 runs three times.
// CHECK: {{^}}[0, 1, 2, 10, 11]{{$}}
// CHECK-NEXT: {{^}}[8, 9, 10, 18, 19]{{$}}
func.func @conc_rep() -> (!obs.pull<5 x i32>, !obs.pull<5 x i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = obs.constant dense<[0, 1, 2]> : tensor<3xi32>
  %y = obs.constant dense<[10, 11]> : tensor<2xi32>
  %z = obs.concat %x, %y : !obs.pull<3 x i32>, !obs.pull<2 x i32> -> !obs.pull<5 x i32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> !obs.pull<5 x i32> {
    %one = arith.constant 1 : i32
    %k = arith.index_cast %i : index to i32
    // Adds 2 + 3 + 3 = 8 in three iterations; a fourth would add 3 more.
    %c2 = arith.constant 2 : i32
    %k1 = arith.minsi %k, %one : i32
    %d = arith.addi %k1, %c2 : i32
    %b = obs.map (%e = %a : !obs.pull<5 x i32>) -> !obs.pull<5 x i32> {
      %s = arith.addi %e, %d : i32
      obs.yield %s : i32
    }
    %p = obs.push %b : !obs.pull<5 x i32> -> !obs.push<grid, 5 x i32>
    %f = obs.force %p : !obs.push<grid, 5 x i32> -> !obs.pull<5 x i32>
    scf.yield %f : !obs.pull<5 x i32>
  }
  return %z, %r : !obs.pull<5 x i32>, !obs.pull<5 x i32>
}

// A column of comparators on i and i with bits low to low + count inverted.
func.func private @ilv_vee(%a: !v, %low: index, %count: index) -> !v {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %runs = arith.shli %c2, %count : index
  %ones = arith.subi %runs, %c1 : index
  %mask = arith.shli %ones, %low : index
  %top = arith.addi %low, %count : index
  %c4 = arith.constant 4 : index
  %p = obs.fill unchecked par (%t) in (%c4) {
    %i = obs.bit.insert_zero %t, %top : index
    %j = arith.xori %i, %mask : index
    %x = obs.get %a[%i] : !v
    %y = obs.get %a[%j] : !v
    %l = arith.minsi %x, %y : i32
    %h = arith.maxsi %x, %y : i32
    obs.write %l at [%i] : i32
    obs.write %h at [%j] : i32
  } : !col
  %r = obs.force %p : !col -> !v
  return %r : !v
}

// 2: ilvVee 0 j is vee j, not vee (j - 1). On 7 ... 0 vee 2 compares i with 7 - i
// and sorts; vee 1 compares within each half. ilvVee 2 0 is ilv 2: i with i + 4.
// CHECK-NEXT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// CHECK-NEXT: {{^}}[4, 5, 6, 7, 0, 1, 2, 3]{{$}}
// CHECK-NEXT: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}
func.func @ilv_vee_is_vee() -> (!v, !v, !v) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = obs.iota : !v
  %a = obs.reverse %i : !v
  %x = func.call @ilv_vee(%a, %c0, %c2) : (!v, index, index) -> !v
  %y = func.call @ilv_vee(%a, %c0, %c1) : (!v, index, index) -> !v
  %z = func.call @ilv_vee(%a, %c2, %c0) : (!v, index, index) -> !v
  return %x, %y, %z : !v, !v, !v
}

// 3: partners of the bitonic merge are t ^ 8, t ^ 4, t ^ 2, t ^ 1, not products.
// The input rises, then falls.
// CHECK-NEXT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}
func.func @bitonic() -> !w {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = obs.constant dense<[1, 3, 5, 7, 9, 11, 13, 15, 14, 12, 10, 8, 6, 4, 2, 0]> : tensor<16xi32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> !w {
    %d = arith.shrui %c8, %k : index
    %g = obs.generate (%i) {
      %j = arith.xori %i, %d : index
      %u = obs.get %x[%i] : !w
      %w = obs.get %x[%j] : !w
      %low = arith.cmpi ult, %i, %j : index
      %min = arith.minsi %u, %w : i32
      %max = arith.maxsi %u, %w : i32
      %y = arith.select %low, %min, %max : i32
      obs.yield %y : i32
    } : !w
    %p = obs.push %g : !w -> !obs.push<grid, 16 x i32>
    %f = obs.force %p : !obs.push<grid, 16 x i32> -> !w
    scf.yield %f : !w
  }
  return %r : !w
}

// 4: the masks of Sklansky's scan, cut off in print, are ~(2^(k+1) - 1): stage k adds
// the last element before the run of 2^k that i is in, if the run is odd. Sums of
// 1 ... 16 are triangular numbers.
// CHECK-NEXT: {{^}}[1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136]{{$}}
func.func @sklansky() -> !w {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = obs.generate (%i) {
    %j = arith.addi %i, %c1 : index
    %x = arith.index_cast %j : index to i32
    obs.yield %x : i32
  } : !w
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a) -> !w {
    %g = obs.generate (%i) {
      %run = arith.shrui %i, %k : index
      %bit = arith.andi %run, %c1 : index
      %odd = arith.cmpi eq, %bit, %c1 : index
      %y = obs.get %x[%i] : !w
      %z = scf.if %odd -> i32 {
        %start = arith.shli %run, %k : index
        %last = arith.subi %start, %c1 : index
        %l = obs.get %x[%last] : !w
        %s = arith.addi %l, %y : i32
        scf.yield %s : i32
      } else {
        scf.yield %y : i32
      }
      obs.yield %z : i32
    } : !w
    %p = obs.push %g : !w -> !obs.push<grid, 16 x i32>
    %f = obs.force %p : !obs.push<grid, 16 x i32> -> !w
    scf.yield %f : !w
  }
  return %r : !w
}

// 6: positions are one more than there are keys: value g fills p[g] to p[g+1] - 1. Keys 5 2
// 5 7 1 of the range 0 to 9, counted from 1 as in the paper, give these 11 positions.
// CHECK-NEXT: {{^}}[0, 1, 2, 2, 2, 4, 4, 5, 5, 5, 5]{{$}}
// CHECK-NEXT: {{^}}[1, 2, 5, 5, 7]{{$}}
func.func @reconstruct() -> (!obs.pull<11 x i32>, !obs.pull<5 x i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %keys = obs.constant dense<[5, 2, 5, 7, 1]> : tensor<5xi32>
  // The eleventh count is 0; its position is the number of keys.
  %h = obs.fill init %zero reduce(addi) par (%t) in (%c5) {
    %k = obs.get %keys[%t] : !obs.pull<5 x i32>
    %j = arith.index_cast %k : i32 to index
    %i = arith.subi %j, %c1 : index
    obs.write %one at [%i] : i32
  } : !obs.push<grid, 11 x i32>
  %counts = obs.force %h : !obs.push<grid, 11 x i32> -> !obs.pull<11 x i32>
  %s = obs.scan exclusive (%x, %y) = %counts init %zero : !obs.pull<11 x i32> -> !obs.push<grid, 11 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %positions = obs.force %s : !obs.push<grid, 11 x i32> -> !obs.pull<11 x i32>
  %p = obs.fill unchecked par (%g) in (%c10) {
    %next = arith.addi %g, %c1 : index
    %from = obs.get %positions[%g] : !obs.pull<11 x i32>
    %to = obs.get %positions[%next] : !obs.pull<11 x i32>
    %key = arith.index_cast %next : index to i32
    scf.for %i = %from to %to step %one : i32 {
      %j = arith.index_cast %i : i32 to index
      obs.write %key at [%j] : i32
    }
  } : !obs.push<grid, 5 x i32>
  %r = obs.force %p : !obs.push<grid, 5 x i32> -> !obs.pull<5 x i32>
  return %positions, %r : !obs.pull<11 x i32>, !obs.pull<5 x i32>
}

// Shuffle, then compare neighbours; between them the array is stored, or not.
func.func private @shex(%a: !v, %store: i1) -> !v {
  %c0 = arith.constant 0 : index
  %lo = obs.slice %a [0] [4] [1] : !v -> !obs.pull<4 x i32>
  %hi = obs.slice %a [4] [4] [1] : !v -> !obs.pull<4 x i32>
  %riffled = obs.interleave %lo, %hi : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !v
  %b = scf.if %store -> !v {
    %p = obs.push %riffled : !v -> !col
    %f = obs.force %p : !col -> !v
    scf.yield %f : !v
  } else {
    scf.yield %riffled : !v
  }
  %g = obs.generate (%i) {
    %j = obs.bit.flip %i, %c0 : index
    %u = obs.get %b[%i] : !v
    %w = obs.get %b[%j] : !v
    %low = arith.cmpi ult, %i, %j : index
    %min = arith.minsi %u, %w : i32
    %max = arith.maxsi %u, %w : i32
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !v
  %p = obs.push %g : !v -> !col
  %r = obs.force %p : !col -> !v
  return %r : !v
}

// 7: whether shex has the additional sync is said in two ways. It has no influence on
// the result: three stages sort a sequence that rises and falls.
// CHECK-NEXT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// CHECK-NEXT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
func.func @shex_sync() -> (!v, !v) {
  %yes = arith.constant true
  %no = arith.constant false
  %a = obs.constant dense<[0, 3, 4, 7, 6, 5, 2, 1]> : tensor<8xi32>
  %x1 = func.call @shex(%a, %yes) : (!v, i1) -> !v
  %x2 = func.call @shex(%x1, %yes) : (!v, i1) -> !v
  %x3 = func.call @shex(%x2, %yes) : (!v, i1) -> !v
  %y1 = func.call @shex(%a, %no) : (!v, i1) -> !v
  %y2 = func.call @shex(%y1, %no) : (!v, i1) -> !v
  %y3 = func.call @shex(%y2, %no) : (!v, i1) -> !v
  return %x3, %y3 : !v, !v
}

// 8: an atomic increment is an addition: 2^32 - 2 and three is 1, without a bound.
// CHECK-NEXT: {{^}}[1, 3]{{$}}
func.func @increment() -> !obs.pull<2 x i32> {
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %start = obs.constant dense<[-2, 0]> : tensor<2xi32>
  %q = obs.push %start : !obs.pull<2 x i32> -> !obs.push<grid, 2 x i32>
  %stored = obs.force %q : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  %p = obs.fill onto %stored : !obs.pull<2 x i32> reduce(addi) par (%t) in (%c3) {
    obs.write %one at [%c0] : i32
    obs.write %one at [%c1] : i32
  } : !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

// 9: `par1` is parl: the left program on the first half, the right one on the second.
// CHECK-NEXT: {{^}}[3, 2, 1, 0, 5, 6, 7, 4]{{$}}
func.func @parl() -> !v {
  %a = obs.iota : !v
  %lo = obs.slice %a [0] [4] [1] : !v -> !obs.pull<4 x i32>
  %hi = obs.slice %a [4] [4] [1] : !v -> !obs.pull<4 x i32>
  %x = obs.reverse %lo : !obs.pull<4 x i32>
  %h1 = obs.slice %hi [1] [3] [1] : !obs.pull<4 x i32> -> !obs.pull<3 x i32>
  %h0 = obs.slice %hi [0] [1] [1] : !obs.pull<4 x i32> -> !obs.pull<1 x i32>
  %y = obs.concat %h1, %h0 : !obs.pull<3 x i32>, !obs.pull<1 x i32> -> !obs.pull<4 x i32>
  %r = obs.concat %x, %y : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !v
  return %r : !v
}

// 11: what figure 14 calls dmaxs, dmaxs1 and dmaxs2: the maxima of blocks, scanned with a
// leading zero, then joined with what each block has scanned. Blocks of 4.
// CHECK-NEXT: {{^}}[2, 2, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9]{{$}}
func.func @scan_of_maxima() -> !obs.pull<12 x i32> {
  %zero = arith.constant 0 : i32
  %a = obs.constant dense<[2, 1, 5, 3, 0, 4, 1, 9, 7, 8, 2, 6]> : tensor<12xi32>
  %chunks = obs.split %a by [4] : !obs.pull<12 x i32> -> !obs.pull<3 x !obs.pull<4 x i32>>
  %scans, %maxima = obs.distribute block (%c = %chunks : !obs.pull<3 x !obs.pull<4 x i32>>) -> (!obs.push<grid, 3 x 4 x i32>, !obs.push<grid, 3 x 1 x i32>) {
    %s, %t = obs.scan inclusive (%x, %y) = %c init %zero : !obs.pull<4 x i32> -> (!obs.push<block, 4 x i32>, i32) {
      %z = arith.maxsi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %t : !obs.pull<1 x i32>
    %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %s, %p : !obs.push<block, 4 x i32>, !obs.push<block, 1 x i32>
  }
  %m = obs.join %maxima : !obs.push<grid, 3 x 1 x i32> -> !obs.push<grid, 3 x i32>
  %f:2 = obs.force %scans, %m : !obs.push<grid, 3 x 4 x i32>, !obs.push<grid, 3 x i32> -> (!obs.pull<3 x 4 x i32>, !obs.pull<3 x i32>)
  %e = obs.scan exclusive (%x, %y) = %f#1 init %zero : !obs.pull<3 x i32> -> !obs.push<grid, 3 x i32> {
    %z = arith.maxsi %x, %y : i32
    obs.yield %z : i32
  }
  %before = obs.force %e : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  %r = obs.generate (%i, %j) {
    %x = obs.get %f#0[%i, %j] : !obs.pull<3 x 4 x i32>
    %y = obs.get %before[%i] : !obs.pull<3 x i32>
    %z = arith.maxsi %x, %y : i32
    obs.yield %z : i32
  } : !obs.pull<3 x 4 x i32>
  %flat = obs.reshape %r : !obs.pull<3 x 4 x i32> -> !obs.pull<12 x i32>
  return %flat : !obs.pull<12 x i32>
}

func.func @main() -> (!obs.pull<5 x i32>, !obs.pull<5 x i32>, !v, !v, !v, !w, !w, !obs.pull<11 x i32>, !obs.pull<5 x i32>, !v, !v, !obs.pull<2 x i32>, !v, !obs.pull<12 x i32>) {
  %a:2 = func.call @conc_rep() : () -> (!obs.pull<5 x i32>, !obs.pull<5 x i32>)
  %b:3 = func.call @ilv_vee_is_vee() : () -> (!v, !v, !v)
  %c = func.call @bitonic() : () -> !w
  %d = func.call @sklansky() : () -> !w
  %e:2 = func.call @reconstruct() : () -> (!obs.pull<11 x i32>, !obs.pull<5 x i32>)
  %f:2 = func.call @shex_sync() : () -> (!v, !v)
  %g = func.call @increment() : () -> !obs.pull<2 x i32>
  %h = func.call @parl() : () -> !v
  %i = func.call @scan_of_maxima() : () -> !obs.pull<12 x i32>
  return %a#0, %a#1, %b#0, %b#1, %b#2, %c, %d, %e#0, %e#1, %f#0, %f#1, %g, %h, %i : !obs.pull<5 x i32>, !obs.pull<5 x i32>, !v, !v, !v, !w, !w, !obs.pull<11 x i32>, !obs.pull<5 x i32>, !v, !v, !obs.pull<2 x i32>, !v, !obs.pull<12 x i32>
}
