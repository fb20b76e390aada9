// RUN: obs-run %s --entry=prefix --device=interpret | FileCheck %s --check-prefix=PREFIX
// RUN: obs-run %s --entry=prefix --device=emulate --check --schedule=random --seed=2 | FileCheck %s --check-prefix=PREFIX
// RUN: obs-run %s --entry=prefix --device=emulate --threads=17 | FileCheck %s --check-prefix=PREFIX
// RUN: obs-run %s --entry=rotate --device=interpret | FileCheck %s --check-prefix=ROTATE
// RUN: obs-run %s --entry=rotate --device=emulate --check --schedule=random --seed=2 | FileCheck %s --check-prefix=ROTATE
// RUN: obs-run %s --entry=two --device=interpret | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=two --device=emulate --check --schedule=random --seed=2 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=columns --device=interpret | FileCheck %s --check-prefix=COLUMNS
// RUN: obs-run %s --entry=columns --device=emulate --check --schedule=random --seed=2 | FileCheck %s --check-prefix=COLUMNS
// RUN: obs-run %s --entry=columns --device=emulate --threads=33 | FileCheck %s --check-prefix=COLUMNS
// RUN: obs-opt %s --obs-to-gpu | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-opt %s --obs-to-levels 2>/dev/null | FileCheck %s --check-prefix=IR
// RUN: obs-opt %s --obs-to-levels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A fill onto a stored array of the same region writes in place where nothing
// else needs the old array, and no iteration reads what another one writes.

// RACES-COUNT-4: is proved free of races
// RACES-NOT: race-

// REMARK-NOT: remark
// REMARK: onto-in-place.mlir:[[#@LINE+47]]:12: remark: each iteration copies the array after onto
// REMARK-NOT: remark

// Element k + 1 becomes the sum of the elements k and k + 1: prefix sums.
// PREFIX: {{\[}}[0, 1, 3, 6, 10, 15, 21, 28]]
// IR-LABEL: obs.kernel @prefix
// IR: memref.alloc(){{.*}} : memref<1x8xi32
// IR-NOT: obs.copy
func.func @prefix() -> !obs.pull<1 x 8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %one = obs.iota [%c1] : !obs.pull<? x index>
  %rows = obs.distribute block in grid (%m = %one : !obs.pull<? x index>) -> !obs.push<grid, 1 x 8 x i32> {
    %start = obs.iota : !obs.pull<8 x i32>
    %last = scf.for %k = %c0 to %c7 step %c1 iter_args(%s = %start) -> !obs.pull<8 x i32> {
      %next = arith.addi %k, %c1 : index
      %q = obs.fill onto %s : !obs.pull<8 x i32> par (%t) in (%c1) {
        %x = obs.get %s[%k] : !obs.pull<8 x i32>
        %y = obs.get %s[%next] : !obs.pull<8 x i32>
        %z = arith.addi %x, %y : i32
        obs.write %z at [%next] : i32
      } : !obs.push<block, 8 x i32>
      %f = obs.force %q : !obs.push<block, 8 x i32>
      scf.yield %f : !obs.pull<8 x i32>
    }
    %p = obs.push block %last : !obs.pull<8 x i32>
    obs.yield %p : !obs.push<block, 8 x i32>
  }
  %r = obs.force %rows {kernel = "prefix"} : !obs.push<grid, 1 x 8 x i32>
  return %r : !obs.pull<1 x 8 x i32>
}

// Each iteration reads what the next one writes, so the old array is copied:
// three rotations by one element.
// ROTATE: {{\[}}[3, 4, 5, 6, 7, 0, 1, 2]]
// IR-LABEL: obs.kernel @rotate
// IR: obs.copy
func.func @rotate() -> !obs.pull<1 x 8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = obs.iota [%c1] : !obs.pull<? x index>
  %rows = obs.distribute block in grid (%m = %one : !obs.pull<? x index>) -> !obs.push<grid, 1 x 8 x i32> {
    %start = obs.iota : !obs.pull<8 x i32>
    %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %start) -> !obs.pull<8 x i32> {
      %q = obs.fill onto %s : !obs.pull<8 x i32> par (%t) in (%c8) {
        %u = arith.addi %t, %c1 : index
        %v = arith.remui %u, %c8 : index
        %x = obs.get %s[%v] : !obs.pull<8 x i32>
        obs.write %x at [%t] : i32
      } : !obs.push<block, 8 x i32>
      %f = obs.force %q : !obs.push<block, 8 x i32>
      scf.yield %f : !obs.pull<8 x i32>
    }
    %p = obs.push block %last : !obs.pull<8 x i32>
    obs.yield %p : !obs.push<block, 8 x i32>
  }
  %r = obs.force %rows {kernel = "rotate"} : !obs.push<grid, 1 x 8 x i32>
  return %r : !obs.pull<1 x 8 x i32>
}

// The old array is read after the new one is made, so it must not change:
// 2 i - i = i, and element 0 is 2 * 100 - 0.
// TWO: {{\[}}[200, 1, 2, 3]]
// IR-LABEL: obs.kernel @two
// IR: obs.copy
func.func @two() -> !obs.pull<1 x 4 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %hundred = arith.constant 100 : i32
  %one = obs.iota [%c1] : !obs.pull<? x index>
  %rows = obs.distribute block in grid (%m = %one : !obs.pull<? x index>) -> !obs.push<grid, 1 x 4 x i32> {
    %start = obs.iota : !obs.pull<4 x i32>
    %s = obs.force %start : !obs.pull<4 x i32>
    %q = obs.fill onto %s : !obs.pull<4 x i32> par (%t) in (%c1) {
      obs.write %hundred at [%c0] : i32
    } : !obs.push<block, 4 x i32>
    %f = obs.force %q : !obs.push<block, 4 x i32>
    %d = obs.map (%x = %f, %y = %s : !obs.pull<4 x i32>) {
      %xx = arith.addi %x, %x : i32
      %z = arith.subi %xx, %y : i32
      obs.yield %z : i32
    }
    %p = obs.push block %d : !obs.pull<4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %r = obs.force %rows {kernel = "two"} : !obs.push<grid, 1 x 4 x i32>
  return %r : !obs.pull<1 x 4 x i32>
}

// Row j of a matrix of ones is added to each row below it, so element (i, j)
// doubles from row to row: 1, 2, 4, 8. The written rows are never row j.
// COLUMNS:      {{\[}}{{\[}}[1, 1, 1],
// COLUMNS-NEXT: [2, 2, 2],
// COLUMNS-NEXT: [4, 4, 4],
// COLUMNS-NEXT: [8, 8, 8]]]
// IR-LABEL: obs.kernel @columns
// IR: memref.alloc(){{.*}} : memref<1x4x3xi32
// IR-NOT: obs.copy
func.func @columns() -> !obs.pull<1 x 4 x 3 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = arith.constant 1 : i32
  %one = obs.iota [%c1] : !obs.pull<? x index>
  %rows = obs.distribute block in grid (%m = %one : !obs.pull<? x index>) -> !obs.push<grid, 1 x 4 x 3 x i32> {
    %start = obs.splat %v : !obs.pull<4 x 3 x i32>
    %last = scf.for %j = %c0 to %c3 step %c1 iter_args(%s = %start) -> !obs.pull<4 x 3 x i32> {
      %below = arith.subi %c3, %j : index
      %q = obs.fill onto %s : !obs.pull<4 x 3 x i32> par (%i, %c) in (%below, %c3) {
        %j1 = arith.addi %j, %c1 : index
        %row = arith.addi %j1, %i : index
        %x = obs.get %s[%j, %c] : !obs.pull<4 x 3 x i32>
        %y = obs.get %s[%row, %c] : !obs.pull<4 x 3 x i32>
        %z = arith.addi %x, %y : i32
        obs.write %z at [%row, %c] : i32
      } : !obs.push<block, 4 x 3 x i32>
      %f = obs.force %q : !obs.push<block, 4 x 3 x i32>
      scf.yield %f : !obs.pull<4 x 3 x i32>
    }
    %p = obs.push block %last : !obs.pull<4 x 3 x i32>
    obs.yield %p : !obs.push<block, 4 x 3 x i32>
  }
  %r = obs.force %rows {kernel = "columns"} : !obs.push<grid, 1 x 4 x 3 x i32>
  return %r : !obs.pull<1 x 4 x 3 x i32>
}
