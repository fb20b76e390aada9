// RUN: not obs-translate --obs-to-ptx %s 2>&1 | FileCheck %s

// An error that a pass finds names a place in the source, and does not print
// what the program has become until then.
// CHECK: lowering-error.mlir:[[@LINE+4]]:8: error: 'obs.force' op [table-known]
// CHECK-NOT: see current operation
func.func @main(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %p = obs.push %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %r = obs.force %p in constant : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
