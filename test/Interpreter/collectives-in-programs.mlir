// Collectives in functions, loops, other collectives, and side by side.
// RUN: obs-run %s --entry=warps --device=interpret iota:100xi64 | FileCheck %s --check-prefix=WARPS
// RUN: obs-run %s --entry=warps --device=emulate --check=all iota:100xi64 | FileCheck %s --check-prefix=WARPS
// RUN: obs-run %s --entry=warps --device=emulate --threads=17 --schedule=random --seed=1 --check=all iota:100xi64 | FileCheck %s --check-prefix=WARPS
// RUN: obs-run %s --entry=chained --device=interpret iota:1024xi32 | FileCheck %s --check-prefix=CHAINED
// RUN: obs-run %s --entry=chained --device=emulate --check=all iota:1024xi32 | FileCheck %s --check-prefix=CHAINED
// RUN: obs-run %s --entry=chained --device=emulate --threads=17 --schedule=random --seed=1 --check=all iota:1024xi32 | FileCheck %s --check-prefix=CHAINED
// RUN: obs-run %s --entry=side_by_side --device=interpret iota:64xi32 | FileCheck %s --check-prefix=SIDE_BY_SIDE
// RUN: obs-run %s --entry=side_by_side --device=emulate --check=all iota:64xi32 | FileCheck %s --check-prefix=SIDE_BY_SIDE
// RUN: obs-run %s --entry=side_by_side --device=emulate --threads=17 --schedule=random --seed=1 --check=all iota:64xi32 | FileCheck %s --check-prefix=SIDE_BY_SIDE
// RUN: obs-run %s --entry=types --device=interpret iota:100xi8 | FileCheck %s --check-prefix=TYPES
// RUN: obs-run %s --entry=types --device=emulate --check=all iota:100xi8 | FileCheck %s --check-prefix=TYPES
// RUN: obs-run %s --entry=types --device=emulate --threads=17 --schedule=random --seed=1 --check=all iota:100xi8 | FileCheck %s --check-prefix=TYPES
// RUN: obs-run %s --entry=nested --device=interpret iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=NESTED
// RUN: obs-run %s --entry=nested --device=emulate --check=all iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=NESTED
// RUN: obs-run %s --entry=nested --device=emulate --threads=17 --schedule=random --seed=1 --check=all iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=NESTED

func.func @warp_sum(%a: !obs.pull<40 x i64>) -> i64 attributes {obs.level = #obs.level<warp>} {
  %z = arith.constant 0 : i64
  %s = obs.reduce (%x, %y) = %a init %z {commutative} : !obs.pull<40 x i64> -> i64 {
    %r = arith.addi %x, %y : i64
    obs.yield %r : i64
  }
  return %s : i64
}

// 0 to 39, 40 to 79, 80 to 99 and zeros.
// WARPS: {{^}}[780, 2380, 1790]{{$}}

func.func @warps(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %zz = arith.constant 0 : i64
  %rows = obs.split %a by [40] pad %zz : !obs.pull<? x i64> -> !obs.pull<? x !obs.pull<40 x i64>>
  %p = obs.distribute warp (%row = %rows : !obs.pull<? x !obs.pull<40 x i64>>) -> !obs.push<grid, ? x 1 x i64> {
    %s = func.call @warp_sum(%row) : (!obs.pull<40 x i64>) -> i64
    %u = obs.splat %s : !obs.pull<1 x i64>
    %q = obs.push %u : !obs.pull<1 x i64> -> !obs.push<warp, 1 x i64>
    obs.yield %q : !obs.push<warp, 1 x i64>
  }
  %j = obs.join %p : !obs.push<grid, ? x 1 x i64> -> !obs.push<grid, ? x i64>
  %r = obs.force %j : !obs.push<grid, ? x i64> -> !obs.pull<? x i64>
  return %r : !obs.pull<? x i64>
}

// Three times the sums of 0 to i; 3 * 1023 * 1024 / 2 is the last one.
// CHAINED: {{^}}{{\[}}[0, 3, 9, ..., 1565193, 1568259, 1571328]]{{$}}

func.func @chained(%a: !obs.pull<1024 x i32>) -> !obs.pull<1 x 1024 x i32> {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %k = arith.constant 3 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1024 x i32> {
    %f = obs.fill {
      %last = scf.for %t = %c0 to %c8 step %c1 iter_args(%carry = %z) -> i32 {
        %o = arith.muli %t, %c128 : index
        %tile = obs.slice %a [%o] [128] [1] : !obs.pull<1024 x i32> -> !obs.pull<128 x i32>
        %s, %total = obs.scan inclusive (%x, %y) = %tile init %carry : !obs.pull<128 x i32> -> (!obs.push<block, 128 x i32>, i32) {
          %r = arith.addi %x, %y : i32
          obs.yield %r : i32
        }
        %m = obs.map (%x = %s : !obs.push<block, 128 x i32>) -> !obs.push<block, 128 x i32> {
          %r = arith.muli %x, %k : i32
          obs.yield %r : i32
        }
        obs.put %m at [%o] : !obs.push<block, 128 x i32>
        scf.yield %total : i32
      }
    } : !obs.push<block, 1024 x i32>
    obs.yield %f : !obs.push<block, 1024 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 1024 x i32> -> !obs.pull<1 x 1024 x i32>
  return %r : !obs.pull<1 x 1024 x i32>
}

// Four chunks of 16 in one block: 16 numbers from 16 k on sum up to 256 k + 120.
// SIDE_BY_SIDE: {{^}}{{\[}}[120, 376, 632, 888]]{{$}}

func.func @side_by_side(%a: !obs.pull<64 x i32>) -> !obs.pull<1 x 4 x i32> {
  %z = arith.constant 0 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 4 x i32> {
    %rows = obs.split %a by [16] : !obs.pull<64 x i32> -> !obs.pull<4 x !obs.pull<16 x i32>>
    %q = obs.distribute block (%row = %rows : !obs.pull<4 x !obs.pull<16 x i32>>) -> !obs.push<block, 4 x 1 x i32> {
      %s = obs.reduce (%x, %y) = %row init %z : !obs.pull<16 x i32> -> i32 {
        %r = arith.addi %x, %y : i32
        obs.yield %r : i32
      }
      %u = obs.splat %s : !obs.pull<1 x i32>
      %v = obs.push %u : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
      obs.yield %v : !obs.push<block, 1 x i32>
    }
    %j = obs.join %q : !obs.push<block, 4 x 1 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %j : !obs.push<block, 4 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 4 x i32> -> !obs.pull<1 x 4 x i32>
  return %r : !obs.pull<1 x 4 x i32>
}

// All are less than 120; the largest is 99; the sum is 4950.
// TYPES: {{^}}{{\[}}[true]]{{$}}

// TYPES-NEXT: {{^}}{{\[}}[99.0]]{{$}}

// TYPES-NEXT: {{^}}{{\[}}[4950]]{{$}}

func.func @types(%a: !obs.pull<100 x i8>) -> (!obs.pull<1 x 1 x i1>, !obs.pull<1 x 1 x f16>, !obs.pull<1 x 1 x index>) {
  %t = arith.constant true
  %fz = arith.constant 0.0 : f16
  %iz = arith.constant 0 : index
  %k = arith.constant 120 : i8
  %one = obs.iota : !obs.pull<1 x index>
  %p:3 = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 1 x i1>, !obs.push<grid, 1 x 1 x f16>, !obs.push<grid, 1 x 1 x index>) {
    %m = obs.map (%x = %a : !obs.pull<100 x i8>) -> !obs.pull<100 x i1, f16, index> {
      %s = arith.cmpi slt, %x, %k : i8
      %g = arith.sitofp %x : i8 to f16
      %n = arith.index_cast %x : i8 to index
      obs.yield %s, %g, %n : i1, f16, index
    }
    %s:3 = obs.reduce (%x0, %x1, %x2, %y0, %y1, %y2) = %m init %t, %fz, %iz {commutative} : !obs.pull<100 x i1, f16, index> -> (i1, f16, index) {
      %r0 = arith.andi %x0, %y0 : i1
      %r1 = arith.maximumf %x1, %y1 : f16
      %r2 = arith.addi %x2, %y2 : index
      obs.yield %r0, %r1, %r2 : i1, f16, index
    }
    %u0 = obs.splat %s#0 : !obs.pull<1 x i1>
    %u1 = obs.splat %s#1 : !obs.pull<1 x f16>
    %u2 = obs.splat %s#2 : !obs.pull<1 x index>
    %q0 = obs.push %u0 : !obs.pull<1 x i1> -> !obs.push<block, 1 x i1>
    %q1 = obs.push %u1 : !obs.pull<1 x f16> -> !obs.push<block, 1 x f16>
    %q2 = obs.push %u2 : !obs.pull<1 x index> -> !obs.push<block, 1 x index>
    obs.yield %q0, %q1, %q2 : !obs.push<block, 1 x i1>, !obs.push<block, 1 x f16>, !obs.push<block, 1 x index>
  }
  %r:3 = obs.force %p#0, %p#1, %p#2 : !obs.push<grid, 1 x 1 x i1>, !obs.push<grid, 1 x 1 x f16>, !obs.push<grid, 1 x 1 x index> -> (!obs.pull<1 x 1 x i1>, !obs.pull<1 x 1 x f16>, !obs.pull<1 x 1 x index>)
  return %r#0, %r#1, %r#2 : !obs.pull<1 x 1 x i1>, !obs.pull<1 x 1 x f16>, !obs.pull<1 x 1 x index>
}

// The operator takes the maximum of both and of 0, 1 and 2, except that nothing
// is combined for element 0.
// NESTED: {{^}}{{\[}}[0, 2, 2, 2, 3, 4, 5, 6, 7, 8]]{{$}}

func.func @nested(%a: !obs.pull<10 x i32>, %w: !obs.pull<3 x i32>) -> !obs.pull<1 x 10 x i32> {
  %z = arith.constant 0 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 10 x i32> {
    %q = obs.scan exclusive (%x, %y) = %a init %z {strategy = "sklansky"} : !obs.pull<10 x i32> -> !obs.push<block, 10 x i32> {
      %s = obs.reduce (%u, %v) = %w init %x : !obs.pull<3 x i32> -> i32 {
        %t = arith.maxsi %u, %v : i32
        obs.yield %t : i32
      }
      %t = arith.maxsi %s, %y : i32
      obs.yield %t : i32
    }
    obs.yield %q : !obs.push<block, 10 x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x 10 x i32> -> !obs.pull<1 x 10 x i32>
  return %r : !obs.pull<1 x 10 x i32>
}
