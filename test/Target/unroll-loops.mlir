// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s

// Short innermost loops that read neighbours have four copies of their body, so that four reads are one access. The
// remaining iterations are a loop of their own.
// CHECK-LABEL: .entry run_time(
// CHECK: ld.global.nc.v4.b32
// CHECK-COUNT-4: mad.lo.s32
// CHECK-NOT: mad.lo.s32
// CHECK: bra
// CHECK: ld.global.nc.b32
// CHECK: mad.lo.s32
// CHECK: ret
func.func @run_time(%n: index, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %k = obs.dim %a, 0 : !obs.pull<? x i32>
  %r = obs.generate (%i) [%n] {
    %s = scf.for %j = %c0 to %k step %c1 iter_args(%h = %zero) -> i32 {
      %x = obs.get %a[%j] : !obs.pull<? x i32>
      %y = arith.muli %h, %three : i32
      %z = arith.addi %y, %x : i32
      scf.yield %z : i32
    }
    // The index goes in, so that threads do not all compute the same.
    %own = arith.index_cast %i : index to i32
    %t = arith.xori %s, %own : i32
    obs.yield %t : i32
  } : !obs.pull<? x i32>
  %f = obs.force %r {kernel = "run_time"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// A loop that ends in the middle of a calculation tests the end after each copy, and copies no values.
// CHECK-LABEL: .entry steps(
// CHECK-COUNT-4: shr.u32
// CHECK-NOT: shr.u32
// CHECK: ret
func.func @steps(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %last, %count = scf.while (%v = %x, %k = %zero) : (i32, i32) -> (i32, i32) {
      %bit = arith.andi %v, %three : i32
      %goes = arith.cmpi ne, %bit, %three : i32
      scf.condition(%goes) %v, %k : i32, i32
    } do {
    ^bb0(%v: i32, %k: i32):
      %half = arith.shrui %v, %one : i32
      %u = arith.xori %half, %x : i32
      %l = arith.addi %k, %one : i32
      scf.yield %u, %l : i32, i32
    }
    obs.yield %count : i32
  }
  %f = obs.force %r {kernel = "steps"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
