// Products of matrices on the interpreter and the emulator.
// RUN: obs-run %s --entry=integers iota:2x3xi8 iota:3x2xi8 | FileCheck %s --check-prefix=INTEGERS
// RUN: obs-run %s --entry=integers iota:2x3xi8 iota:3x2xi8 --device=emulate --threads=17 --check=all | FileCheck %s --check-prefix=INTEGERS
// RUN: obs-run %s --entry=integers zeros:2x0xi8 zeros:0x1xi8 | FileCheck %s --check-prefix=EMPTY
// RUN: not obs-run %s --entry=integers zeros:2x2xi8 zeros:3x1xi8 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not obs-run %s --entry=integers zeros:2x2xi8 zeros:3x1xi8 --device=emulate 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: obs-run %s --entry=halves iota:16x3xf16 iota:3x8xf16 | FileCheck %s --check-prefix=HALVES
// RUN: obs-run %s --entry=halves iota:16x3xf16 iota:3x8xf16 --device=emulate --check=all | FileCheck %s --check-prefix=HALVES
// RUN: obs-run %s --entry=halves iota:16x3xf16 iota:3x8xf16 --device=emulate --threads=1 --check=all | FileCheck %s --check-prefix=HALVES

// RUN: obs-run %s --entry=batches iota:2x1x3xi8 iota:2x3x2xi8 | FileCheck %s --check-prefix=BATCHES
// RUN: obs-run %s --entry=batches iota:2x1x3xi8 iota:2x3x2xi8 --device=emulate --check=all | FileCheck %s --check-prefix=BATCHES
// RUN: obs-run %s --entry=batches iota:2x20x9xi8 iota:2x9x17xi8 --device=emulate --check=all --out=%t.emulated.npy
// RUN: obs-run %s --entry=batches iota:2x20x9xi8 iota:2x9x17xi8 --out=%t.npy
// RUN: cmp %t.emulated.npy %t.npy
// RUN: not obs-run %s --entry=batches zeros:2x1x3xi8 zeros:3x3x2xi8 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not obs-run %s --entry=batches zeros:2x1x3xi8 zeros:3x3x2xi8 --device=emulate 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: obs-run %s --entry=rounding | FileCheck %s --check-prefix=ROUNDING
// RUN: obs-run %s --entry=rounding --device=emulate | FileCheck %s --check-prefix=ROUNDING

// Row 0 is 0 * 0 + 1 * 2 + 2 * 4 = 10 and 0 * 1 + 1 * 3 + 2 * 5 = 13, each plus 7.
// INTEGERS: {{\[}}[17, 20],
// INTEGERS-NEXT: [35, 47]]
// EMPTY: {{\[}}[7],
// EMPTY-NEXT: [7]]
// ROWS: [R4-extents] the left operand has 2 columns, and the right operand has 3 rows
// CHECKED: [R4-extents] obs.matmul: the left operand has another number of columns than the right operand has rows
func.func @integers(%a: !obs.pull<? x ? x i8>, %b: !obs.pull<? x ? x i8>) -> !obs.pull<? x ? x i32> {
  %c7 = arith.constant 7 : i32
  %p = obs.matmul %a, %b init %c7 : !obs.pull<? x ? x i8>, !obs.pull<? x ? x i8> -> !obs.push<grid, ? x ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Row i has 3i, 3i + 1 and 3i + 2, and column j has j, 8 + j and 16 + j: element [i, j] is 72i + 9ij + 40 + 3j, plus 1/2.
// HALVES: {{\[\[}}[40.5, 43.5, 46.5, 49.5, 52.5, 55.5, 58.5, 61.5],
// HALVES-NEXT: [112.5, 124.5, 136.5, 148.5, 160.5, 172.5, 184.5, 196.5],
// HALVES: [1120.5, 1258.5, 1396.5, 1534.5, 1672.5, 1810.5, 1948.5, 2086.5]]]
func.func @halves(%a: !obs.pull<16 x ? x f16>, %b: !obs.pull<? x 8 x f16>) -> !obs.pull<1 x 16 x 8 x f32> {
  %half = arith.constant 0.5 : f32
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %p = obs.matmul %a, %b init %half : !obs.pull<16 x ? x f16>, !obs.pull<? x 8 x f16> -> !obs.push<block, 16 x 8 x f32>
    obs.yield %p : !obs.push<block, 16 x 8 x f32>
  }
  %r = obs.force %c : !obs.push<grid, 1 x 16 x 8 x f32>
  return %r : !obs.pull<1 x 16 x 8 x f32>
}

// Batch 0 is 0 * 0 + 1 * 2 + 2 * 4 = 10 and 0 * 1 + 1 * 3 + 2 * 5 = 13, batch 1 is 3 * 6 + 4 * 8 + 5 * 10 = 100 and 112.
// BATCHES: {{\[\[\[}}10, 13]],
// BATCHES: {{\[\[}}100, 112]]]
// NUMBER: [R4-extents] the left operand has 2 batches, and the right operand has 3
// SAME: [R4-extents] obs.matmul: the operands have different numbers of batches
func.func @batches(%a: !obs.pull<? x ? x ? x i8>, %b: !obs.pull<? x ? x ? x i8>) -> !obs.pull<? x ? x ? x i32> {
  %c0 = arith.constant 0 : i32
  %p = obs.matmul %a, %b init %c0 : !obs.pull<? x ? x ? x i8>, !obs.pull<? x ? x ? x i8> -> !obs.push<grid, ? x ? x ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x ? x ? x i32>
  return %r : !obs.pull<? x ? x ? x i32>
}

// (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24. A product with a rounding of its own has no 2^-24.
// ROUNDING: 0.00048834085
// ROUNDING: 0.00048828125
func.func @rounding() -> (!obs.pull<1 x 1 x f32>, !obs.pull<1 x 1 x f32>) {
  %x = arith.constant 1.000244140625 : f32
  %minus = arith.constant -1.0 : f32
  %a = obs.splat %x : !obs.pull<1 x 1 x f32>
  %p = obs.matmul %a, %a init %minus {contract} : !obs.pull<1 x 1 x f32>, !obs.pull<1 x 1 x f32> -> !obs.push<grid, 1 x 1 x f32>
  %q = obs.matmul %a, %a init %minus : !obs.pull<1 x 1 x f32>, !obs.pull<1 x 1 x f32> -> !obs.push<grid, 1 x 1 x f32>
  %r:2 = obs.force %p, %q : !obs.push<grid, 1 x 1 x f32>, !obs.push<grid, 1 x 1 x f32>
  return %r#0, %r#1 : !obs.pull<1 x 1 x f32>, !obs.pull<1 x 1 x f32>
}
