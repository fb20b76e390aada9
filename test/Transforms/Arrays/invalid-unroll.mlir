// RUN: obs-opt --obs-unroll-loops --split-input-file --verify-diagnostics %s

func.func @bounds(%n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[unroll-bounds] cannot be unrolled, since its bounds are not constants; remove obs.unroll}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i32 {
    %y = arith.muli %a, %a : i32
    scf.yield %y : i32
  } {obs.unroll}
  return %r : i32
}

// -----

func.func @size(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  // expected-error@+1 {{[unroll-size] would become more than 32768 operations; remove obs.unroll}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i32 {
    %y = arith.muli %a, %a : i32
    scf.yield %y : i32
  } {obs.unroll}
  return %r : i32
}

// -----

func.func @other(%c: i1, %x: i32) -> i32 {
  // expected-error@+1 {{[unroll-bounds] cannot be unrolled; mark an scf.for whose bounds are constants}}
  %r = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    %y = arith.muli %x, %x : i32
    scf.yield %y : i32
  } {obs.unroll}
  return %r : i32
}
