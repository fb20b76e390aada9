// scf.index_switch and scf.execute_region of scalars.
// RUN: obs-run %s --device=interpret iota:7xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:7xi32 | FileCheck %s
// x mod 3 selects 10, x or 30; then 3 is added.
// CHECK: [13, 4, 33, 13, 7, 33, 13]
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %three = arith.constant 3 : i32
  %m = obs.map (%x = %a : !obs.pull<? x i32>) {
    %r = arith.remui %x, %three : i32
    %i = arith.index_cast %r : i32 to index
    %v = scf.index_switch %i -> i32
    case 0 {
      %c = arith.constant 10 : i32
      scf.yield %c : i32
    }
    case 1 {
      scf.yield %x : i32
    }
    default {
      %c = arith.constant 30 : i32
      scf.yield %c : i32
    }
    %w = scf.execute_region -> i32 {
      %z = arith.addi %v, %three : i32
      scf.yield %z : i32
    }
    obs.yield %w : i32
  }
  %r = obs.force %m : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
