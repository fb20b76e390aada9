// A reduction in scalar code that is repeated for each element of its row. The result is right, and a remark names the way
// out.

// RUN: obs-opt --obs-to-gpu %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: :[[#@LINE+23]]:10: remark: this loop is repeated for each element of the array that uses its result; distribute over the elements around it (obs.distribute), and force the array in each, to run it once
// The remark is printed once: after the array is fused, the program only reads its extents.
// REMARK-NOT: this loop is repeated
// RUN: obs-opt --obs-report-cost %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// A thread computes four neighbours of a row, and reads each element of the row once for them.
// COST: global memory: arg0.dim0 * arg0.dim1 * arg0.dim1 +

// RUN: obs-run %s --device=interpret iota:2x3xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:2x3xi32 2>/dev/null | FileCheck %s
// 0 + 1 + 2 is 3, and 3 + 4 + 5 is 12.
// CHECK: {{^}}[{{\[}}-3, -2, -1],
// CHECK-NEXT: {{^}} [-9, -8, -7]]

!m = !obs.pull<? x ? x i32>
func.func @main(%a: !m) -> !m {
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !m
  %w = obs.dim %a, 1 : !m
  %rows = obs.generate (%i) [%h] {
    %row = obs.generate (%j) [%w] {
      %x = obs.get %a[%i, %j] : !m
      obs.yield %x : i32
    } : !obs.pull<? x i32>
    %s = obs.reduce (%x, %y) = %row init %zero : !obs.pull<? x i32> -> i32 {
      %t = arith.addi %x, %y : i32
      obs.yield %t : i32
    }
    %r = obs.map (%x = %row : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %d = arith.subi %x, %s : i32
      obs.yield %d : i32
    }
    obs.yield %r : !obs.pull<? x i32>
  } : !obs.pull<? x !obs.pull<? x i32>>
  %flat = obs.join %rows : !obs.pull<? x !obs.pull<? x i32>> -> !obs.pull<? x i32>
  %m = obs.reshape %flat [%h, %w] : !obs.pull<? x i32> -> !m
  %p = obs.push %m : !m -> !obs.push<grid, ? x ? x i32>
  %f = obs.force %p {kernel = "nest"} : !obs.push<grid, ? x ? x i32> -> !m
  return %f : !m
}
