// Kernels among which the host chooses, and elements that a thread reads side
// by side, are one place that computes an array.

// RUN: obs-opt --obs-to-gpu %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

// No remark: the fill becomes several kernels, of which one runs.
func.func @once(%a: !obs.pull<? x index>, %n: index) -> !obs.pull<? x i32> {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %k = obs.dim %a, 0 : !obs.pull<? x index>
  %m = obs.map (%x = %a : !obs.pull<? x index>) {
    %y = arith.remui %x, %n : index
    obs.yield %y : index
  }
  %h = obs.fill init %zero reduce(addi) [%n] par (%i) in (%k) {
    %j = obs.get %m[%i] : !obs.pull<? x index>
    obs.write %one at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %h : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// The fill and the map are two places.
// CHECK: computed-in-variants.mlir:[[@LINE+5]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
func.func @twice(%a: !obs.pull<? x index>, %n: index) -> (!obs.pull<? x i32>, !obs.pull<? x index>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %k = obs.dim %a, 0 : !obs.pull<? x index>
  %m = obs.map (%x = %a : !obs.pull<? x index>) {
    %y = arith.remui %x, %n : index
    obs.yield %y : index
  }
  %h = obs.fill init %zero reduce(addi) [%n] par (%i) in (%k) {
    %j = obs.get %m[%i] : !obs.pull<? x index>
    obs.write %one at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %h : !obs.push<grid, ? x i32>
  %s = obs.map { arith.addi } %m, %m : !obs.pull<? x index>
  %t = obs.force %s : !obs.pull<? x index>
  return %r, %t : !obs.pull<? x i32>, !obs.pull<? x index>
}
