// RUN: obs-run %s --entry=saxpy 2 iota:4xf32 iota:4xf32 | FileCheck %s --check-prefix=SAXPY
// RUN: obs-run %s --device=emulate --threads=17 --entry=saxpy 2 iota:4xf32 iota:4xf32 | FileCheck %s --check-prefix=SAXPY
// RUN: obs-run %s --entry=saxpy 2 iota:0xf32 iota:0xf32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=saxpy 2 iota:0xf32 iota:0xf32 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=saxpy 2 iota:4xf32 iota:3xf32 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=push iota:5xi32 iota:5xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --device=emulate --threads=17 --entry=push iota:5xi32 iota:5xi32 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=pairs iota:4xi32 | FileCheck %s --check-prefix=PAIRS
// RUN: obs-run %s --device=emulate --threads=17 --entry=pairs iota:4xi32 | FileCheck %s --check-prefix=PAIRS
// RUN: obs-run %s --entry=capture iota:3xi32 | FileCheck %s --check-prefix=CAPTURE
// RUN: obs-run %s --device=emulate --threads=17 --entry=capture iota:3xi32 | FileCheck %s --check-prefix=CAPTURE

// 2 i + i
// SAXPY: {{^}}[0.0, 3.0, 6.0, 9.0]{{$}}
// NONE: {{^}}[]{{$}}
// EXTENTS: map.mlir:[[#@LINE+2]]:8: error: [R4-extents] the arrays have extents [3] and [4]
func.func @saxpy(%k: f32, %x: !obs.pull<? x f32>, %y: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %r = obs.map (%a = %x : !obs.pull<? x f32>, %b = %y : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %p = arith.mulf %k, %a : f32
    %s = arith.addf %p, %b : f32
    obs.yield %s : f32
  }
  return %r : !obs.pull<? x f32>
}

// The push operand writes i at 4 - i; the pull operand is read there, too:
// (4 - j) - 10 j at j.
// PUSH: {{^}}[4, -7, -18, -29, -40]{{$}}
func.func @push(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c10 = arith.constant 10 : i32
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %q = obs.reverse %p : !obs.push<grid, ? x i32>
  %r = obs.map (%x = %b : !obs.pull<? x i32>, %y = %q : !obs.push<grid, ? x i32>) -> !obs.push<grid, ? x i32> {
    %s = arith.muli %x, %c10 : i32
    %d = arith.subi %y, %s : i32
    obs.yield %d : i32
  }
  %f = obs.force %r : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// One element in, two out.
// PAIRS: {{^}}[0, 2, 4, 6]{{$}}
// PAIRS-NEXT: {{^}}[false, true, false, true]{{$}}
func.func @pairs(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32, i1> {
  %r = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i1> {
    %d = arith.addi %x, %x : i32
    %odd = arith.trunci %x : i32 to i1
    obs.yield %d, %odd : i32, i1
  }
  return %r : !obs.pull<? x i32, i1>
}

// An array that was made in one iteration of a loop keeps the value of that
// iteration: x + 0, then (x + 0) + 1, then + 2, so x + 3 after three.
// CAPTURE: {{^}}[3, 4, 5]{{$}}
func.func @capture(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> (!obs.pull<? x i32>) {
    %k = arith.index_cast %i : index to i32
    %m = obs.map (%x = %v : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %s = arith.addi %x, %k : i32
      obs.yield %s : i32
    }
    scf.yield %m : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}
