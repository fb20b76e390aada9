// Groups of iterations with assertions and atomic updates.
// RUN: obs-opt --obs-to-levels %s | FileCheck %s
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX

// PTX-LABEL: .entry gather_kernel
// PTX: ld.global.nc.v4.b32
// PTX: st.global.v4.b32
// PTX-LABEL: .entry add_to_rows_kernel
// PTX-NOT: v4
// PTX: red.{{.*}}add.f32
// PTX-NOT: red.

// An assertion does not change the groups: the rows of 256 elements are read and written four elements at a time.
// CHECK-LABEL: obs.kernel @gather_kernel
// CHECK: obs.items = 4
func.func @gather(%a: !obs.pull<1000 x 256 x f32>, %p: !obs.pull<1200 x index>) -> !obs.pull<1200 x 256 x f32> {
  %c1000 = arith.constant 1000 : index
  %g = obs.generate (%i, %j) {
    %k = obs.get %p[%i] : !obs.pull<1200 x index>
    %ok = arith.cmpi ult, %k, %c1000 : index
    obs.assert %ok, "an index is too large"
    %x = obs.get %a[%k, %j] : !obs.pull<1000 x 256 x f32>
    obs.yield %x : f32
  } : !obs.pull<1200 x 256 x f32>
  %r = obs.force %g : !obs.pull<1200 x 256 x f32>
  return %r : !obs.pull<1200 x 256 x f32>
}

// The lanes of a warp add to neighbours: there are no groups.
// CHECK-LABEL: obs.kernel @add_to_rows_kernel
// CHECK-NOT: obs.items
// CHECK: return
func.func @add_to_rows(%a: !obs.pull<1200 x 256 x f32>, %p: !obs.pull<1200 x index>) -> !obs.pull<1000 x 256 x f32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 1200 : index
  %m = arith.constant 256 : index
  %f = obs.fill init %zero reduce(addf) par (%i, %j) in (%n, %m) {
    %k = obs.get %p[%i] : !obs.pull<1200 x index>
    %x = obs.get %a[%i, %j] : !obs.pull<1200 x 256 x f32>
    obs.write %x at [%k, %j] : f32
  } : !obs.push<grid, 1000 x 256 x f32>
  %r = obs.force %f : !obs.push<grid, 1000 x 256 x f32>
  return %r : !obs.pull<1000 x 256 x f32>
}
