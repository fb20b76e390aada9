// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=pull --device=emulate --report iota:32xi32 iota:32xi32 2>&1 | FileCheck %s --check-prefix=PULL
// RUN: obs-run %s --entry=push --device=emulate --report iota:32xi32 iota:32xi32 2>&1 | FileCheck %s --check-prefix=PUSH
// RUN: obs-run %s --entry=pull --device=interpret iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate --threads=1 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate --threads=17 --blocks=2 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate --threads=32 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate --threads=128 --blocks=3 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=pull --device=interpret zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate --threads=1 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate --threads=17 --blocks=2 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate --threads=32 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate --threads=128 --blocks=3 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=pull --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=interpret iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate --threads=1 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate --threads=17 --blocks=2 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate --threads=32 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate --threads=128 --blocks=3 iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:32xi32 zeros:32xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=push --device=interpret zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate --threads=1 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate --threads=17 --blocks=2 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate --threads=32 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate --threads=128 --blocks=3 zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=push --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds zeros:32xi32 iota:32xi32 | FileCheck %s --check-prefix=ODD

// Pull: 64 threads, each chooses by its parity. Push: 32 threads write elements
// 2 t and 2 t + 1, without a choice.
// CHECK: threads in (%c64, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @pull
// CHECK: scf.if
// CHECK: %[[BIT:.*]] = arith.{{andi|remui}} %thread_id_x
// CHECK: %[[ISEVEN:.*]] = arith.cmpi eq, %[[BIT]], %c0
// CHECK: scf.if %[[ISEVEN]] -> (i32)
// CHECK: memref.load %reinterpret_cast[
// CHECK: memref.load %reinterpret_cast_0[
// CHECK: memref.store %{{.*}}, %reinterpret_cast_1[%thread_id_x]
// CHECK: gpu.return
// CHECK: gpu.func @push
// CHECK: scf.if
// CHECK: %[[A:.*]] = memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[J:.*]] = arith.muli %thread_id_x, %c2
// CHECK: memref.store %[[A]], %reinterpret_cast_1[%[[J]]]
// CHECK: %[[B:.*]] = memref.load %reinterpret_cast_0[%thread_id_x]
// CHECK: %[[K:.*]] = arith.addi %[[J]], %c1
// CHECK: memref.store %[[B]], %reinterpret_cast_1[%[[K]]]
// CHECK: gpu.return

// PULL: threads=64 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=256 bytes-stored=256 atomics=0{{$}}
// PUSH: threads=32 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=256 bytes-stored=256 atomics=0{{$}}

// EVEN: {{^}}[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31, 0]{{$}}
// ODD: {{^}}[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31]{{$}}

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
