// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=unfused --device=emulate --report iota:32xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=unfused --device=interpret iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate --threads=1 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate --threads=17 --blocks=2 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate --threads=32 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate --threads=128 --blocks=3 iota:32xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=unfused --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:32xi32 | FileCheck %s --check-prefix=RESULT

// The same with a force between. Each thread reads what it wrote, so neither the
// table's barrier nor its 128 bytes are needed: the array is a register.
// CHECK: threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @unfused
// CHECK: scf.if
// CHECK: memref.load %{{[^#]*$}}
// CHECK: arith.muli
// CHECK: memref.store %{{.*}}, %alloca[]
// CHECK: memref.load %alloca[]
// CHECK: arith.addi
// CHECK: memref.store %{{[^#]*$}}
// CHECK: gpu.return

// COST: threads=32 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=128 bytes-stored=128 atomics=0{{$}}

// 2 x + 1 for x = 0, ..., 31
// RESULT: {{^}}[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63]{{$}}

func.func @unfused(%a: !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
  %whole = obs.split %a by [32] : !obs.pull<32 x i32> -> !obs.pull<1 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<32 x i32>>) -> !obs.push<grid, 1 x 32 x i32> {
    %d = obs.map (%x = %c : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %k = arith.constant 2 : i32
      %z = arith.muli %x, %k : i32
      obs.yield %z : i32
    }
    %p_s = obs.push %d : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %s = obs.force %p_s : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
    %e = obs.map (%x = %s : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %q = obs.push %e : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %q : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 32 x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %flat {kernel = "unfused", threads = 32 : i64} : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}
