// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=PULL
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=pull --device=interpret iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=pull --device=emulate iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=pull --device=emulate --threads=1 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=pull --device=emulate --threads=17 --blocks=2 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=pull --device=emulate --threads=128 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=push --device=interpret iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=push --device=emulate iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=push --device=emulate --threads=1 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=push --device=emulate --threads=17 --blocks=2 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=push --device=emulate --threads=128 iota:32xi32 iota:32xi32 | FileCheck %s --check-prefix=RESULT

// Pull: 64 threads, each chooses by its parity.
// PULL: gpu.func @pull
// PULL: arith.{{andi|remui}}
// PULL: scf.if %{{.*}} -> (i32)
// PULL-COUNT-1: memref.store
// PULL: gpu.return
//
// Push: 32 threads write elements 2 t and 2 t + 1, without a choice.
// PUSH: gpu.func @push
// PUSH-NOT: scf.if {{.*}} ->
// PUSH-NOT: arith.select
// PUSH-COUNT-2: memref.store
// PUSH-NOT: memref.store
// PUSH: gpu.return

// RESULT: {{^}}[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26, 27, 27, 28, 28, 29, 29, 30, 30, 31, 31]{{$}}
func.func @pull(%a: !obs.pull<32 x i32>, %b: !obs.pull<32 x i32>) -> !obs.pull<64 x i32> {
  %whole = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%i = %whole : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %x = obs.interleave %a, %b : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
    %q = obs.push %x : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %flat {kernel = "pull", threads = 64 : i64} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}

func.func @push(%a: !obs.pull<32 x i32>, %b: !obs.pull<32 x i32>) -> !obs.pull<64 x i32> {
  %whole = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%i = %whole : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %p = obs.push %a : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %s = obs.push %b : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %q = obs.interleave %p, %s : !obs.push<block, 32 x i32>, !obs.push<block, 32 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %flat {kernel = "push", threads = 32 : i64} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}
