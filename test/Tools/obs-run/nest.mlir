// Rows of matrices of any extents, also empty ones, on interpreter and emulator.
// Sums of rows: row i of iota is 3 i, 3 i + 1, 3 i + 2.
// RUN: obs-run %s --entry=sums iota:5x3xi32 | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %s --entry=sums --device=emulate iota:5x3xi32 | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %s --entry=sums --device=emulate --threads=17 --blocks=1 iota:5x3xi32 | FileCheck %s --check-prefix=SUMS
// SUMS: [3, 12, 21, 30, 39]
// RUN: obs-run %s --entry=sums iota:3x0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=sums --device=emulate iota:3x0xi32 | FileCheck %s --check-prefix=NONE
// NONE: [0, 0, 0]
// RUN: obs-run %s --entry=sums --device=emulate iota:0x3xi32 | FileCheck %s --check-prefix=EMPTY
// EMPTY: []
// RUN: obs-run %s --entry=turned iota:2x3xi32 | FileCheck %s --check-prefix=TURNED
// RUN: obs-run %s --entry=turned --device=emulate iota:2x3xi32 | FileCheck %s --check-prefix=TURNED
// TURNED: {{\[}}[2, 1, 0],
// TURNED-NEXT: [5, 4, 3]]
// RUN: obs-run %s --entry=turned iota:0x3xi32 | FileCheck %s --check-prefix=NO_ROWS
// RUN: obs-run %s --entry=turned --device=emulate iota:0x3xi32 | FileCheck %s --check-prefix=NO_ROWS
// NO_ROWS: []
// RUN: obs-run %s --entry=blocks iota:3x4xi32 | FileCheck %s --check-prefix=BLOCKS
// RUN: obs-run %s --entry=blocks --device=emulate iota:3x4xi32 | FileCheck %s --check-prefix=BLOCKS
// RUN: obs-run %s --entry=blocks --device=emulate --threads=1 --blocks=2 iota:3x4xi32 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: {{\[}}[0, 1, 3, 6],
// BLOCKS-NEXT: [4, 9, 15, 22],
// BLOCKS-NEXT: [8, 17, 27, 38]]

func.func @sums(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %sums = obs.map (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %s = obs.reduce { arith.addi } %row init %zero : !obs.pull<? x i32>
    obs.yield %s : i32
  }
  return %sums : !obs.pull<? x i32>
}

func.func @turned(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %turned = obs.map (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %r = obs.reverse %row : !obs.pull<? x i32>
    obs.yield %r : !obs.pull<? x i32>
  }
  %flat = obs.unnest %turned : !obs.pull<? x !obs.pull<? x i32>>
  return %flat : !obs.pull<? x ? x i32>
}

func.func @blocks(%a: !obs.pull<? x 4 x i32>) -> !obs.pull<? x 4 x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x 4 x i32>
  %sums = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<4 x i32>>) {
    %s = obs.scan block inclusive { arith.addi } %row init %zero : !obs.pull<4 x i32>
    obs.yield %s : !obs.push<block, 4 x i32>
  }
  %r = obs.force %sums : !obs.push<grid, ? x 4 x i32>
  return %r : !obs.pull<? x 4 x i32>
}
