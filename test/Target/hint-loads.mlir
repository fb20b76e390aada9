// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx --chip=sm_75 | FileCheck %s --check-prefix=OLD --implicit-check-not=evict_first

// Loads of 16 bytes that stream an array through a loop which writes no array do not keep it in the first cache.
// CHECK-LABEL: .entry total(
// CHECK: ld.global.nc.L1::evict_first.v4.b32
// CHECK-LABEL: .entry dot(
// CHECK: ld.global.nc.L1::evict_first.v4.b32
// The PTX of sm_75 has a version without such loads.
// OLD: .version 7.0
// OLD: ld.global.nc.v4
func.func @total(%a: !obs.pull<? x f32>) -> !obs.pull<1 x f32> {
  %z = arith.constant 0.0 : f32
  %s = obs.reduce grid { arith.addf } %a init %z : !obs.pull<? x f32>
  %f = obs.force %s {kernel = "total"} : !obs.push<grid, 1 x f32>
  return %f : !obs.pull<1 x f32>
}

func.func @dot(%a: !obs.pull<? x f32>, %b: !obs.pull<? x f32>) -> !obs.pull<1 x f32> {
  %z = arith.constant 0.0 : f32
  %products = obs.map { arith.mulf } %a, %b : !obs.pull<? x f32>
  %s = obs.reduce grid { arith.addf } %products init %z : !obs.pull<? x f32>
  %f = obs.force %s {kernel = "dot"} : !obs.push<grid, 1 x f32>
  return %f : !obs.pull<1 x f32>
}

// CHECK-LABEL: .entry long(
// CHECK: ld.global.nc.L1::evict_first.v2.b64
func.func @long(%a: !obs.pull<? x i64>) -> !obs.pull<1 x i64> {
  %z = arith.constant 0 : i64
  %s = obs.reduce grid { arith.addi } %a init %z : !obs.pull<? x i64>
  %f = obs.force %s {kernel = "long"} : !obs.push<grid, 1 x i64>
  return %f : !obs.pull<1 x i64>
}

// A loop that also writes an array.
// CHECK-LABEL: .entry doubled(
// CHECK-NOT: evict_first
// CHECK: ld.global.nc.v4.b32
func.func @doubled(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %d = obs.map (%x = %a : !obs.pull<? x f32>) {
    %y = arith.addf %x, %x : f32
    obs.yield %y : f32
  }
  %f = obs.force %d {kernel = "doubled"} : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

// All threads read the same elements.
// CHECK-LABEL: .entry shared_by_all(
// CHECK-NOT: evict_first
// CHECK: ld.global.nc.v4.b32
func.func @shared_by_all(%n: index, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %k = obs.dim %a, 0 : !obs.pull<? x i32>
  %r = obs.generate (%i) [%n] {
    %own = arith.index_cast %i : index to i32
    %s = scf.for %j = %c0 to %k step %c1 iter_args(%h = %zero) -> i32 {
      %x = obs.get %a[%j] : !obs.pull<? x i32>
      %y = arith.muli %h, %own : i32
      %z = arith.addi %y, %x : i32
      scf.yield %z : i32
    }
    obs.yield %s : i32
  } : !obs.pull<? x i32>
  %f = obs.force %r {kernel = "shared_by_all"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
