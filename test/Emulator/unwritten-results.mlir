// RUN: not obs-run %s --device=interpret iota:4xi32 2>&1 | FileCheck %s --check-prefix=INTERPRET
// RUN: not obs-run %s --device=emulate --check=uninit iota:4xi32 2>&1 | FileCheck %s

// A result with an element that nobody wrote.

// INTERPRET: error: {{.*}}was never written
// CHECK: unwritten-results.mlir:[[@LINE+9]]:8: error: uninit: copy to host of 16 bytes, but nothing has written byte 12 of them
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %m = arith.subi %n, %c1 : index
  %p = obs.fill [%n] par (%t) in (%m) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
