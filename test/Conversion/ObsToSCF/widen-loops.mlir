// RUN: obs-opt %s --obs-widen-loops | FileCheck %s

// 200 is no number of i8, so the counter is an index.
// CHECK-LABEL: @far
// CHECK: %[[FROM:.*]] = arith.index_cast %c-100_i8 : i8 to index
// CHECK: %[[TO:.*]] = arith.index_cast %c100_i8 : i8 to index
// CHECK: %[[STEP:.*]] = arith.index_cast %c50_i8 : i8 to index
// CHECK: scf.for %[[K:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]]
// CHECK: arith.index_cast %[[K]] : index to i8
func.func @far(%x: i8) -> i8 {
  %from = arith.constant -100 : i8
  %to = arith.constant 100 : i8
  %step = arith.constant 50 : i8
  %r = scf.for %i = %from to %to step %step iter_args(%s = %x) -> (i8) : i8 {
    %t = arith.addi %s, %i : i8
    scf.yield %t : i8
  }
  return %r : i8
}

// Other loops stay: a difference that fits, an unsigned loop, and bounds that are not constants.
// CHECK-LABEL: @near
// CHECK-NOT: index_cast
// CHECK: return
func.func @near(%x: i8, %n: i8) -> (i8, i8, i8) {
  %from = arith.constant -27 : i8
  %to = arith.constant 100 : i8
  %minus = arith.constant -100 : i8
  %step = arith.constant 50 : i8
  %r = scf.for %i = %from to %to step %step iter_args(%s = %x) -> (i8) : i8 {
    %t = arith.addi %s, %i : i8
    scf.yield %t : i8
  }
  %u = scf.for unsigned %i = %to to %minus step %step iter_args(%s = %x) -> (i8) : i8 {
    %t = arith.addi %s, %i : i8
    scf.yield %t : i8
  }
  %v = scf.for %i = %minus to %n step %step iter_args(%s = %x) -> (i8) : i8 {
    %t = arith.addi %s, %i : i8
    scf.yield %t : i8
  }
  return %r, %u, %v : i8, i8, i8
}
