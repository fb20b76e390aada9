// RUN: obs-run %s --entry=mixed 7 2 | FileCheck %s --check-prefix=MIXED
// RUN: obs-run %s --device=emulate --threads=17 --entry=mixed 7 2 | FileCheck %s --check-prefix=MIXED
// RUN: not obs-run %s --entry=mixed 7 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=select true iota:2xi32 | FileCheck %s --check-prefix=SELECT
// RUN: obs-run %s --device=emulate --threads=17 --entry=select true iota:2xi32 | FileCheck %s --check-prefix=SELECT
// RUN: not obs-run %s --entry=unknown 0 1 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// 7 / 2 is 3, and its square root.
// MIXED: {{^}}1.7320508{{[0-9]*$}}
// ZERO: scalars.mlir:[[#@LINE+2]]:8: error: 'arith.divsi' {{.*}}zero
func.func @mixed(%a: i32, %b: i32) -> f32 {
  %q = arith.divsi %a, %b : i32
  %f = arith.sitofp %q : i32 to f32
  %r = math.sqrt %f : f32
  return %r : f32
}

// A select of arrays.
// SELECT: {{^}}[1, 0]{{$}}
func.func @select(%c: i1, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %v = obs.reverse %a : !obs.pull<? x i32>
  %r = arith.select %c, %v, %a : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// UNKNOWN: scalars.mlir:[[#@LINE+3]]:3: error: the interpreter does not execute 'scf.parallel'
// A construct that the language does not have.
func.func @unknown(%zero: index, %one: index) {
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    scf.reduce
  }
  return
}
