// RUN: obs-opt --obs-fuse-arrays --obs-to-launches %s | FileCheck %s
// RUN: obs-run %s --device=interpret 1 3 | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --threads=17 --blocks=3 1 3 | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --schedule=random --seed=3 1 3 | FileCheck %s --check-prefix=OUT

// Nothing orders the blocks of a grid, so the initial contents of parts of a
// result are written by a kernel that goes before.

// CHECK-LABEL: obs.kernel @parts_init
// CHECK-COUNT-2: obs.par
// CHECK-NOT: obs.par
// CHECK-LABEL: obs.kernel @parts(
// CHECK-COUNT-3: obs.par
// CHECK-NOT: obs.par
// CHECK-LABEL: func.func @main
// CHECK: obs.launch @parts_init
// CHECK: obs.launch @parts
// CHECK-NOT: obs.launch

// 4 elements of 7, of which the first 3 become 1; 4 of 0..3, of which the same
// are 1; 0..3.
// OUT: 1, 1, 1, 7, 1, 1, 1, 3, 0, 1, 2, 3
func.func @main(%x: i32, %n: index) -> !obs.pull<12 x i32> {
  %seven = arith.constant 7 : i32
  %a = obs.iota : !obs.pull<4 x i32>
  %p = obs.fill init %seven par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %q = obs.fill onto %a : !obs.pull<4 x i32> par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.push %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %pq = obs.concat %p, %q : !obs.push<grid, 4 x i32>, !obs.push<grid, 4 x i32> -> !obs.push<grid, 8 x i32>
  %c = obs.concat %pq, %r : !obs.push<grid, 8 x i32>, !obs.push<grid, 4 x i32> -> !obs.push<grid, 12 x i32>
  %f = obs.force %c {kernel = "parts"} : !obs.push<grid, 12 x i32> -> !obs.pull<12 x i32>
  return %f : !obs.pull<12 x i32>
}
