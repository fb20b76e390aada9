// Extents that types give, beside some that they leave open.
// RUN: obs-opt %s --canonicalize | FileCheck %s
// RUN: obs-run %s --device=interpret 7 5 | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate 7 5 | FileCheck %s --check-prefix=OUT

// CHECK-LABEL: func.func @main
// CHECK-NOT: obs.dim %{{.*}}, 0 : !obs.pull<4 x
// CHECK-NOT: obs.dim %{{.*}}, 1 : !obs.pull<? x 4 x

// OUT: [4, 7, 7, 4, 5, 3]
func.func @main(%n: index, %m: index) -> !obs.pull<6 x index> {
  %a = obs.splat %n [%n] : !obs.pull<4 x ? x index>
  %b = obs.generate (%i, %j, %k) [%n, %m] {
    obs.yield %i : index
  } : !obs.pull<? x 4 x ? x index>
  %c = obs.iota : !obs.pull<3 x i32>
  %a0 = obs.dim %a, 0 : !obs.pull<4 x ? x index>
  %a1 = obs.dim %a, 1 : !obs.pull<4 x ? x index>
  %b0 = obs.dim %b, 0 : !obs.pull<? x 4 x ? x index>
  %b1 = obs.dim %b, 1 : !obs.pull<? x 4 x ? x index>
  %b2 = obs.dim %b, 2 : !obs.pull<? x 4 x ? x index>
  %c0 = obs.dim %c, 0 : !obs.pull<3 x i32>
  %p0 = obs.splat %a0 : !obs.pull<1 x index>
  %p1 = obs.splat %a1 : !obs.pull<1 x index>
  %p2 = obs.splat %b0 : !obs.pull<1 x index>
  %p3 = obs.splat %b1 : !obs.pull<1 x index>
  %p4 = obs.splat %b2 : !obs.pull<1 x index>
  %p5 = obs.splat %c0 : !obs.pull<1 x index>
  %all = obs.concat %p0, %p1, %p2, %p3, %p4, %p5 : !obs.pull<1 x index>, !obs.pull<1 x index>, !obs.pull<1 x index>, !obs.pull<1 x index>, !obs.pull<1 x index>, !obs.pull<1 x index> -> !obs.pull<6 x index>
  %p = obs.push %all : !obs.pull<6 x index> -> !obs.push<grid, 6 x index>
  %f = obs.force %p : !obs.push<grid, 6 x index> -> !obs.pull<6 x index>
  return %f : !obs.pull<6 x index>
}
