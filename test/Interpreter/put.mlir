// RUN: obs-run %s --entry=twice iota:3xi32 3 | FileCheck %s --check-prefix=TWICE
// RUN: obs-run %s --device=emulate --threads=17 --entry=twice iota:3xi32 3 | FileCheck %s --check-prefix=TWICE
// RUN: not obs-run %s --entry=twice iota:3xi32 4 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not obs-run %s --entry=twice iota:3xi32 2 2>&1 | FileCheck %s --check-prefix=COLLISION
// RUN: obs-run %s --entry=inner | FileCheck %s --check-prefix=INNER
// RUN: obs-run %s --entry=combined iota:20xi32 | FileCheck %s --check-prefix=COMBINED
// RUN: obs-run %s --device=emulate --check=all --threads=17 --entry=combined iota:20xi32 | FileCheck %s --check-prefix=COMBINED

// TWICE: {{^}}[0, 1, 2, 0, 1, 2]{{$}}
// RANGE: put.mlir:[[#@LINE+7]]:5: error: writes index [6], outside of the extents [6]
// COLLISION: put.mlir:[[#@LINE+3]]:8: error: [R5-disjoint] element [2] is written twice, here and at {{.*}}put.mlir:[[#@LINE+3]]:8
func.func @twice(%a: !obs.pull<3 x i32>, %o: index) -> !obs.pull<6 x i32> {
  %c0 = arith.constant 0 : index
  %h = obs.push %a : !obs.pull<3 x i32> -> !obs.push<grid, 3 x i32>
  %p = obs.fill unchecked {
    obs.put %h at [%c0] : !obs.push<grid, 3 x i32>
    obs.put %h at [%o] : !obs.push<grid, 3 x i32>
  } : !obs.push<grid, 6 x i32>
  %r = obs.force %p : !obs.push<grid, 6 x i32> -> !obs.pull<6 x i32>
  return %r : !obs.pull<6 x i32>
}

// An inner fill is an array like others: its initial elements, too, are put, and
// what its writes combine to is put once. 4 iterations add 1 to element 1 of
// [10, 10].
// INNER: {{^}}[0, 10, 14, 0]{{$}}
func.func @inner() -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %q = obs.fill init %ten reduce(addi) par (%t) in (%c4) {
    obs.write %one at [%c1] : i32
  } : !obs.push<grid, 2 x i32>
  %p = obs.fill init %zero {
    obs.put %q at [%c1] : !obs.push<grid, 2 x i32>
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// Elements that are put are combined like any write: 0, ..., 3 at 2, ..., 5, and i at i mod 8.
// COMBINED: {{^}}[24, 27, 30, 34, 18, 21, 20, 22]{{$}}
func.func @combined(%a: !obs.pull<? x i32>) -> !obs.pull<8 x i32> {
  %zero = arith.constant 0 : i32
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %four = obs.iota : !obs.pull<4 x i32>
  %h = obs.push %four : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %p = obs.fill init %zero reduce(addi) {
    obs.put %h at [%c2] : !obs.push<grid, 4 x i32>
    obs.par (%t) in (%n) {
      %x = obs.get %a[%t] : !obs.pull<? x i32>
      %seven = arith.constant 7 : index
      %k = arith.andi %t, %seven : index
      obs.write %x at [%k] : i32
    }
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
