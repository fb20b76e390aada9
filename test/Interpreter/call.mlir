// RUN: obs-run %s --device=interpret iota:4xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:4xi32 | FileCheck %s
// RUN: not obs-run %s --device=interpret --entry=quotients iota:4xi32 2>&1 | FileCheck %s --check-prefix=ZERO

// The result of a host function is virtual for host code that calls it, like an
// array of the caller: an element that nobody reads is not computed.
// CHECK: [12, 6, 4]
func.func @main(%a: !obs.pull<4 x i32>) -> !obs.pull<3 x i32> {
  %q = func.call @quotients(%a) : (!obs.pull<4 x i32>) -> !obs.pull<4 x i32>
  %r = obs.slice %q [1] [3] [1] : !obs.pull<4 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

// The caller of an entry function gets an array in memory.
// ZERO: error: 'arith.divsi' divides by zero
func.func @quotients(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %c12 = arith.constant 12 : i32
  %m = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %y = arith.divsi %c12, %x : i32
    obs.yield %y : i32
  }
  return %m : !obs.pull<4 x i32>
}
