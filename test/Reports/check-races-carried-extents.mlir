// RUN: obs-opt --obs-to-gpu %s | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s

// A loop carries the extents of an array and halves them, so they stay at most
// 32. Thus no index leaves its row, and two threads store two elements.

// CHECK: remark: kernel 'halve' is proved free of races, with blocks of 256 threads
// CHECK-NOT: error
!part = !obs.pull<? x ? x f32 bound [32, 32]>
func.func @main(%a: !obs.pull<? x 32 x 32 x f32>) -> !obs.pull<? x 1 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %n = obs.dim %a, 0 : !obs.pull<? x 32 x 32 x f32>
  %b = obs.iota [%n] : !obs.pull<? x index>
  %s = obs.distribute block in grid (%i = %b : !obs.pull<? x index>) -> !obs.push<grid, ? x 1 x f32> {
    %t = obs.generate (%y, %x) [%c32, %c32] {
      %v = obs.get %a[%i, %y, %x] : !obs.pull<? x 32 x 32 x f32>
      obs.yield %v : f32
    } : !part
    %last = scf.for %l = %c0 to %c5 step %c1 iter_args(%u = %t) -> !part {
      %h = obs.dim %u, 0 : !part
      %m = arith.divui %h, %c2 : index
      %g = obs.generate (%y, %x) [%m, %m] {
        %y2 = arith.muli %y, %c2 : index
        %x2 = arith.muli %x, %c2 : index
        %v = obs.get %u[%y2, %x2] : !part
        obs.yield %v : f32
      } : !part
      %p = obs.push block %g : !part
      %f = obs.force %p : !obs.push<block, ? x ? x f32 bound [32, 32]>
      scf.yield %f : !part
    }
    %v = obs.get %last[%c0, %c0] : !part
    %o = obs.splat %v : !obs.pull<1 x f32>
    %q = obs.push block %o : !obs.pull<1 x f32>
    obs.yield %q : !obs.push<block, 1 x f32>
  }
  %r = obs.force %s {kernel = "halve", threads = 256 : i64} : !obs.push<grid, ? x 1 x f32>
  return %r : !obs.pull<? x 1 x f32>
}
