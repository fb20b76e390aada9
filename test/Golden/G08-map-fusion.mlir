// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=fused --device=emulate --report iota:32xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=composed --device=emulate --report iota:32xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=fused --device=interpret iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate --threads=1 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate --threads=17 --blocks=2 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate --threads=32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate --threads=128 --blocks=3 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=fused --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=composed --device=interpret iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=composed --device=emulate iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=composed --device=emulate --threads=17 --blocks=2 iota:32xi32 | FileCheck %s --check-prefix=RESULT

// x * 2 + 1 with one load and one store, and nothing stored between. Two maps
// and one map of the composition have the same code.
// CHECK: threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @fused
// CHECK: scf.if
// CHECK: %[[X:.*]] = memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[D:.*]] = arith.muli %[[X]], %c2_i32
// CHECK: %[[Y:.*]] = arith.addi %[[D]], %c1_i32
// CHECK: memref.store %[[Y]], %reinterpret_cast_0[%thread_id_x]
// CHECK: gpu.return
// CHECK: gpu.func @composed
// CHECK: scf.if
// CHECK: %[[X:.*]] = memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[D:.*]] = arith.muli %[[X]], %c2_i32
// CHECK: %[[Y:.*]] = arith.addi %[[D]], %c1_i32
// CHECK: memref.store %[[Y]], %reinterpret_cast_0[%thread_id_x]
// CHECK: gpu.return

// COST: threads=32 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=128 bytes-stored=128 atomics=0{{$}}

// 2 x + 1 for x = 0, ..., 31
// RESULT: {{^}}[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63]{{$}}

func.func @fused(%a: !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
  %whole = obs.split %a by [32] : !obs.pull<32 x i32> -> !obs.pull<1 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<32 x i32>>) -> !obs.push<grid, 1 x 32 x i32> {
    %d = obs.map (%x = %c : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %k = arith.constant 2 : i32
      %z = arith.muli %x, %k : i32
      obs.yield %z : i32
    }
    %e = obs.map (%x = %d : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %q = obs.push %e : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %q : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 32 x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %flat {kernel = "fused", threads = 32 : i64} : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}

func.func @composed(%a: !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
  %whole = obs.split %a by [32] : !obs.pull<32 x i32> -> !obs.pull<1 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<32 x i32>>) -> !obs.push<grid, 1 x 32 x i32> {
    %e = obs.map (%x = %c : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %k = arith.constant 2 : i32
      %y = arith.muli %x, %k : i32
      %l = arith.constant 1 : i32
      %z = arith.addi %y, %l : i32
      obs.yield %z : i32
    }
    %q = obs.push %e : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %q : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 32 x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %flat {kernel = "composed", threads = 32 : i64} : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}
