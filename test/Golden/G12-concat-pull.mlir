// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-run %s --entry=cat --device=interpret iota:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=cat --device=emulate iota:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=cat --device=emulate --threads=1 iota:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=cat --device=emulate --threads=17 --blocks=2 iota:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=cat --device=emulate --threads=128 iota:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RESULT

// Reading a concatenation chooses: one test of thread < 16, one store.
// CHECK: gpu.func @cat
// CHECK-NOT: gpu.barrier
// CHECK: %[[C:.*]] = arith.cmpi ult, %{{.*}}, %c16
// CHECK: scf.if %[[C]] -> (i32)
// CHECK-COUNT-2: memref.load
// CHECK-NOT: scf.if
// CHECK-COUNT-1: memref.store
// CHECK-NOT: memref.store
// CHECK: gpu.return

// RESULT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}
func.func @cat(%a: !obs.pull<16 x i32>, %b: !obs.pull<16 x i32>) -> !obs.pull<32 x i32> {
  %whole = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%i = %whole : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 32 x i32> {
    %x = obs.concat %a, %b : !obs.pull<16 x i32>, !obs.pull<16 x i32> -> !obs.pull<32 x i32>
    %q = obs.push %x : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %q : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 32 x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %flat {kernel = "cat", threads = 32 : i64} : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}
