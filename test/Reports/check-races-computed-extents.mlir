// RUN: obs-opt --obs-to-gpu --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s

// No array has an extent of more than 2^48 (R4), so twice an extent is no negative number: it divides the number of
// an element into a row and a column.
// CHECK: remark: kernel 'upsample' is proved free of races

func.func @main(%m: !obs.pull<? x ? x f32>) -> !obs.pull<? x ? x f32> {
  %c2 = arith.constant 2 : index
  %h = obs.dim %m, 0 : !obs.pull<? x ? x f32>
  %w = obs.dim %m, 1 : !obs.pull<? x ? x f32>
  %height = arith.muli %h, %c2 : index
  %width = arith.muli %w, %c2 : index
  %r = obs.generate (%i, %j) [%height, %width] {
    %y = arith.divui %i, %c2 : index
    %x = arith.divui %j, %c2 : index
    %e = obs.get %m[%y, %x] : !obs.pull<? x ? x f32>
    obs.yield %e : f32
  } : !obs.pull<? x ? x f32>
  %f = obs.force %r {kernel = "upsample"} : !obs.pull<? x ? x f32>
  return %f : !obs.pull<? x ? x f32>
}
