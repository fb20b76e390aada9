// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s

// Short innermost loops that read neighbours have eight copies of their body, so that four reads are one access. The
// remaining iterations are a loop of their own.
// CHECK-LABEL: .entry run_time(
// CHECK: ld.global.nc.v4.b32
// CHECK-COUNT-4: mad.lo.s32
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
