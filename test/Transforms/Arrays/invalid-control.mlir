// Arrays pass through scf.for, scf.while and scf.if only.
// RUN: not obs-opt %s --obs-to-gpu=threads=64 2>&1 | FileCheck %s

func.func @main(%a: !obs.pull<4 x 8 x i32>, %n: index) -> !obs.pull<32 x i32> {
  %parts = obs.iota : !obs.pull<4 x index>
  %d = obs.distribute block (%c = %parts : !obs.pull<4 x index>) -> !obs.push<grid, 4 x 8 x i32> {
    %row = obs.generate (%i) {
      %x = obs.get %a[%c, %i] : !obs.pull<4 x 8 x i32>
      obs.yield %x : i32
    } : !obs.pull<8 x i32>
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'scf.index_switch' op [control-arrays] cannot pass arrays on; use scf.for, scf.while or scf.if
    %s = scf.index_switch %c -> !obs.pull<8 x i32>
    case 1 {
      %r = obs.reverse %row : !obs.pull<8 x i32>
      scf.yield %r : !obs.pull<8 x i32>
    }
    default {
      scf.yield %row : !obs.pull<8 x i32>
    }
    %q = obs.push %s : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %q : !obs.push<block, 8 x i32>
  }
  %j = obs.join %d : !obs.push<grid, 4 x 8 x i32> -> !obs.push<grid, 32 x i32>
  %f = obs.force %j : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %f : !obs.pull<32 x i32>
}

// RUN: not obs-opt %S/Inputs/host-switch.mlir --obs-to-gpu 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: host-switch.mlir:2:{{[0-9]+}}: error: 'scf.index_switch' op [control-arrays] cannot pass arrays on; use scf.for, scf.while or scf.if
