// Each result of a force has its own program, and what they share is kept once. An element that only one of them reads,
// before the array is updated in place, was read after the update.

// RUN: obs-run %s --device=interpret iota:2x32xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:2x32xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --schedule=random --seed=3 iota:2x32xi32 | FileCheck %s

// Element 0 of row i is 32 * i, and becomes 5. The second result adds the old element.
// CHECK: {{^}}[{{\[}}5, 1, 2, 3,
// CHECK-NEXT: {{^}} [5, 33, 34, 35,
// CHECK: {{^}}[{{\[}}5, 1, 2, 3,
// CHECK-NEXT: {{^}} [37, 65, 66, 67,
!v = !obs.pull<32 x i32>
!p = !obs.push<block, 32 x i32>
func.func @main(%a: !obs.pull<? x 32 x i32>) -> (!obs.pull<? x 32 x i32>, !obs.pull<? x 32 x i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x 32 x i32>
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %x, %y = obs.distribute block (%i = %ids : !obs.pull<? x index>) -> (!obs.push<grid, ? x 32 x i32>, !obs.push<grid, ? x 32 x i32>) {
    %row = obs.generate (%j) {
      %e = obs.get %a[%i, %j] : !obs.pull<? x 32 x i32>
      obs.yield %e : i32
    } : !v
    %q = obs.push %row : !v -> !p
    %s = obs.force %q : !p -> !v
    %old = obs.get %s[%c0] : !v
    %o = obs.fill onto %s : !v par (%t) in (%c1) {
      obs.write %c5 at [%t] : i32
    } : !p
    %f = obs.force %o : !p -> !v
    %m = obs.map (%u = %f : !v) -> !v {
      %w = arith.addi %u, %old : i32
      obs.yield %w : i32
    }
    %r1 = obs.push %f : !v -> !p
    %r2 = obs.push %m : !v -> !p
    obs.yield %r1, %r2 : !p, !p
  }
  %r, %s = obs.force %x, %y : !obs.push<grid, ? x 32 x i32>, !obs.push<grid, ? x 32 x i32> -> (!obs.pull<? x 32 x i32>, !obs.pull<? x 32 x i32>)
  return %r, %s : !obs.pull<? x 32 x i32>, !obs.pull<? x 32 x i32>
}
