// RUN: obs-opt %s --obs-fuse-arrays --verify-diagnostics

// Only the loop knows the extent of the part.
func.func @loop(%a: !obs.pull<1 x index>, %x: !obs.pull<? x i32 bound [8]>) -> !obs.pull<? x i32> {
  // expected-error @below {{[distribute-extent] yields an array whose extent differs between sub-programs, or is known only after they have run}}
  %d = obs.distribute block (%n = %a : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> !obs.pull<? x i32 bound [8]> {
      %k = obs.take %y [%i] : !obs.pull<? x i32 bound [8]> -> !obs.pull<? x i32 bound [8]>
      %p = obs.push %k : !obs.pull<? x i32 bound [8]> -> !obs.push<block, ? x i32 bound [8]>
      %f = obs.force %p : !obs.push<block, ? x i32 bound [8]> -> !obs.pull<? x i32 bound [8]>
      scf.yield %f : !obs.pull<? x i32 bound [8]>
    }
    %q = obs.push %r : !obs.pull<? x i32 bound [8]> -> !obs.push<block, ? x i32>
    obs.yield %q : !obs.push<block, ? x i32>
  }
  %j = obs.join %d : !obs.push<grid, 1 x ? x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %j : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
