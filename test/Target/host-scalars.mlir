// Scalars of the host have the same results in C, by the launch contract, and here.

// RUN: obs-translate --obs-to-host-c %s -o %t.c
// RUN: %cc -std=c99 -Wall -Wextra -Werror -shared -fPIC -I %S/Inputs/cuda %t.c %S/Inputs/cuda/mock.c -lm -o %t.so
// RUN: obs-translate --obs-to-launch-json %s -o %t.json
// RUN: %python %S/Inputs/host-scalars.py %s %obs_src_root/examples/interop/plan.py %t.so %t.json obs-run | FileCheck %s
// REQUIRES: c-compiler, python

// CHECK-NOT: result
// CHECK: 54 of 54 agree

// CALL: wrapping 1
// CALL: wrapping -7
// CALL: wrapping 2147483647
func.func @wrapping(%s: i32) -> (i32, i32, i32, i32, i32, i32) {
  %a = arith.constant 1664525 : i32
  %c = arith.constant 1013904223 : i32
  %k = arith.constant 16 : i32
  %ten = arith.constant 10 : i32
  %m = arith.muli %s, %a : i32
  %x = arith.addi %m, %c : i32
  %0 = arith.shrui %x, %k : i32
  %1 = arith.divui %x, %ten : i32
  %2 = arith.remui %x, %ten : i32
  %3 = arith.maxui %x, %ten : i32
  %4 = arith.minui %x, %ten : i32
  %5 = arith.ceildivui %x, %ten : i32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
}

// Products of 64 bits are used where they are written.
// CALL: wide 1
// CALL: wide -9
func.func @wide(%s: i64) -> (i64, i64, i1) {
  %a = arith.constant 6364136223846793005 : i64
  %c = arith.constant 1442695040888963407 : i64
  %k = arith.constant 33 : i64
  %m = arith.muli %s, %a : i64
  %x = arith.addi %m, %c : i64
  %0 = arith.shrui %x, %k : i64
  %n = arith.muli %s, %a : i64
  %1 = arith.shrsi %n, %k : i64
  %o = arith.muli %s, %a : i64
  %2 = arith.cmpi slt, %o, %s : i64
  return %0, %1, %2 : i64, i64, i1
}

// CALL: quotients -7 2
// CALL: quotients 7 -2
// CALL: quotients -7 -2
// CALL: quotients 6 3
// CALL: quotients -9223372036854775807 3
func.func @quotients(%x: i64, %y: i64) -> (i64, i64, i64, i64, i64, i64, i64, i1) {
  %0 = arith.divsi %x, %y : i64
  %1 = arith.remsi %x, %y : i64
  %2 = arith.floordivsi %x, %y : i64
  %3 = arith.ceildivsi %x, %y : i64
  %4 = arith.divui %x, %y : i64
  %5 = arith.remui %x, %y : i64
  %6 = arith.ceildivui %x, %y : i64
  %7 = arith.cmpi ult, %x, %y : i64
  return %0, %1, %2, %3, %4, %5, %6, %7 : i64, i64, i64, i64, i64, i64, i64, i1
}

// CALL: narrow -100 3
// CALL: narrow 127 7
func.func @narrow(%x: i8, %y: i8) -> (i8, i8, i1, i8, i16, i8, i8, i8, i8) {
  %0 = arith.addi %x, %y : i8
  %1 = arith.divui %x, %y : i8
  %2 = arith.cmpi ugt, %x, %y : i8
  %3 = arith.shrui %x, %y : i8
  %w = arith.extui %x : i8 to i16
  %4 = arith.muli %w, %w : i16
  %5 = math.ctpop %x : i8
  %6 = math.ctlz %y : i8
  %7 = math.cttz %x : i8
  %8 = math.absi %x : i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i8, i8, i1, i8, i16, i8, i8, i8, i8
}

// A truth value is the lowest bit; with a sign it is 0 or -1.
// CALL: truth 2 4
// CALL: truth 3 -5
func.func @truth(%s: i64, %i: index) -> (i64, i1, i64, i32, i1, i1, f32) {
  %a = arith.constant 5 : i64
  %b = arith.constant 7 : i64
  %p = arith.trunci %s : i64 to i1
  %q = arith.index_cast %i : index to i1
  %0 = arith.select %q, %a, %b : i64
  %1 = arith.addi %p, %p : i1
  %2 = arith.extsi %p : i1 to i64
  %3 = arith.extui %q : i1 to i32
  %4 = arith.cmpi slt, %p, %q : i1
  %5 = arith.subi %p, %q : i1
  %6 = arith.sitofp %p : i1 to f32
  return %0, %1, %2, %3, %4, %5, %6 : i64, i1, i64, i32, i1, i1, f32
}

// CALL: floats 1.5 -2.25
// CALL: floats -0.0 0.0
// CALL: floats 0.0 -0.0
// CALL: floats nan 1.0
// CALL: floats inf -inf
// CALL: floats 16777216.0 1.0
func.func @floats(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = arith.addf %x, %y : f32
  %1 = arith.subf %x, %y : f32
  %2 = arith.mulf %x, %y : f32
  %3 = arith.divf %x, %y : f32
  %4 = arith.remf %x, %y : f32
  %5 = arith.maximumf %x, %y : f32
  %6 = arith.minimumf %x, %y : f32
  %7 = arith.maxnumf %x, %y : f32
  %8 = arith.minnumf %x, %y : f32
  %9 = arith.negf %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// CALL: comparisons 1.5 -2.25
// CALL: comparisons 1.0 1.0
// CALL: comparisons nan 1.0
func.func @comparisons(%x: f32, %y: f32) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1) {
  %0 = arith.cmpf oeq, %x, %y : f32
  %1 = arith.cmpf ogt, %x, %y : f32
  %2 = arith.cmpf oge, %x, %y : f32
  %3 = arith.cmpf olt, %x, %y : f32
  %4 = arith.cmpf ole, %x, %y : f32
  %5 = arith.cmpf one, %x, %y : f32
  %6 = arith.cmpf ord, %x, %y : f32
  %7 = arith.cmpf ueq, %x, %y : f32
  %8 = arith.cmpf ugt, %x, %y : f32
  %9 = arith.cmpf uge, %x, %y : f32
  %10 = arith.cmpf ult, %x, %y : f32
  %11 = arith.cmpf ule, %x, %y : f32
  %12 = arith.cmpf une, %x, %y : f32
  %13 = arith.cmpf uno, %x, %y : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13
    : i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1
}

// CALL: functions 0.75
// CALL: functions 2.5
func.func @functions(%x: f32) -> (f32, f32, f32, f32, f32, f64, f32, f32, i32, i32, f32) {
  %0 = math.sqrt %x : f32
  %1 = math.rsqrt %x : f32
  %2 = math.exp %x : f32
  %3 = math.log2 %x : f32
  %4 = math.powf %x, %x : f32
  %wide = arith.extf %x : f32 to f64
  %5 = math.sin %wide : f64
  %6 = math.roundeven %x : f32
  %7 = math.ceil %x : f32
  %8 = arith.fptosi %x : f32 to i32
  %bits = arith.bitcast %x : f32 to i32
  %one = arith.constant 1 : i32
  %next = arith.addi %bits, %one : i32
  %10 = arith.bitcast %next : i32 to f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %bits, %10 : f32, f32, f32, f32, f32, f64, f32, f32, i32, i32, f32
}

// Constants that C has no literal for; names that have a meaning elsewhere.
// CALL: names 3 4
func.func @names(%x: i64 {obs.name = "in"}, %y: i64 {obs.name = "sqrt"}) -> (i64, f32, f64, i64) {
  %0 = arith.addi %x, %y : i64
  %1 = arith.constant 0xFF800000 : f32
  %2 = arith.constant 0x7FF8000000000000 : f64
  %3 = arith.constant -9223372036854775808 : i64
  return %0, %1, %2, %3 : i64, f32, f64, i64
}

// CALL: converge 1.0e6
func.func @converge(%x: f64) -> f64 {
  %eps = arith.constant 1.0e-3 : f64
  %half = arith.constant 0.5 : f64
  %r = scf.while (%y = %x) : (f64) -> f64 {
    %more = arith.cmpf ogt, %y, %eps : f64
    scf.condition(%more) %y : f64
  } do {
  ^bb0(%y: f64):
    %z = arith.mulf %y, %half : f64
    scf.yield %z : f64
  }
  return %r : f64
}
