// Two results of one generate are computed in one loop, which reads each element of the input once.

// RUN: obs-opt --obs-report-cost %s -o /dev/null | FileCheck %s --check-prefix=COST
// COST-COUNT-2: read global f32
// COST-NOT: read global f32
// COST: global memory: 8 * floor(arg0.dim0 / 2) bytes read, 8 * floor(arg0.dim0 / 2) bytes written
// COST: obs.generate {{.*}}, in 1 place

// RUN: obs-run %s --device=interpret iota:11xf32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:11xf32 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=3 --schedule=random --seed=2 iota:11xf32 | FileCheck %s
// Sums and differences of (2 i, 2 i + 1) are 4 i + 1 and -1.
// CHECK: [1.0, 5.0, 9.0, 13.0, 17.0]
// CHECK-NEXT: [-1.0, -1.0, -1.0, -1.0, -1.0]
// RUN: obs-run %s --device=emulate iota:1xf32 | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^}}[]
// EMPTY-NEXT: {{^}}[]
!v = !obs.pull<? x f32>
func.func @main(%a: !v) -> (!v, !v) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !v
  %h = arith.divui %n, %c2 : index
  %pairs = obs.generate (%i) [%h] {
    %j = arith.muli %i, %c2 : index
    %k = arith.addi %j, %c1 : index
    %x = obs.get %a[%j] : !v
    %y = obs.get %a[%k] : !v
    %s = arith.addf %x, %y : f32
    %d = arith.subf %x, %y : f32
    obs.yield %s, %d : f32, f32
  } : !obs.pull<? x f32, f32>
  %s, %d = obs.unzip %pairs : !obs.pull<? x f32, f32>
  %p = obs.push %s : !v -> !obs.push<grid, ? x f32>
  %q = obs.push %d : !v -> !obs.push<grid, ? x f32>
  %f, %g = obs.force %p, %q : !obs.push<grid, ? x f32>, !obs.push<grid, ? x f32> -> (!v, !v)
  return %f, %g : !v, !v
}
