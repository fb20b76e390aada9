// RUN: obs-run %s --entry=split iota:7xi32 3 2 | FileCheck %s --check-prefix=LAST
// RUN: obs-run %s --device=emulate --threads=17 --entry=split iota:7xi32 3 2 | FileCheck %s --check-prefix=LAST
// RUN: obs-run %s --entry=split iota:7xi32 3 0 | FileCheck %s --check-prefix=FIRST
// RUN: obs-run %s --device=emulate --threads=17 --entry=split iota:7xi32 3 0 | FileCheck %s --check-prefix=FIRST
// RUN: not obs-run %s --entry=split iota:7xi32 0 0 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: obs-run %s --entry=strided iota:7xi32 0 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --device=emulate --threads=17 --entry=strided iota:7xi32 0 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --entry=strided iota:7xi32 2 | FileCheck %s --check-prefix=TAIL
// RUN: obs-run %s --device=emulate --threads=17 --entry=strided iota:7xi32 2 | FileCheck %s --check-prefix=TAIL
// RUN: obs-run %s --entry=count iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=count iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=count iota:8xi32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate --threads=17 --entry=count iota:8xi32 | FileCheck %s --check-prefix=TWO
// RUN: not obs-run %s --entry=count iota:7xi32 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: obs-run %s --entry=tile iota:4x4xi32 | FileCheck %s --check-prefix=TILE
// RUN: obs-run %s --device=emulate --threads=17 --entry=tile iota:4x4xi32 | FileCheck %s --check-prefix=TILE

// 7 elements by 3: 0 1 2, 3 4 5, 6 and padding.
// FIRST: {{^}}[0, 1, 2]{{$}}
// LAST: {{^}}[6, -1, -1]{{$}}
// SIZE: split.mlir:[[#@LINE+3]]:8: error: [R4-split] chunks of 0 elements
func.func @split(%a: !obs.pull<? x i32>, %k: index, %i: index) -> !obs.pull<? x i32> {
  %z = arith.constant -1 : i32
  %r = obs.split %a by [%k] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<? x i32>>
  %c = obs.get %r[%i] : !obs.pull<? x !obs.pull<? x i32>>
  return %c : !obs.pull<? x i32>
}

// 3 chunks; chunk c has elements c, c + 3, c + 6.
// STRIDED: {{^}}[0, 3, 6]{{$}}
// TAIL: {{^}}[2, 5, -1]{{$}}
func.func @strided(%a: !obs.pull<? x i32>, %i: index) -> !obs.pull<3 x i32> {
  %z = arith.constant -1 : i32
  %r = obs.split %a strided by [3] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<3 x i32>>
  %c = obs.get %r[%i] : !obs.pull<? x !obs.pull<3 x i32>>
  return %c : !obs.pull<3 x i32>
}

// NONE: {{^}}0{{$}}
// TWO: {{^}}2{{$}}
// DIVIDES: split.mlir:[[#@LINE+2]]:8: error: [R4-split] extent 7 is not a multiple of the chunk size 4; give pad values
func.func @count(%a: !obs.pull<? x i32>) -> index {
  %r = obs.split %a by [4] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<4 x i32>>
  %d = obs.dim %r, 0 : !obs.pull<? x !obs.pull<4 x i32>>
  return %d : index
}

// Tile (0, 1) of 2 x 2 tiles: rows 0 and 1, columns 2 and 3.
// TILE: [2, 3],
// TILE-NEXT: [6, 7]
func.func @tile(%a: !obs.pull<4 x 4 x i32>) -> !obs.pull<2 x 2 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = obs.split %a by [2, 2] : !obs.pull<4 x 4 x i32> -> !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>>
  %c = obs.get %r[%c0, %c1] : !obs.pull<2 x 2 x !obs.pull<2 x 2 x i32>>
  return %c : !obs.pull<2 x 2 x i32>
}
