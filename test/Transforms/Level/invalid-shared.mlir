// A block has no more shared memory than the target gives it.
// RUN: not obs-opt %s --obs-to-gpu=threads=64 2>&1 | FileCheck %s

// CHECK: error: 'obs.kernel' op [shared-limit] needs 262144 bytes of shared memory, but a block has 232448
// CHECK: note: 262144 bytes at offset 0
func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %chunks = obs.split %a by [65536] : !obs.pull<? x f32> -> !obs.pull<? x !obs.pull<65536 x f32>>
  %d = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<65536 x f32>>) -> !obs.push<grid, ? x 65536 x f32> {
    %p = obs.push %c : !obs.pull<65536 x f32> -> !obs.push<block, 65536 x f32>
    %s = obs.force %p in shared : !obs.push<block, 65536 x f32> -> !obs.pull<65536 x f32>
    %r = obs.reverse %s : !obs.pull<65536 x f32>
    %q = obs.push %r : !obs.pull<65536 x f32> -> !obs.push<block, 65536 x f32>
    obs.yield %q : !obs.push<block, 65536 x f32>
  }
  %j = obs.join %d : !obs.push<grid, ? x 65536 x f32> -> !obs.push<grid, ? x f32>
  %f = obs.force %j : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}
