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

// Loops over an array of a thread have no iterations left, so that its 32 elements are registers: a column of comparators
// between neighbours, after one between mirror images.
// CHECK-LABEL: .entry columns(
// CHECK-NOT: .local
// CHECK-COUNT-64: {{min|max}}.s32
// CHECK-NOT: {{min|max}}.s32
// CHECK-NOT: .local
// CHECK: ret
!own = !obs.pull<32 x i32>
func.func @columns(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c31 = arith.constant 31 : index
  %chunks = obs.split %a by [32] : !obs.pull<? x i32>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<? x !own>) -> !obs.push<grid, ? x 32 x i32> {
    %own = obs.force %c : !own
    %mirrors = obs.fill par (%t) in (%c16) {
      %j = arith.subi %c31, %t : index
      %x = obs.get %own[%t] : !own
      %y = obs.get %own[%j] : !own
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      obs.write %min at [%t] : i32
      obs.write %max at [%j] : i32
    } : !obs.push<thread, 32 x i32>
    %first = obs.force %mirrors : !obs.push<thread, 32 x i32>
    %neighbours = obs.fill par (%t) in (%c16) {
      %i = arith.shli %t, %c1 : index
      %j = arith.addi %i, %c1 : index
      %x = obs.get %first[%i] : !own
      %y = obs.get %first[%j] : !own
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      obs.write %min at [%i] : i32
      obs.write %max at [%j] : i32
    } : !obs.push<thread, 32 x i32>
    obs.yield %neighbours : !obs.push<thread, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 32 x i32>
  %r = obs.force %flat {kernel = "columns"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// A loop over a window divides its counter: all copies know their row and column.
// CHECK-LABEL: .entry window(
// CHECK-COUNT-9: ld.global.nc.b32
func.func @window(%a: !obs.pull<1000 x 1000 x f32>) -> !obs.pull<998 x 998 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  %r = obs.generate (%i, %j) {
    %s = scf.for %k = %c0 to %c9 step %c1 iter_args(%m = %zero) -> f32 {
      %u = arith.divui %k, %c3 : index
      %v = arith.remui %k, %c3 : index
      %row = arith.addi %i, %u : index
      %column = arith.addi %j, %v : index
      %x = obs.get %a[%row, %column] : !obs.pull<1000 x 1000 x f32>
      %y = math.exp %x : f32
      %z = math.log1p %y : f32
      %w = arith.divf %z, %y : f32
      %n = arith.addf %m, %w : f32
      scf.yield %n : f32
    }
    obs.yield %s : f32
  } : !obs.pull<998 x 998 x f32>
  %f = obs.force %r {kernel = "window", threads = 32} : !obs.pull<998 x 998 x f32>
  return %f : !obs.pull<998 x 998 x f32>
}
