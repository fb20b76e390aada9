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

// The step 2^8 - 1 of an unsigned loop is a positive index.
// CHECK-LABEL: @large_step
// CHECK: %[[WIDE:.*]] = arith.index_castui %c-1_i8 : i8 to index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[WIDE]]
func.func @large_step(%x: i8, %n: i8) -> i8 {
  %step = arith.constant -1 : i8
  %r = scf.for unsigned %i = %x to %n step %step iter_args(%s = %x) -> (i8) : i8 {
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

// The counter of 64 bits may wrap, so scalar code counts iterations. A step of 1 cannot wrap, and the loop of the host
// ends where its counter would wrap.
// CHECK-LABEL: @long
// CHECK: obs.map
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[FROM:arg[0-9]+]], %[[TO:arg[0-9]+]] : i64
// CHECK: %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]] : i64
// CHECK: %[[CAST:.*]] = arith.index_castui %[[LENGTH]] : i64 to index
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[CAST]], %{{.*}} : index
// CHECK: %[[TIMES:.*]] = arith.select %[[RUNS]], %[[COUNT]], %{{.*}} : index
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[TIMES]] step
// CHECK: arith.muli %{{.*}}, %c5_i64 : i64
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1_i64
// CHECK: obs.force
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c5_i64
func.func @long(%a: !obs.pull<8 x i64>, %from: i64, %to: i64) -> (!obs.pull<8 x i64>, i64) {
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %m = obs.map (%x = %a : !obs.pull<8 x i64>) {
    %r = scf.for %i = %from to %to step %five iter_args(%s = %x) -> i64 : i64 {
      %t = arith.addi %s, %i : i64
      scf.yield %t : i64
    }
    %u = scf.for %i = %from to %to step %one iter_args(%s = %r) -> i64 : i64 {
      %t = arith.addi %s, %i : i64
      scf.yield %t : i64
    }
    obs.yield %u : i64
  }
  %f = obs.force %m : !obs.pull<8 x i64>
  %r = scf.for %i = %from to %to step %five iter_args(%s = %one) -> i64 : i64 {
    %t = arith.addi %s, %i : i64
    scf.yield %t : i64
  }
  return %f, %r : !obs.pull<8 x i64>, i64
}
