// A force of all of an array, under a static extent, is no copy without a kernel.

// RUN: obs-translate --obs-to-ptx %s -o /dev/null
// RUN: obs-run %s iota:31xi32 --device=interpret | FileCheck %s
// RUN: obs-run %s iota:31xi32 --device=emulate | FileCheck %s
// CHECK: [0, 1, 3, 6, 10, 15,
// CHECK: [0, 1, 3, 6, 10, 15,
// RUN: not obs-run %s iota:30xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: assertion-failed: [R4-extents] obs.reshape: the numbers of elements differ
func.func @main(%a: !obs.pull<? x i32 bound [34]>) -> (!obs.pull<? x i32 bound [34]>, !obs.pull<31 x i32>) {
  %zero = arith.constant 0 : i32
  %p = obs.scan inclusive (%x, %y) = %a init %zero {strategy = "one_pass"} : !obs.pull<? x i32 bound [34]> -> !obs.push<grid, ? x i32 bound [34]> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.reshape %p : !obs.push<grid, ? x i32 bound [34]> -> !obs.push<grid, 31 x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32 bound [34]> -> !obs.pull<? x i32 bound [34]>
  %g = obs.force %q : !obs.push<grid, 31 x i32> -> !obs.pull<31 x i32>
  return %f, %g : !obs.pull<? x i32 bound [34]>, !obs.pull<31 x i32>
}
