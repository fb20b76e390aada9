// RUN: obs-opt %s --obs-to-levels --verify-diagnostics

// The number of elements depends on the number of the sub-program.
func.func @own_length(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c3 = arith.constant 3 : index
  %numbers = obs.iota : !obs.pull<3 x index>
  // expected-error @below {{[distribute-extent] yields an array whose extent differs between sub-programs}}
  %p = obs.distribute block in grid (%i = %numbers : !obs.pull<3 x index>) {
    %n = arith.subi %c3, %i : index
    %part = obs.take %a [%n] : !obs.pull<? x i32>
    %q = obs.push block %part : !obs.pull<? x i32>
    obs.yield %q : !obs.push<block, ? x i32>
  }
  %all = obs.join %p : !obs.push<grid, 3 x ? x i32>
  %r = obs.force %all : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
