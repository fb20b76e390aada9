// obs-fuse-arrays refuses these programs.
// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-fuse-arrays

// A loop in scalar code cannot store the virtual array that it would carry.
func.func @carried_in_scalar_code(%a: !obs.pull<8 x i32>, %n: index) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %r = obs.reverse %a : !obs.pull<8 x i32>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%b = %r) -> !obs.pull<8 x i32> {
      %s = obs.reverse %b : !obs.pull<8 x i32>
      // expected-error@+1 {{[R1-carried] carries an array that is not in memory through control flow in code that cannot store it}}
      scf.yield %s : !obs.pull<8 x i32>
    }
    %y = obs.get %l[%c0] : !obs.pull<8 x i32>
    obs.yield %y : i32
  }
  %p = obs.push %m : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %f = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %f : !obs.pull<8 x i32>
}

// -----

func.func @push_through_if(%a: !obs.pull<8 x i32>, %c: i1) -> !obs.pull<8 x i32> {
  %r = obs.reverse %a : !obs.pull<8 x i32>
  %p = scf.if %c -> !obs.push<grid, 8 x i32> {
    %q = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    scf.yield %q : !obs.push<grid, 8 x i32>
  } else {
    %q = obs.push %r : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    scf.yield %q : !obs.push<grid, 8 x i32>
  }
  // expected-error@+1 {{[R1-push] needs a push array whose program is known; push arrays do not pass through control flow}}
  %f = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %f : !obs.pull<8 x i32>
}
