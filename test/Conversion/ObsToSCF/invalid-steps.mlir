// The steps of loops are positive.
// RUN: obs-opt %s --obs-widen-loops --split-input-file --verify-diagnostics
func.func @zero(%n: index) {
  %zero = arith.constant 0 : index
  // expected-error@+1 {{[loop-step] has the step 0; steps are positive}}
  scf.for %i = %zero to %n step %zero {
  }
  return
}

// -----

func.func @negative(%n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant -1 : i32
  // expected-error@+1 {{[loop-step] has the step -1; steps are positive}}
  scf.for %i = %zero to %n step %step : i32 {
  }
  return
}

// -----

// As an unsigned number, -1 is positive.
func.func @unsigned(%n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant -1 : i32
  scf.for unsigned %i = %zero to %n step %step : i32 {
  }
  return
}
