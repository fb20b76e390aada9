// RUN: obs-run %s --entry=disjoint 4 | FileCheck %s --check-prefix=DISJOINT
// RUN: obs-run %s --device=emulate --threads=17 --entry=disjoint 4 | FileCheck %s --check-prefix=DISJOINT
// RUN: obs-run %s --entry=disjoint 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=disjoint 0 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=collision 2>&1 | FileCheck %s --check-prefix=COLLISION
// RUN: not obs-run %s --entry=unwritten 1 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: obs-run %s --entry=unwritten 2 | FileCheck %s --check-prefix=WRITTEN
// RUN: obs-run %s --device=emulate --threads=17 --entry=unwritten 2 | FileCheck %s --check-prefix=WRITTEN
// RUN: obs-run %s --entry=any | FileCheck %s --check-prefix=ANY
// RUN: obs-run %s --device=emulate --threads=17 --entry=any | FileCheck %s --check-prefix=ANY
// RUN: obs-run %s --entry=init | FileCheck %s --check-prefix=INIT
// RUN: obs-run %s --device=emulate --threads=17 --entry=init | FileCheck %s --check-prefix=INIT
// RUN: obs-run %s --entry=onto iota:4xi32 | FileCheck %s --check-prefix=ONTO
// RUN: obs-run %s --device=emulate --threads=17 --entry=onto iota:4xi32 | FileCheck %s --check-prefix=ONTO
// RUN: not obs-run %s --entry=onto iota:3xi32 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=histogram iota:10xindex | FileCheck %s --check-prefix=HISTOGRAM
// RUN: obs-run %s --device=emulate --threads=17 --entry=histogram iota:10xindex | FileCheck %s --check-prefix=HISTOGRAM
// RUN: obs-run %s --entry=stages iota:4xi32 | FileCheck %s --check-prefix=STAGES
// RUN: obs-run %s --device=emulate --threads=17 --entry=stages iota:4xi32 | FileCheck %s --check-prefix=STAGES

// Iteration t writes elements 2 t and 2 t + 1, the second only if t is odd;
// the others keep 9.
// DISJOINT: {{^}}[0, 9, 1, 1, 2, 9, 3, 3]{{$}}
// NONE: {{^}}[]{{$}}
func.func @disjoint(%n: index) -> !obs.pull<? x index> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %m = arith.muli %n, %c2 : index
  %p = obs.fill init %c9 [%m] par (%t) in (%n) {
    %i = arith.muli %t, %c2 : index
    %j = arith.addi %i, %c1 : index
    obs.write %t at [%i] : index
    %bit = arith.andi %t, %c1 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    scf.if %odd {
      obs.write %t at [%j] : index
    }
  } : !obs.push<grid, ? x index>
  %r = obs.force %p : !obs.push<grid, ? x index> -> !obs.pull<? x index>
  return %r : !obs.pull<? x index>
}

// COLLISION: fill.mlir:[[#@LINE+7]]:5: error: [R5-disjoint] element [1] is written twice, here and at {{.*}}fill.mlir:[[#@LINE+7]]:5
func.func @collision() -> !obs.pull<2 x index> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = obs.fill unchecked par (%t) in (%c3) {
    %i = arith.minui %t, %c1 : index
    // Iterations 1 and 2 both write element 1.
    obs.write %t at [%i] : index
  } : !obs.push<grid, 2 x index>
  %r = obs.force %p : !obs.push<grid, 2 x index> -> !obs.pull<2 x index>
  return %r : !obs.pull<2 x index>
}

// WRITTEN: {{^}}5{{$}}
// UNWRITTEN: fill.mlir:[[#@LINE+8]]:8: error: element [1] was never written (the array is made at {{.*}}fill.mlir:[[#@LINE+7]]:8)
func.func @unwritten(%n: index) -> i32 {
  %c1 = arith.constant 1 : index
  %x = arith.constant 5 : i32
  %p = obs.fill par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 3 x i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  %y = obs.get %r[%c1] : !obs.pull<3 x i32>
  return %y : i32
}

// All three write the same number, so the order does not matter.
// ANY: {{^}}[7]{{$}}
func.func @any() -> !obs.pull<1 x i32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 7 : i32
  %p = obs.fill any par (%t) in (%c3) {
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %r = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// An empty region.
// INIT: [3, 3],
// INIT-NEXT: [3, 3]
func.func @init() -> !obs.pull<2 x 2 x i32> {
  %x = arith.constant 3 : i32
  %p = obs.fill init %x {
  } : !obs.push<grid, 2 x 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x 2 x i32> -> !obs.pull<2 x 2 x i32>
  return %r : !obs.pull<2 x 2 x i32>
}

// ONTO: {{^}}[0, 9, 2, 3]{{$}}
// EXTENTS: fill.mlir:[[#@LINE+5]]:8: error: [R4-extents] the arrays have extents [3] and [4]
func.func @onto(%a: !obs.pull<? x i32>) -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = arith.constant 9 : i32
  %p = obs.fill onto %a : !obs.pull<? x i32> par (%t) in (%c1) {
    obs.write %x at [%c1] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// 0 to 9 modulo 4: 0 4 8, 1 5 9, 2 6, 3 7.
// HISTOGRAM: {{^}}[3, 3, 2, 2]{{$}}
func.func @histogram(%keys: !obs.pull<? x index>) -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : index
  %n = obs.dim %keys, 0 : !obs.pull<? x index>
  %p = obs.fill init %c0 reduce(addi) par (%t) in (%n) {
    %k = obs.get %keys[%t] : !obs.pull<? x index>
    %m = arith.andi %k, %c3 : index
    obs.write %c1 at [%m] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// A program that stores before it writes: 2 a, reversed, and what is stored is
// read by two loops.
// STAGES: {{^}}[6, 4, 2, 0, 0, 2, 4, 6]{{$}}
func.func @stages(%a: !obs.pull<4 x i32>) -> !obs.pull<8 x i32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = obs.fill {
    %d = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %q = obs.push %d : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
    %f = obs.force %q : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
    obs.par (%t) in (%c4) {
      %x = obs.get %f[%t] : !obs.pull<4 x i32>
      %i = arith.subi %c3, %t : index
      obs.write %x at [%i] : i32
    }
    obs.par (%t) in (%c4) {
      %x = obs.get %f[%t] : !obs.pull<4 x i32>
      %i = arith.addi %c4, %t : index
      obs.write %x at [%i] : i32
    }
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
