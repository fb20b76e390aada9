// Remainders and unsigned maxima of negative numbers are negative: the branch runs,
// and needs the barrier before it.
// RUN: obs-run %s --entry=remainder --device=interpret iota:3xindex | FileCheck %s
// RUN: obs-run %s --entry=remainder --device=emulate --check=all iota:3xindex | FileCheck %s
// RUN: obs-run %s --entry=maximum --device=interpret iota:3xindex | FileCheck %s
// RUN: obs-run %s --entry=maximum --device=emulate --check=all iota:3xindex | FileCheck %s
// RUN: obs-opt --obs-to-gpu %s | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES

// RACES-COUNT-2: is proved free of races

// CHECK: {{\[}}[59, 58, 57, 56
func.func @remainder(%k: !obs.pull<3 x index>) -> !obs.pull<3 x 60 x i32> {
  %zero = arith.constant 0 : index
  %c49 = arith.constant 49 : index
  %c59 = arith.constant 59 : index
  %c60 = arith.constant 60 : index
  %seven = arith.constant 7 : i32
  %a = obs.distribute warp (%x = %k : !obs.pull<3 x index>) -> (!obs.push<grid, 3 x 60 x i32>) {
    %y0 = arith.subi %x, %c60 : index
    %m = arith.remsi %y0, %c49 : index
    %b = arith.cmpi slt, %m, %zero : index
    %g = obs.generate (%i) {
      %v = arith.index_cast %i : index to i32
      obs.yield %v : i32
    } : !obs.pull<60 x i32>
    %p = obs.push %g : !obs.pull<60 x i32> -> !obs.push<warp, 60 x i32>
    %f = obs.force %p in shared : !obs.push<warp, 60 x i32> -> !obs.pull<60 x i32>
    %h = obs.generate (%i) {
      %r = scf.if %b -> i32 {
        %j = arith.subi %c59, %i : index
        %y = obs.get %f[%j] : !obs.pull<60 x i32>
        scf.yield %y : i32
      } else {
        scf.yield %seven : i32
      }
      obs.yield %r : i32
    } : !obs.pull<60 x i32>
    %q = obs.push %h : !obs.pull<60 x i32> -> !obs.push<warp, 60 x i32>
    obs.yield %q : !obs.push<warp, 60 x i32>
  }
  %o0 = obs.force %a : !obs.push<grid, 3 x 60 x i32> -> !obs.pull<3 x 60 x i32>
  return %o0 : !obs.pull<3 x 60 x i32>
}

func.func @maximum(%k: !obs.pull<3 x index>) -> !obs.pull<3 x 60 x i32> {
  %zero = arith.constant 0 : index
  %c49 = arith.constant 49 : index
  %c59 = arith.constant 59 : index
  %c60 = arith.constant 60 : index
  %seven = arith.constant 7 : i32
  %a = obs.distribute warp (%x = %k : !obs.pull<3 x index>) -> (!obs.push<grid, 3 x 60 x i32>) {
    %y0 = arith.subi %x, %c60 : index
    %m = arith.maxui %y0, %c49 : index
    %b = arith.cmpi slt, %m, %zero : index
    %g = obs.generate (%i) {
      %v = arith.index_cast %i : index to i32
      obs.yield %v : i32
    } : !obs.pull<60 x i32>
    %p = obs.push %g : !obs.pull<60 x i32> -> !obs.push<warp, 60 x i32>
    %f = obs.force %p in shared : !obs.push<warp, 60 x i32> -> !obs.pull<60 x i32>
    %h = obs.generate (%i) {
      %r = scf.if %b -> i32 {
        %j = arith.subi %c59, %i : index
        %y = obs.get %f[%j] : !obs.pull<60 x i32>
        scf.yield %y : i32
      } else {
        scf.yield %seven : i32
      }
      obs.yield %r : i32
    } : !obs.pull<60 x i32>
    %q = obs.push %h : !obs.pull<60 x i32> -> !obs.push<warp, 60 x i32>
    obs.yield %q : !obs.push<warp, 60 x i32>
  }
  %o0 = obs.force %a : !obs.push<grid, 3 x 60 x i32> -> !obs.pull<3 x 60 x i32>
  return %o0 : !obs.pull<3 x 60 x i32>
}
