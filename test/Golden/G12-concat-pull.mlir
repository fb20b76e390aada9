// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=cat --device=emulate --report iota:16xi32 iota:16xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=cat --device=interpret iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate --threads=1 iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate --threads=17 --blocks=2 iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate --threads=32 iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate --threads=128 --blocks=3 iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:16xi32 zeros:16xi32 | FileCheck %s --check-prefix=LEFT
// RUN: obs-run %s --entry=cat --device=interpret zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate --threads=1 zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate --threads=17 --blocks=2 zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate --threads=32 zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate --threads=128 --blocks=3 zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT
// RUN: obs-run %s --entry=cat --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds zeros:16xi32 iota:16xi32 | FileCheck %s --check-prefix=RIGHT

// Reading a concatenation chooses: one test of thread < 16, one load on either
// side of it, one store.
// CHECK: threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @cat
// CHECK: scf.if
// CHECK: %[[ISLEFT:.*]] = arith.cmpi ult, %thread_id_x, %c16
// CHECK: scf.if %[[ISLEFT]] -> (i32)
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: memref.load %reinterpret_cast_0[
// CHECK: memref.store %{{.*}}, %reinterpret_cast_1[%thread_id_x]
// CHECK: gpu.return

// COST: threads=32 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=128 bytes-stored=128 atomics=0{{$}}

// LEFT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]{{$}}
// RIGHT: {{^}}[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}

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
