// The host checks the conditions that it knows.

// RUN: obs-run %s --entry=main --device=emulate iota:3xi32 iota:3xi32 | FileCheck %s
// RUN: not obs-run %s --entry=main --device=emulate iota:3xi32 iota:4xi32 2>&1 | FileCheck %s --check-prefix=DIFFER

// CHECK: [0, 2, 4]
// DIFFER: error: {{.*}}[R4-extents] obs.map: the arrays have different extents
func.func @main(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %s = obs.map (%x = %a : !obs.pull<? x i32>, %y = %b : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %s : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The host also checks programs and functions of elements, if they run.
// RUN: obs-run %s --entry=rows --device=emulate iota:2x5xf32 iota:5xf32 1 | FileCheck %s --check-prefix=ROWS
// RUN: not obs-run %s --entry=rows --device=emulate iota:2x5xf32 iota:4xf32 1 2>&1 | FileCheck %s --check-prefix=ROWS-DIFFER
// RUN: not obs-run %s --entry=rows --device=emulate iota:2x5xf32 iota:6xf32 1 2>&1 | FileCheck %s --check-prefix=ROWS-DIFFER
// RUN: not obs-run %s --entry=rows --device=interpret iota:2x5xf32 iota:6xf32 1 2>&1 | FileCheck %s --check-prefix=ROWS-INTERPRET
// RUN: obs-run %s --entry=rows --device=emulate zeros:0x5xf32 iota:4xf32 1 | FileCheck %s --check-prefix=NO-ROWS
// RUN: obs-run %s --entry=rows --device=emulate iota:2x5xf32 iota:4xf32 0 | FileCheck %s --check-prefix=NO-TURN
// ROWS:      {{^\[\[}}0.0, 1.0, 4.0, 9.0, 16.0],
// ROWS-DIFFER: error: assertion-failed: [R4-extents] obs.map: the arrays have different extents
// ROWS-INTERPRET: error: [R4-extents] the arrays have extents
// NO-ROWS: []
// NO-TURN: {{^\[\[}}0.0, 1.0, 2.0, 3.0, 4.0],
func.func @rows(%a: !obs.pull<? x ? x f32>, %g: !obs.pull<? x f32>, %turns: index) -> !obs.pull<? x ? x f32> {
  %h = obs.dim %a, 0 : !obs.pull<? x ? x f32>
  %w = obs.dim %a, 1 : !obs.pull<? x ? x f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = obs.generate (%r) [%h] {
    %row = obs.generate (%c) [%w] {
      %x = obs.get %a[%r, %c] : !obs.pull<? x ? x f32>
      obs.yield %x : f32
    } : !obs.pull<? x f32>
    obs.yield %row : !obs.pull<? x f32>
  } : !obs.pull<? x !obs.pull<? x f32>>
  %some = arith.cmpi sgt, %turns, %c0 : index
  %s = obs.distribute block (%row = %rows : !obs.pull<? x !obs.pull<? x f32>>) -> !obs.push<grid, ? x ? x f32> {
    %y = scf.if %some -> !obs.pull<? x f32> {
      %m = obs.map (%x = %row : !obs.pull<? x f32>, %k = %g : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
        %z = arith.mulf %x, %k : f32
        obs.yield %z : f32
      }
      scf.yield %m : !obs.pull<? x f32>
    } else {
      scf.yield %row : !obs.pull<? x f32>
    }
    %m = obs.generate (%c) [%w] {
      %x = obs.get %y[%c] : !obs.pull<? x f32>
      obs.yield %x : f32
    } : !obs.pull<? x f32>
    %p = obs.push %m : !obs.pull<? x f32> -> !obs.push<block, ? x f32>
    obs.yield %p : !obs.push<block, ? x f32>
  }
  %f = obs.force %s : !obs.push<grid, ? x ? x f32> -> !obs.pull<? x ? x f32>
  return %f : !obs.pull<? x ? x f32>
}

// Only kernels know values that depend on the instance: they check them if they are asked to.
// RUN: not obs-run %s --entry=instances --device=emulate iota:8xi32 3 --runtime-checks 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: obs-run %s --entry=instances --device=emulate iota:8xi32 2 --runtime-checks | FileCheck %s --check-prefix=FITS
// RUN: obs-translate %s --obs-to-ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=assert
// RUN: obs-translate %s --obs-to-ptx --runtime-checks | FileCheck %s --check-prefix=CHECKED
// KERNEL: error: assertion-failed: [R4-extents] obs.slice: the slice leaves the array (thread 0 of block 2) [kernel instances]
// FITS: {{^\[\[}}0, 1, 2, 3],
// PTX: .visible .entry instances(
// CHECKED: .visible .entry instances(
// CHECKED: __assertfail
func.func @instances(%a: !obs.pull<8 x i32>, %n: index) -> !obs.pull<? x 4 x i32> {
  %c4 = arith.constant 4 : index
  %i = obs.iota [%n] : !obs.pull<? x index>
  %s = obs.distribute block (%k = %i : !obs.pull<? x index>) -> !obs.push<grid, ? x 4 x i32> {
    %o = arith.muli %k, %c4 : index
    %part = obs.slice %a [%o] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
    %p = obs.push %part : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %f = obs.force %s {kernel = "instances"} : !obs.push<grid, ? x 4 x i32> -> !obs.pull<? x 4 x i32>
  return %f : !obs.pull<? x 4 x i32>
}

// Kernels also check the lengths and offsets of segments if they are asked to: three lengths
// from %first on, of which only the first may be negative, and offsets 0, %middle and %end.
// RUN: obs-run %s --entry=decode --device=emulate 1 --runtime-checks | FileCheck %s --check-prefix=LENGTHS
// RUN: not obs-run %s --entry=decode --device=emulate --runtime-checks -- -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// LENGTHS: [0, 1, 1, 2, 2, 2]
// NEGATIVE: error: assertion-failed: [expand-length] obs.expand: a length is negative (thread {{.*}})
func.func @decode(%first: i32) -> !obs.pull<6 x i32> {
  %zero = arith.constant 0 : i32
  %lengths = obs.generate (%i) {
    %k = arith.index_cast %i : index to i32
    %length = arith.addi %first, %k : i32
    obs.yield %length : i32
  } : !obs.pull<3 x i32>
  %p, %sum = obs.expand (%i, %j) = %lengths init %zero : !obs.pull<3 x i32> -> !obs.push<grid, 6 x i32>, !obs.push<grid, 1 x i32> {
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  }
  %r = obs.force %p : !obs.push<grid, 6 x i32>
  return %r : !obs.pull<6 x i32>
}

// They also check that the result has room: 10 elements for rows of four lengths, at each level. The lengths 0 to 3 fit,
// and 4 to 7 do not. A count of i8 does not wrap before the check. Without the option, elements are dropped.
// RUN: obs-run %s --entry=room_grid --device=emulate --runtime-checks iota:5xi32 | FileCheck %s --check-prefix=ROOM
// RUN: obs-run %s --entry=room_grid --device=emulate iota:6xi32 | FileCheck %s --check-prefix=ROOM
// RUN: not obs-run %s --entry=room_grid --device=emulate --runtime-checks iota:6xi32 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// RUN: obs-run %s --entry=room_grid --device=emulate --runtime-checks zeros:0xi32 | FileCheck %s --check-prefix=NO-LENGTHS
// RUN: obs-run %s --entry=room_count --device=emulate --runtime-checks iota:10xi64 | FileCheck %s --check-prefix=COUNT
// RUN: not obs-run %s --entry=room_count --device=emulate --runtime-checks iota:24xi64 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// RUN: not obs-run %s --entry=room_count --device=interpret iota:24xi64 2>&1 | FileCheck %s --check-prefix=INTERPRET-COUNT
// RUN: obs-run %s --entry=room_block --device=emulate --runtime-checks iota:1x4xi32 | FileCheck %s --check-prefix=ROOM-ROWS
// RUN: not obs-run %s --entry=room_block --device=emulate --runtime-checks iota:2x4xi32 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// RUN: obs-run %s --entry=room_thread --device=emulate --runtime-checks iota:1x4xi8 | FileCheck %s --check-prefix=ROOM-ROWS
// RUN: not obs-run %s --entry=room_thread --device=emulate --runtime-checks iota:2x4xi8 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// ROOM: [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
// NO-LENGTHS: [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
// COUNT: [45]
// ROOM-ROWS: {{^\[\[}}1, 2, 2, 3, 3, 3, -1, -1, -1, -1]]
// NO-ROOM: error: assertion-failed: [expand-capacity] obs.expand: the lengths sum up to more elements than the result has (thread {{.*}})
// INTERPRET-COUNT: error: [expand-capacity] the lengths up to 14 sum up to 105, but the result has 100 elements
func.func @room_grid(%lengths: !obs.pull<? x i32>) -> !obs.pull<10 x i32> {
  %none = arith.constant -1 : i32
  %p, %sum = obs.expand (%i, %j) = %lengths init %none : !obs.pull<? x i32> -> !obs.push<grid, 10 x i32>, !obs.push<grid, 1 x i32> {
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  }
  %r = obs.force %p : !obs.push<grid, 10 x i32>
  return %r : !obs.pull<10 x i32>
}
func.func @room_count(%lengths: !obs.pull<? x i64>) -> !obs.pull<1 x i8> {
  %p, %sum = obs.expand (%i, %j) = %lengths : !obs.pull<? x i64> -> !obs.push<grid, 100 x index>, !obs.push<grid, 1 x i8> {
    obs.yield %i : index
  }
  %r = obs.force %sum : !obs.push<grid, 1 x i8>
  return %r : !obs.pull<1 x i8>
}
func.func @room_block(%lengths: !obs.pull<? x 4 x i32>) -> !obs.pull<? x 10 x i32> {
  %none = arith.constant -1 : i32
  %rows = obs.nest %lengths dims 1 : !obs.pull<? x 4 x i32>
  %d = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<4 x i32>>) {
    %p, %sum = obs.expand (%i, %j) = %row init %none : !obs.pull<4 x i32> -> !obs.push<block, 10 x i32>, !obs.push<block, 1 x i32> {
      %x = arith.index_cast %i : index to i32
      obs.yield %x : i32
    }
    obs.yield %p : !obs.push<block, 10 x i32>
  }
  %r = obs.force %d : !obs.push<grid, ? x 10 x i32>
  return %r : !obs.pull<? x 10 x i32>
}
func.func @room_thread(%lengths: !obs.pull<? x 4 x i8>) -> !obs.pull<? x 10 x i32> {
  %none = arith.constant -1 : i32
  %rows = obs.nest %lengths dims 1 : !obs.pull<? x 4 x i8>
  %d = obs.distribute thread in grid (%row = %rows : !obs.pull<? x !obs.pull<4 x i8>>) {
    %p, %sum = obs.expand (%i, %j) = %row init %none : !obs.pull<4 x i8> -> !obs.push<thread, 10 x i32>, !obs.push<thread, 1 x i8> {
      %x = arith.index_cast %i : index to i32
      obs.yield %x : i32
    }
    obs.yield %p : !obs.push<thread, 10 x i32>
  }
  %r = obs.force %d : !obs.push<grid, ? x 10 x i32>
  return %r : !obs.pull<? x 10 x i32>
}

// RUN: obs-run %s --entry=sums --device=emulate iota:5xi32 0 2 5 --runtime-checks | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %s --entry=sums --device=emulate iota:5xi32 0 0 5 --runtime-checks | FileCheck %s --check-prefix=EMPTY
// RUN: not obs-run %s --entry=sums --device=emulate iota:5xi32 1 2 5 --runtime-checks 2>&1 | FileCheck %s --check-prefix=OFFSETS
// RUN: not obs-run %s --entry=sums --device=emulate iota:5xi32 0 2 4 --runtime-checks 2>&1 | FileCheck %s --check-prefix=OFFSETS
// RUN: not obs-run %s --entry=sums --device=emulate iota:5xi32 0 2 6 --runtime-checks 2>&1 | FileCheck %s --check-prefix=OFFSETS
// SUMS: [1, 9]
// EMPTY: [0, 10]
// OFFSETS: error: assertion-failed: [segment-offsets] obs.segmented_reduce: the offsets do not ascend from 0 to the extent of the array (thread {{.*}})
func.func @sums(%a: !obs.pull<? x i32>, %begin: index, %middle: index, %end: index) -> !obs.pull<2 x i32> {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %offsets = obs.generate (%i) {
    %is_first = arith.cmpi ult, %i, %c1 : index
    %is_middle = arith.cmpi eq, %i, %c1 : index
    %later = arith.select %is_middle, %middle, %end : index
    %offset = arith.select %is_first, %begin, %later : index
    obs.yield %offset : index
  } : !obs.pull<3 x index>
  %p = obs.segmented_reduce grid { arith.addi } %a init %zero offsets %offsets : !obs.pull<? x i32>, !obs.pull<3 x index>
  %r = obs.force %p : !obs.push<grid, 2 x i32>
  return %r : !obs.pull<2 x i32>
}
