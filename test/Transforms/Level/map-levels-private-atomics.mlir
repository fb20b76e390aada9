// A thread updates memory of its own without atomic operations, which a GPU does not have there.

// RUN: obs-opt %s --obs-to-gpu=threads=32 | FileCheck %s
// CHECK-LABEL: gpu.func @products
// CHECK: %[[COPY:.*]] = memref.alloca() : memref<40xi64>
// CHECK-NOT: atomic_rmw{{.*}}%[[COPY]]
// CHECK: %[[OLD:.*]] = memref.load %[[COPY]]
// CHECK: %[[NEW:.*]] = arith.muli %[[OLD]]
// CHECK: memref.store %[[NEW]], %[[COPY]]

// RUN: obs-run %s iota:64xi64 --device=interpret | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s iota:64xi64 --device=emulate | FileCheck %s --check-prefix=RESULT
// 0 * 40, 1 * 41, ..., 23 * 63, 24, ..., 39
// RESULT: {{^\[\[}}0, 41, 84, 129, {{.*}}, 1449, 24, {{.*}}, 39]]
func.func @main(%a: !obs.pull<64 x i64>) -> !obs.pull<1 x 40 x i64> {
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute warp (%k = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 40 x i64> {
    %c40 = arith.constant 40 : i64
    %places = obs.map (%x = %a : !obs.pull<64 x i64>) -> !obs.pull<64 x i64> {
      %y = arith.remui %x, %c40 : i64
      obs.yield %y : i64
    }
    %start = arith.constant 1 : i64
    %q = obs.scatter %a at %places init %start reduce(muli) {strategy = "per_thread"} : !obs.pull<64 x i64>, !obs.pull<64 x i64> -> !obs.push<warp, 40 x i64>
    obs.yield %q : !obs.push<warp, 40 x i64>
  }
  %f = obs.force %p {kernel = "products"} : !obs.push<grid, 1 x 40 x i64> -> !obs.pull<1 x 40 x i64>
  return %f : !obs.pull<1 x 40 x i64>
}
