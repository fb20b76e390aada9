// RUN: obs-run %s --entry=second iota:3x4xi32 | FileCheck %s --check-prefix=SECOND
// RUN: obs-run %s --device=emulate --threads=17 --entry=second iota:3x4xi32 | FileCheck %s --check-prefix=SECOND
// RUN: obs-run %s --entry=pairs iota:4xi32 iota:4xi64 | FileCheck %s --check-prefix=PAIRS
// RUN: obs-run %s --device=emulate --threads=17 --entry=pairs iota:4xi32 iota:4xi64 | FileCheck %s --check-prefix=PAIRS
// RUN: obs-run %s --entry=snapshot iota:4xi32 | FileCheck %s --check-prefix=SNAPSHOT
// RUN: not obs-run %s --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY

// Row 2 of a 3 x 4 memref of 0, 1, 2, ... starts at 8; its element 1 is 9.
// SECOND: {{^}}9{{$}}
func.func @second(%m: memref<?x4xi32>) -> i32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = obs.view %m : memref<?x4xi32>
  %x = obs.get %a[%c2, %c1] : !obs.pull<? x 4 x i32>
  return %x : i32
}

// Two memrefs make an array of pairs.
// PAIRS: {{^}}[0, 1, 2, 3]{{$}}
// PAIRS-NEXT: {{^}}[0, 1, 2, 3]{{$}}
func.func @pairs(%m: memref<?xi32>, %n: memref<?xi64>) -> !obs.pull<? x i32, i64> {
  %a = obs.view %m, %n : memref<?xi32>, memref<?xi64>
  return %a : !obs.pull<? x i32, i64>
}

// The contents at that point: the elements that were stored before.
// SNAPSHOT: {{^}}[0, 9, 2, 3]{{$}}
func.func @snapshot(%m: memref<4xi32>) -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %x = arith.constant 9 : i32
  memref.store %x, %m[%c1] : memref<4xi32>
  %a = obs.view %m : memref<4xi32>
  return %a : !obs.pull<4 x i32>
}

// EMPTY: view.mlir:[[#@LINE+5]]:8: error: element [1] of the memory was never written (the view is made at {{.*}}view.mlir:[[#@LINE+4]]:8)
func.func @empty() -> i32 {
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %a = obs.view %m : memref<4xi32>
  %x = obs.get %a[%c1] : !obs.pull<4 x i32>
  return %x : i32
}
