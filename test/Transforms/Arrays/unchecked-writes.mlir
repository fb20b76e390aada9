// RUN: obs-opt --obs-to-gpu=tiles=false %s | FileCheck %s

// That no element is written twice is a claim here, and stays with the store
// for those who check kernels.
// CHECK-LABEL: gpu.func @scatter
// CHECK: memref.store %{{.*}} {obs.contract = "disjoint"}
// CHECK-LABEL: gpu.func @permute
// CHECK: memref.store %{{.*}} {obs.contract = "disjoint"}
// A proved write needs no mark.
// CHECK-LABEL: gpu.func @proved
// CHECK: memref.store
// CHECK-NOT: obs.contract
func.func @main(%to: !obs.pull<? x index>, %v: !obs.pull<? x i32>, %n: index) -> (!obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<? x i32>) {
  %zero = arith.constant 0 : i32
  %len = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill init %zero unchecked [%n] {
    obs.par (%i) in (%len) {
      %j = obs.get %to[%i] : !obs.pull<? x index>
      %x = obs.get %v[%i] : !obs.pull<? x i32>
      obs.write %x at [%j] : i32
    }
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "scatter"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %q = obs.push %v : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %m = obs.reindex (%i) = %q [%len] unchecked {
    %j = obs.get %to[%i] : !obs.pull<? x index>
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %s = obs.force %m {kernel = "permute"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %t = obs.force %q {kernel = "proved"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r, %s, %t : !obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<? x i32>
}
