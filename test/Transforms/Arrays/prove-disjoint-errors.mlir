// The verifier does not see this collision: only the call tells the distance.
// RUN: not obs-opt --obs-to-gpu --verify-each=false %s 2>&1 | FileCheck %s
// RUN: not obs-translate --obs-to-ptx %s 2>&1 | FileCheck %s
// RUN: not obs-run %s --device=emulate --entry=main iota:8xi32 2>&1 | FileCheck %s

// CHECK: prove-disjoint-errors.mlir:[[#@LINE+7]]:8: error: {{.*}} [R5-disjoint] iterations (0) and (1) both write element (0)
// CHECK-SAME: say `any` or `reduce(...)`, or write to another index
// CHECK: prove-disjoint-errors.mlir:[[#@LINE+15]]:8: note: called from
// CHECK: prove-disjoint-errors.mlir:[[#@LINE+7]]:5: note: iteration (0) writes it here
// CHECK-NOT: error:
func.func private @spread(%a: !obs.pull<8 x i32>, %distance: index) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %p = obs.fill par (%i) in (%c8) {
    %x = obs.get %a[%i] : !obs.pull<8 x i32>
    %j = arith.muli %i, %distance : index
    obs.write %x at [%j] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32>
  return %r : !obs.pull<8 x i32>
}
func.func @main(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %r = func.call @spread(%a, %c0) : (!obs.pull<8 x i32>, index) -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
