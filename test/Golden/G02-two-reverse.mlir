// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-run %s --entry=two_rev --device=interpret iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev --device=emulate iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=1 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=128 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev --device=interpret iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=1 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=128 iota:8xi32 | FileCheck %s --check-prefix=EVEN

// two rev; sync: one load of one array with one selected index, and no branch on
// the data path.
// CHECK: gpu.func @two_rev
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: memref.load
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// 9 elements: halves of 5 and 4.
// RESULT: {{^}}[4, 3, 2, 1, 0, 8, 7, 6, 5]{{$}}
// EVEN: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}
func.func @two_rev(%a: !obs.pull<? x i32 bound [1024]>) -> !obs.pull<? x i32 bound [1024]> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32 bound [1024]>
  %whole = obs.generate (%i) {
    obs.yield %a : !obs.pull<? x i32 bound [1024]>
  } : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 1024]> {
    // The first half has n - n/2 elements.
    %c1 = arith.constant 1 : index
    %half = arith.shrui %n, %c1 : index
    %h = arith.subi %n, %half : index
    %lo = obs.slice %c [0] [%h] [1] : !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %hi = obs.slice %c [%h] [%half] [1] : !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %rlo = obs.reverse %lo : !obs.pull<? x i32 bound [1024]>
    %rhi = obs.reverse %hi : !obs.pull<? x i32 bound [1024]>
    %v = obs.concat %rlo, %rhi : !obs.pull<? x i32 bound [1024]>, !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>

    %p = obs.push %v : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    %s = obs.force %p : !obs.push<block, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %q = obs.push %s : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    obs.yield %q : !obs.push<block, ? x i32 bound [1024]>
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]> -> !obs.push<grid, ? x i32 bound [1024]>
  %r = obs.force %flat {kernel = "two_rev", threads = 128 : i64} : !obs.push<grid, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
  return %r : !obs.pull<? x i32 bound [1024]>
}
