// A program that would stop a processor, or never ends, has an error with its place; see Spec R9.

// RUN: not obs-run %s --entry=divide iota:4xi32 iota:4xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not obs-run %s --entry=divide iota:4xi32 iota:4xi32 --device emulate 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: [[#@LINE+3]]:10: error: arithmetic: 'arith.divsi' divides by zero (thread 0 of block 0)
func.func @divide(%a: !obs.pull<4 x i32>, %b: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %r = obs.map (%x = %a : !obs.pull<4 x i32>, %y = %b : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %q = arith.divsi %x, %y : i32
    obs.yield %q : i32
  }
  return %r : !obs.pull<4 x i32>
}

// -128 divided by -1 has no result of 8 bits. All others have.
// RUN: not obs-run %s --entry=least -1 --device=emulate 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not obs-run %s --entry=least -1 --device=interpret 2>&1 | FileCheck %s --check-prefix=LEAST-INTERPRET
// RUN: obs-run %s --entry=least 3 --device=emulate | FileCheck %s --check-prefix=FINE
// LEAST: error: arithmetic: 'arith.remsi' overflows: the least number divided by -1 (thread 0 of block 0)
// LEAST-INTERPRET: error: 'arith.remsi' overflows: -128 divided by -1
// FINE: [-2, -1, 0]
func.func @least(%y: i8) -> !obs.pull<3 x i8> {
  %least = arith.constant -128 : i8
  %i = obs.iota : !obs.pull<3 x i8>
  %r = obs.map (%n = %i : !obs.pull<3 x i8>) -> !obs.pull<3 x i8> {
    %x = arith.addi %least, %n : i8
    %q = arith.remsi %x, %y : i8
    obs.yield %q : i8
  }
  return %r : !obs.pull<3 x i8>
}

// A loop whose step is not positive is an error in a kernel, too.
// RUN: not obs-run %s --entry=loop 0 --device=emulate 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not obs-run %s --entry=loop -1 --device=emulate 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: obs-run %s --entry=loop 3 --device=emulate 2>&1 | FileCheck %s --check-prefix=TWICE
// STEP: error: arithmetic: the step of a loop must be positive (thread 0 of block 0)
// TWICE: [2]
func.func @loop(%s: index) -> !obs.pull<1 x i32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %g = obs.generate (%i) {
    %r = scf.for %k = %c0 to %c4 step %s iter_args(%x = %zero) -> i32 {
      %y = arith.addi %x, %one : i32
      scf.yield %y : i32
    }
    obs.yield %r : i32
  } : !obs.pull<1 x i32>
  return %g : !obs.pull<1 x i32>
}

// The operator of an atomic update is checked as well.
// RUN: not obs-run %s --entry=update iota:4xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=UPDATE
// UPDATE: [[#@LINE+4]]:8: error: arithmetic: 'arith.divsi' divides by zero
func.func private @op(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  %z = arith.subi %c, %c : i32
  %d = arith.divsi %z, %z : i32
  %e = arith.addi %c, %d : i32
  return %e : i32
}
func.func @update(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %zero reduce(@op) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    obs.write %x at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %f : !obs.pull<1 x i32>
}
