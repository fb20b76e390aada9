// RUN: obs-translate --no-tiles --obs-to-ptx %s > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: obs-run %s --entry=polynomial --device=interpret iota:100xi32 9 --out=%t.want
// RUN: obs-run %s --entry=polynomial --device=emulate --check iota:100xi32 9 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=lookup --device=interpret iota:100xi32 --out=%t.want
// RUN: obs-run %s --entry=lookup --device=emulate --threads=17 iota:100xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=asked --device=interpret iota:100xi32 --out=%t.want
// RUN: obs-run %s --entry=asked --device=emulate --threads=33 --blocks=2 iota:100xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=warps --device=interpret iota:500xi32 --out=%t.want
// RUN: obs-run %s --entry=warps --device=emulate iota:500xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=polynomial --device=emulate iota:100xi32 9
// RUN: obs-run %s --entry=lookup --device=emulate iota:100xi32
// RUN: obs-run %s --entry=asked --device=emulate iota:100xi32
// RUN: obs-run %s --entry=warps --device=emulate iota:500xi32

// The constant cache serves one address at a time. A table is there if all lanes
// of a warp read it at the same place, or if the program asks for it.

!array = !obs.pull<? x i32>
!table = !obs.pull<16 x i32>

// Coefficient k in iteration k of a loop: one address.
// CHECK-DAG: .const .align 4 .b8 [[COEFFICIENTS:obs_table[_0-9]*]][64] = {3,
// CHECK-LABEL: .entry polynomial(
// CHECK: ld.const.b32
// CHECK-NOT: ld.global.nc
func.func @polynomial(%a: !array, %n: index) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %zero = arith.constant 0 : i32
  %t = obs.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]> : tensor<16xi32>
  %m = obs.map (%x = %a : !array) -> !array {
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
      %j = arith.andi %k, %c15 : index
      %c = obs.get %t[%j] : !table
      %p = arith.muli %s, %x : i32
      %q = arith.addi %p, %c : i32
      scf.yield %q : i32
    }
    obs.yield %s : i32
  }
  %p = obs.push %m : !array -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "polynomial"} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}

// Each lane has another address, so the data cache is faster.
// CHECK-LABEL: .entry lookup(
// CHECK-NOT: ld.const
// CHECK: ld.global.nc.b32
func.func @lookup(%a: !array) -> !array {
  %c15 = arith.constant 15 : i32
  %t = obs.constant dense<[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5]> : tensor<16xi32>
  %m = obs.map (%x = %a : !array) -> !array {
    %l = arith.andi %x, %c15 : i32
    %j = arith.index_cast %l : i32 to index
    %y = obs.get %t[%j] : !table
    obs.yield %y : i32
  }
  %p = obs.push %m : !array -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "lookup"} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}

// The program knows better.
// CHECK-LABEL: .entry asked(
// CHECK-NOT: ld.global.nc
// CHECK: ld.const.b32
func.func @asked(%a: !array) -> !array {
  %c15 = arith.constant 15 : i32
  %c5 = arith.constant 5 : index
  %g = obs.generate (%i) {
    %s = arith.muli %i, %c5 : index
    %v = arith.index_cast %s : index to i32
    obs.yield %v : i32
  } : !table
  %q = obs.push %g : !table -> !obs.push<grid, 16 x i32>
  %t = obs.force %q in constant : !obs.push<grid, 16 x i32> -> !table
  %m = obs.map (%x = %a : !array) -> !array {
    %l = arith.andi %x, %c15 : i32
    %j = arith.index_cast %l : i32 to index
    %y = obs.get %t[%j] : !table
    obs.yield %y : i32
  }
  %p = obs.push %m : !array -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "asked"} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}

// One address for each run of 32 threads.
// CHECK-LABEL: .entry warps(
// CHECK-NOT: ld.global.nc
// CHECK: ld.const.b32
func.func @warps(%a: !array) -> !array {
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %t = obs.constant dense<[1, 4, 1, 4, 2, 1, 3, 5, 6, 2, 3, 7, 3, 0, 9, 5]> : tensor<16xi32>
  %chunks = obs.split %a by [512] pad %zero : !array -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %g = obs.generate (%i) {
      %w = arith.shrui %i, %c5 : index
      %x = obs.get %c[%i] : !obs.pull<512 x i32>
      %f = obs.get %t[%w] : !table
      %y = arith.muli %x, %f : i32
      obs.yield %y : i32
    } : !obs.pull<512 x i32>
    %p = obs.push %g : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %p : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "warps", threads = 512 : i64} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}
