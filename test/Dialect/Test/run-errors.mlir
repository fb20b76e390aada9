// RUN: not obs-test run %s --entry=drop iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=DROP
// RUN: not obs-test run %s --entry=drop --device=emulate iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=DROP
// RUN: obs-test run %s --entry=drop --device=emulate iota:8xi32 8 | FileCheck %s --check-prefix=ALL
// RUN: not obs-test run %s --entry=bounded iota:8xi32 2 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not obs-test run %s --entry=bounded --device=emulate iota:8xi32 2 2>&1 | FileCheck %s --check-prefix=BOUND-HOST
// RUN: not obs-test run %s --entry=pair_up iota:8xi32 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not obs-test run %s --entry=pair_up --device=emulate iota:8xi32 2>&1 | FileCheck %s --check-prefix=CLAIM
// RUN: not obs-test run %s --entry=evens iota:8xi32 2>&1 | FileCheck %s --check-prefix=MEANING
// RUN: obs-test run %s --entry=evens --device=emulate iota:7xi32 | FileCheck %s --check-prefix=EVENS

// The conditions that the operation builds, and those of its meaning.

// DROP: run-errors.mlir:[[#@LINE+4]]:8: error: {{(assertion-failed: \[R4-extents\] test.drop: )?}}drops more elements than there are
// ALL: {{^}}[]{{$}}
!ints = !obs.pull<? x i32>
func.func @drop(%a: !ints, %k: index) -> !ints {
  %d = test.drop %a, %k : !ints -> !ints
  %r = obs.force %d : !ints
  return %r : !ints
}

// Extents of results are compared with bounds without any code for it.

// BOUND: run-errors.mlir:[[#@LINE+4]]:8: error: [R4-extents] extent 0 of the array would be 6, but its type says at most 4
// BOUND-HOST: run-errors.mlir:[[#@LINE+3]]:8: error: assertion-failed: [R4-extents] test.drop: an extent exceeds the bound in its type
!few = !obs.pull<? x i32 bound [4]>
func.func @bounded(%a: !ints, %k: index) -> !few {
  %d = test.drop %a, %k : !ints -> !few
  %r = obs.force %d : !few
  return %r : !few
}

// An index map that does not claim to be injective is checked.

// TWICE: run-errors.mlir:[[#@LINE+4]]:8: error: [R5-disjoint] element [0] is written twice
// CLAIM: run-errors.mlir:[[#@LINE+4]]:8: error: false-claim: [R5-disjoint] store of 4 bytes
!pushed = !obs.push<grid, ? x i32>
func.func @pair_up(%a: !ints) -> !ints {
  %p = obs.push grid %a : !ints
  %b = test.pair_up %p : !pushed -> !pushed
  %r = obs.force %b : !pushed
  return %r : !ints
}

// MEANING: run-errors.mlir:[[#@LINE+3]]:8: error: the interpreter does not execute 'test.evens'; an operation of another dialect needs InterpretableOpInterface
// EVENS: {{^}}[0, 2, 4, 6]{{$}}
func.func @evens(%a: !ints) -> !ints {
  %b = test.evens %a : !ints -> !ints
  %r = obs.force %b : !ints
  return %r : !ints
}
