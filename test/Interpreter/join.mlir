// RUN: obs-run %s --entry=array iota:3x2xi32 | FileCheck %s --check-prefix=ARRAY
// RUN: obs-run %s --device=emulate --threads=17 --entry=array iota:3x2xi32 | FileCheck %s --check-prefix=ARRAY
// RUN: obs-run %s --entry=strided iota:3x2xi32 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --device=emulate --threads=17 --entry=strided iota:3x2xi32 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --entry=clip iota:3x2xi32 5 | FileCheck %s --check-prefix=CLIP
// RUN: obs-run %s --device=emulate --threads=17 --entry=clip iota:3x2xi32 5 | FileCheck %s --check-prefix=CLIP
// RUN: not obs-run %s --entry=clip iota:3x2xi32 7 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=push iota:3x2xi32 5 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:3x2xi32 5 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=tiles iota:4x4xi32 | FileCheck %s --check-prefix=TILES
// RUN: obs-run %s --device=emulate --threads=17 --entry=tiles iota:4x4xi32 | FileCheck %s --check-prefix=TILES
// RUN: not obs-run %s --entry=ragged 3 2>&1 | FileCheck %s --check-prefix=RAGGED
// RUN: obs-run %s --entry=ragged 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=ragged 0 | FileCheck %s --check-prefix=NONE

// Row after row.
// ARRAY: {{^}}[0, 1, 2, 3, 4, 5]{{$}}
func.func @array(%a: !obs.pull<? x 2 x i32>) -> !obs.pull<? x i32> {
  %r = obs.join %a : !obs.pull<? x 2 x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Element i of chunk c is element c + 3 i: column after column.
// STRIDED: {{^}}[0, 2, 4, 1, 3, 5]{{$}}
func.func @strided(%a: !obs.pull<? x 2 x i32>) -> !obs.pull<? x i32> {
  %r = obs.join %a strided : !obs.pull<? x 2 x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// CLIP: {{^}}[0, 1, 2, 3, 4]{{$}}
// RANGE: join.mlir:[[#@LINE+2]]:8: error: [R4-range] joins extents [6] to [7]
func.func @clip(%a: !obs.pull<? x 2 x i32>, %n: index) -> !obs.pull<? x i32> {
  %r = obs.join %a to [%n] : !obs.pull<? x 2 x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The writes of a push array, those past the end dropped.
// PUSH: {{^}}[0, 2, 4, 1, 3]{{$}}
func.func @push(%a: !obs.pull<? x 2 x i32>, %n: index) -> !obs.pull<? x i32> {
  %p = obs.push %a : !obs.pull<? x 2 x i32> -> !obs.push<grid, ? x 2 x i32>
  %j = obs.join %p strided to [%n] : !obs.push<grid, ? x 2 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %j : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Tiles of rank 2, each transposed in its place.
// TILES: [0, 4, 2, 6],
// TILES-NEXT: [1, 5, 3, 7],
// TILES-NEXT: [8, 12, 10, 14],
// TILES-NEXT: [9, 13, 11, 15]
func.func @tiles(%a: !obs.pull<4 x 4 x i32>) -> !obs.pull<4 x 4 x i32> {
  %s = obs.split %a by [2, 2] : !obs.pull<4 x 4 x i32> -> !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>>
  %t = obs.map (%c = %s : !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>>) -> !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>> {
    %x = obs.transpose %c [1, 0] : !obs.pull<2 x 2 x i32>
    obs.yield %x : !obs.pull<2 x 2 x i32>
  }
  %r = obs.join %t : !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>> -> !obs.pull<4 x 4 x i32>
  return %r : !obs.pull<4 x 4 x i32>
}

// Element i has i + 1 elements, while all must have as many as the first.
// RAGGED: join.mlir:[[#@LINE+9]]:8: error: [R4-extents] chunk [1] has extents [2], the others [1]
// NONE: {{^}}[]{{$}}
func.func @ragged(%n: index) -> !obs.pull<? x index> {
  %c1 = arith.constant 1 : index
  %a = obs.generate (%i) [%n] {
    %k = arith.addi %i, %c1 : index
    %inner = obs.iota [%k] : !obs.pull<? x index>
    obs.yield %inner : !obs.pull<? x index>
  } : !obs.pull<? x !obs.pull<? x index>>
  %r = obs.join %a : !obs.pull<? x !obs.pull<? x index>> -> !obs.pull<? x index>
  return %r : !obs.pull<? x index>
}
