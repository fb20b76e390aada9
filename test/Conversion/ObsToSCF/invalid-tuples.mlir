// RUN: not obs-opt %s --obs-fuse-arrays --obs-to-launches --obs-set-launch --convert-obs-to-scf 2>&1 | FileCheck %s

// obs-expand-collectives packs such tuples into words; it has not run here.
// CHECK: error: 'obs.write' op is combined with others by a function of several values; run obs-expand-collectives first
func.func private @sums(%a: i32, %b: i32, %c: i32, %d: i32) -> (i32, i32) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i32
  return %x, %y : i32, i32
}

func.func @unexpanded(%x: i32, %n: index) -> !obs.pull<8 x i32, i32> {
  %zero = arith.constant 0 : index
  %p = obs.fill init %x, %x reduce(@sums) par (%t) in (%n) {
    obs.write %x, %x at [%zero] : i32, i32
  } : !obs.push<grid, 8 x i32, i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32, i32> -> !obs.pull<8 x i32, i32>
  return %r : !obs.pull<8 x i32, i32>
}
