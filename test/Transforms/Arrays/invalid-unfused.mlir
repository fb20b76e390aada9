// obs-to-launches refuses these programs without obs-fuse-arrays before it.
// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-to-launches

func.func @virtual_result(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %r = obs.reverse %a : !obs.pull<8 x i32>
  // expected-error@+1 {{[R2-memory] passes on an array that is not in memory; force it first}}
  return %r : !obs.pull<8 x i32>
}
