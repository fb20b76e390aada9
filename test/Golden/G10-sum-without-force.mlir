// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=ADDS --implicit-check-not='{{arith.addi .* : i32}}'
// RUN: obs-run %s --entry=sum --device=emulate --report iota:8xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=sum --device=interpret iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate --threads=1 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate --threads=17 --blocks=2 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate --threads=32 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate --threads=128 --blocks=3 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=sum --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: %python -c "import array; array.array('i', [16**i for i in range(8)]).tofile(open('%t.in', 'wb'))"
// RUN: obs-run %s --entry=sum --device=interpret %t.in:i32 | FileCheck %s --check-prefix=DIGITS
// RUN: obs-run %s --entry=sum --device=emulate %t.in:i32 | FileCheck %s --check-prefix=DIGITS
// RUN: obs-run %s --entry=sum --device=emulate --threads=17 %t.in:i32 | FileCheck %s --check-prefix=DIGITS

// Nothing is forced: one thread, eight loads, seven additions, one store.
// CHECK: threads in (%c1, %c1, %c1) dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @sum
// CHECK: scf.if
// CHECK-COUNT-8: memref.load %reinterpret_cast[%c{{[0-7]}}]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%c0]
// CHECK: gpu.return
// ADDS: gpu.func @sum
// ADDS-COUNT-7: arith.addi {{.*}} : i32

// COST: threads=1 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=32 bytes-stored=4 atomics=0{{$}}

// 0 + 1 + ... + 7
// RESULT: {{^}}[28]{{$}}
// 0x11111111: each power of 16 is counted once.
// DIGITS: {{^}}[286331153]{{$}}

func.func @sum(%a: !obs.pull<8 x i32>) -> !obs.pull<1 x i32> {
  %whole = obs.split %a by [8] : !obs.pull<8 x i32> -> !obs.pull<1 x !obs.pull<8 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<8 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %l1 = obs.slice %c [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
    %r1 = obs.slice %c [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
    %m1 = obs.map (%x = %l1 : !obs.pull<4 x i32>, %y = %r1 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %l2 = obs.slice %m1 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %r2 = obs.slice %m1 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %m2 = obs.map (%x = %l2 : !obs.pull<2 x i32>, %y = %r2 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %l3 = obs.slice %m2 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %r3 = obs.slice %m2 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %m3 = obs.map (%x = %l3 : !obs.pull<1 x i32>, %y = %r3 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %q = obs.push %m3 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "sum", threads = 1 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}
