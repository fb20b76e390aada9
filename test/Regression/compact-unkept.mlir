// A compaction in one pass loads elements with their flags. It computes no element that is not kept if that may fail:
// here, a division by zero, and a read outside of an array.
//
// RUN: obs-run %s --entry=quotients 10000 --device=interpret | FileCheck %s --check-prefix=QUOTIENTS
// RUN: obs-run %s --entry=quotients 10000 --device=emulate | FileCheck %s --check-prefix=QUOTIENTS
// RUN: obs-run %s --entry=reads iota:7xi32 10000 --device=interpret | FileCheck %s --check-prefix=READS
// RUN: obs-run %s --entry=reads iota:7xi32 10000 --device=emulate | FileCheck %s --check-prefix=READS
//
// Elements that a map of stored ones computes cannot fail, so they are loaded side by side.
// RUN: obs-translate %s --obs-to-ptx | FileCheck %s --check-prefix=PTX
// PTX: .entry mapped(
// PTX-COUNT-4: ld.global.nc.v4.b32

// 100 divided by each number from -2 to 2 in turn, but 0.
// QUOTIENTS: [-50, -100, 100, ..., 0, 0, 0]
func.func @quotients(%n: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %hundred = arith.constant 100 : i32
  %two = arith.constant 2 : index
  %five = arith.constant 5 : index
  %x = obs.generate (%i) [%n] {
    %r = arith.remui %i, %five : index
    %s = arith.subi %r, %two : index
    %e = arith.index_cast %s : index to i32
    obs.yield %e : i32
  } : !obs.pull<? x i32>
  %f = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %y = arith.cmpi ne, %e, %zero : i32
    obs.yield %y : i1
  }
  %q = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.divsi %hundred, %e : i32
    obs.yield %y : i32
  }
  %p, %m = obs.compact %q flags %f init %zero : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r = obs.force %p {kernel = "quotients"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// Of indices 0 to 9999, the array has 7.
// READS: [0, 1, 2, ..., -1, -1, -1]
func.func @reads(%x: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %none = arith.constant -1 : i32
  %size = obs.dim %x, 0 : !obs.pull<? x i32>
  %f = obs.generate (%i) [%n] {
    %y = arith.cmpi ult, %i, %size : index
    obs.yield %y : i1
  } : !obs.pull<? x i1>
  %q = obs.generate (%i) [%n] {
    %y = obs.get %x[%i] : !obs.pull<? x i32>
    obs.yield %y : i32
  } : !obs.pull<? x i32>
  %p, %m = obs.compact %q flags %f init %none : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r = obs.force %p {kernel = "reads"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @mapped(%x: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %f = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %y = arith.cmpi ne, %e, %zero : i32
    obs.yield %y : i1
  }
  %q = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %e, %e : i32
    obs.yield %y : i32
  }
  %p, %m = obs.compact %q flags %f init %zero : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r = obs.force %p {kernel = "mapped"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
