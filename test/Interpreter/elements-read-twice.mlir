// An array that reads each element of another array twice, 32 times in a row. Each element is computed once, so
// the time is not 2^32 steps.

// RUN: obs-run %s --entry=doubled iota:3xi64 --device=interpret | FileCheck %s --check-prefix=DOUBLED
// RUN: obs-run %s --entry=doubled iota:3xi64 --device=emulate | FileCheck %s --check-prefix=DOUBLED
// 2^32 i
// DOUBLED: [0, 4294967296, 8589934592]

// The array reads memory that changes between two reads of an element.
// RUN: obs-run %s --entry=changed --device=interpret | FileCheck %s --check-prefix=CHANGED
// CHANGED: [7, 8]

func.func private @d1(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> attributes {obs.level = #obs.level<grid>} {
  %r = obs.reverse %a : !obs.pull<? x i64>
  %s = obs.map { arith.addi } %r, %r : !obs.pull<? x i64>
  return %s : !obs.pull<? x i64>
}
func.func private @d4(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> attributes {obs.level = #obs.level<grid>} {
  %0 = func.call @d1(%a) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %1 = func.call @d1(%0) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %2 = func.call @d1(%1) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %3 = func.call @d1(%2) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  return %3 : !obs.pull<? x i64>
}
func.func private @d16(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> attributes {obs.level = #obs.level<grid>} {
  %0 = func.call @d4(%a) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %1 = func.call @d4(%0) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %2 = func.call @d4(%1) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %3 = func.call @d4(%2) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  return %3 : !obs.pull<? x i64>
}
func.func @doubled(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %0 = func.call @d16(%a) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %1 = func.call @d16(%0) : (!obs.pull<? x i64>) -> !obs.pull<? x i64>
  %r = obs.force %1 : !obs.pull<? x i64>
  return %r : !obs.pull<? x i64>
}

func.func @changed() -> !obs.pull<2 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %eight = arith.constant 8 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %seven, %m[%c0] : memref<1xi32>
  %a = obs.generate (%i) {
    %x = memref.load %m[%i] : memref<1xi32>
    obs.yield %x : i32
  } : !obs.pull<1 x i32>
  %x = obs.get %a[%c0] : !obs.pull<1 x i32>
  memref.store %eight, %m[%c0] : memref<1xi32>
  %y = obs.get %a[%c0] : !obs.pull<1 x i32>
  %b = obs.generate (%i) {
    %is = arith.cmpi eq, %i, %c0 : index
    %z = arith.select %is, %x, %y : i32
    obs.yield %z : i32
  } : !obs.pull<2 x i32>
  %r = obs.force %b : !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}
