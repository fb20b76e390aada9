// A warp reduces each row, and then computes its elements: the sum of a row is computed once, and not for each element.
// Each element of the argument is read twice.

// RUN: obs-opt --obs-report-cost %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// COST:     barriers: 0 of a block
// COST:     global memory:
// COST-NOT: arg0.dim1 * arg0.dim1
// COST-SAME: bytes read, 4 * arg0.dim0 * arg0.dim1 bytes written

// RUN: obs-run %s --device=interpret iota:2x3xi32 2>/dev/null | FileCheck %s
// RUN: obs-run %s --device=emulate --check=all iota:2x3xi32 2>/dev/null | FileCheck %s
// 0 + 1 + 2 is 3, and 3 + 4 + 5 is 12.
// CHECK: {{^}}[{{\[}}-3, -2, -1],
// CHECK-NEXT: {{^}} [-9, -8, -7]]
// RUN: obs-run %s --device=interpret random:5x1025xi32:7 2>/dev/null > %t.interpret
// RUN: obs-run %s --device=emulate --threads=96 random:5x1025xi32:7 2>/dev/null | diff %t.interpret -

!m = !obs.pull<? x ? x i32>
func.func @main(%a: !m) -> !m {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !m
  %w = obs.dim %a, 1 : !m
  %ids = obs.iota [%h] : !obs.pull<? x index>
  %rows = obs.distribute warp (%i = %ids : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x i32> {
    %row = obs.generate (%j) [%w] {
      %x = obs.get %a[%i, %j] : !m
      obs.yield %x : i32
    } : !obs.pull<? x i32>
    %s = obs.reduce (%x, %y) = %row init %zero {commutative} : !obs.pull<? x i32> -> i32 {
      %t = arith.addi %x, %y : i32
      obs.yield %t : i32
    }
    %r = obs.map (%x = %row : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %d = arith.subi %x, %s : i32
      obs.yield %d : i32
    }
    %p = obs.push %r : !obs.pull<? x i32> -> !obs.push<warp, ? x i32>
    obs.yield %p : !obs.push<warp, ? x i32>
  }
  %f = obs.force %rows {kernel = "nest"} : !obs.push<grid, ? x ? x i32> -> !m
  return %f : !m
}
