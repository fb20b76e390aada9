// obs-to-launches refuses these programs.
// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-fuse-arrays --obs-to-launches

func.func @force_under_condition(%a: !obs.pull<8 x i32>, %c: i1) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %p = obs.fill {
    scf.if %c {
      %q = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
      // expected-error@+1 {{[R1-kernel] is a kernel inside control flow of another kernel; move the control flow to the host function}}
      %f = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
      obs.par (%i) in (%c8) {
        %x = obs.get %f[%i] : !obs.pull<8 x i32>
        obs.write %x at [%i] : i32
      }
    }
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// -----

func.func private @elsewhere(!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
func.func @call_of_declaration(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  // expected-error@+1 {{[call-inline] calls a function on arrays that could not be inlined; give it a body, not recursive}}
  %r = func.call @elsewhere(%a) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
