// Groups of iterations with assertions and atomic updates.
// RUN: obs-opt --obs-to-levels %s | FileCheck %s
// RUN: obs-opt --obs-to-levels=adds-vectors=false %s | FileCheck %s --check-prefix=SCALARS
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-ptx --chip=sm_80 %s | FileCheck %s --check-prefix=SM80
// RUN: obs-run %s --entry=count_in_rows iota:2048xf32 --device=interpret | FileCheck %s --check-prefix=COUNTS
// RUN: obs-run %s --entry=count_in_rows iota:2048xf32 --device=emulate --check=all | FileCheck %s --check-prefix=COUNTS

// PTX-LABEL: .entry gather_kernel
// PTX: ld.global.nc.v4.b32
// PTX: st.global.v4.b32
// PTX-LABEL: .entry add_to_rows_kernel
// PTX: ld.global.{{.*}}v4
// PTX: red.relaxed.gpu.global.add.v4.f32
// PTX-NOT: red.
// PTX-LABEL: .entry add_to_short_rows_kernel
// PTX-NOT: v4
// PTX: red.{{.*}}add.f32
// PTX-NOT: red.
// PTX-LABEL: .entry add_doubles_kernel
// PTX-NOT: v2
// PTX: red.{{.*}}add.f64
// PTX-NOT: red.
// PTX-LABEL: .entry

// SM80-LABEL: .entry add_to_rows_kernel
// SM80-NOT: v4
// SM80: red.{{.*}}add.f32
// SM80-NOT: red.
// SM80: .entry

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

// One instruction adds four elements. Without it, there are no groups: the lanes of a warp add to neighbours.
// CHECK-LABEL: obs.kernel @add_to_rows_kernel
// CHECK: obs.items = 4
// SCALARS-LABEL: obs.kernel @add_to_rows_kernel
// SCALARS-NOT: obs.items
// SCALARS: return
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

// Four neighbours can be in two rows.
// CHECK-LABEL: obs.kernel @add_to_short_rows_kernel
// CHECK-NOT: obs.items
// CHECK: return
func.func @add_to_short_rows(%a: !obs.pull<1200 x 6 x f32>, %p: !obs.pull<1200 x index>) -> !obs.pull<1000 x 6 x f32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 1200 : index
  %m = arith.constant 6 : index
  %f = obs.fill init %zero reduce(addf) par (%i, %j) in (%n, %m) {
    %k = obs.get %p[%i] : !obs.pull<1200 x index>
    %x = obs.get %a[%i, %j] : !obs.pull<1200 x 6 x f32>
    obs.write %x at [%k, %j] : f32
  } : !obs.push<grid, 1000 x 6 x f32>
  %r = obs.force %f : !obs.push<grid, 1000 x 6 x f32>
  return %r : !obs.pull<1000 x 6 x f32>
}

// There is no such instruction for f64.
// CHECK-LABEL: obs.kernel @add_doubles_kernel
// CHECK-NOT: obs.items
// CHECK: return
func.func @add_doubles(%a: !obs.pull<1200 x 256 x f64>, %p: !obs.pull<1200 x index>) -> !obs.pull<1000 x 256 x f64> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 1200 : index
  %m = arith.constant 256 : index
  %f = obs.fill init %zero reduce(addf) par (%i, %j) in (%n, %m) {
    %k = obs.get %p[%i] : !obs.pull<1200 x index>
    %x = obs.get %a[%i, %j] : !obs.pull<1200 x 256 x f64>
    obs.write %x at [%k, %j] : f64
  } : !obs.push<grid, 1000 x 256 x f64>
  %r = obs.force %f : !obs.push<grid, 1000 x 256 x f64>
  return %r : !obs.pull<1000 x 256 x f64>
}

// Row i of 16 columns is added to row i % 2, if i < 100. So row r is the sum of 16 * i + j for i = r, r + 2, ..., r + 98:
// 16 * (50 * r + 2450) + 50 * j.
// CHECK-LABEL: obs.kernel @count_in_rows_kernel
// CHECK: obs.items = 4
// COUNTS: {{\[\[}}39200.0, 39250.0, 39300.0, 39350.0, 39400.0, 39450.0, 39500.0, 39550.0, 39600.0, 39650.0, 39700.0, 39750.0, 39800.0, 39850.0, 39900.0, 39950.0],
// COUNTS: [40000.0, 40050.0,
func.func @count_in_rows(%v: !obs.pull<2048 x f32>) -> !obs.pull<2 x 16 x f32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %most = arith.constant 100 : index
  %n = arith.constant 128 : index
  %m = arith.constant 16 : index
  %a = obs.reshape %v : !obs.pull<2048 x f32> -> !obs.pull<128 x 16 x f32>
  %q = obs.generate (%i) {
    %half = arith.remui %i, %two : index
    obs.yield %half : index
  } : !obs.pull<128 x index>
  %p = obs.force %q : !obs.pull<128 x index>
  %f = obs.fill init %zero reduce(addf) par (%i, %j) in (%n, %m) {
    %k = obs.get %p[%i] : !obs.pull<128 x index>
    %is_below = arith.cmpi ult, %i, %most : index
    scf.if %is_below {
      %x = obs.get %a[%i, %j] : !obs.pull<128 x 16 x f32>
      obs.write %x at [%k, %j] : f32
    }
  } {strategy = "atomic"} : !obs.push<grid, 2 x 16 x f32>
  %r = obs.force %f : !obs.push<grid, 2 x 16 x f32>
  return %r : !obs.pull<2 x 16 x f32>
}
