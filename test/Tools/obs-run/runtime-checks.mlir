// What the host knows it checks.

// RUN: obs-run %s --device=emulate iota:3xi32 iota:3xi32 | FileCheck %s
// RUN: not obs-run %s --device=emulate iota:3xi32 iota:4xi32 2>&1 | FileCheck %s --check-prefix=DIFFER

// CHECK: [0, 2, 4]
// DIFFER: error: {{.*}}[R4-extents] obs.map: the arrays have different extents
func.func @main(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %s = obs.map (%x = %a : !obs.pull<? x i32>, %y = %b : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %s : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
