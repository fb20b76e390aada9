// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
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
// RUN: obs-run %s --entry=sum --device=emulate --threads=1 %t.in:i32 | FileCheck %s --check-prefix=DIGITS
// RUN: obs-run %s --entry=sum --device=emulate --threads=17 %t.in:i32 | FileCheck %s --check-prefix=DIGITS

// Three stages of 4, 2 and 1 elements: thread t adds elements
// t and t + n / 2. At most two arrays are alive at once: 24 bytes. The
// first stage has all four threads, so it needs no guard; a barrier follows the
// first two, and thread 0 copies out what it has kept in a register.
// CHECK: threads in (%c4, %c1, %c1) dynamic_shared_memory_size %c24_i32
// CHECK: gpu.func @sum
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[R:.*]] = arith.addi %thread_id_x, %c4
// CHECK: memref.load %reinterpret_cast[%[[R]]]
// CHECK: memref.store %{{.*}} #gpu.address_space<workgroup>>
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[TWO:.*]] = arith.cmpi ult, %thread_id_x, %c2
// CHECK: scf.if %[[TWO]]
// CHECK: memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.store %{{.*}} #gpu.address_space<workgroup>>
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[ONE:.*]] = arith.cmpi ult, %thread_id_x, %c1
// CHECK: scf.if %[[ONE]]
// CHECK: memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.store %{{.*}}, %alloca[]
// CHECK: scf.if %[[ONE]]
// CHECK: memref.load %alloca[]
// CHECK: memref.store %{{[^#]*$}}
// CHECK: gpu.return

// COST: threads=4 shared-bytes=24 block-barriers=0 warp-barriers=2 bytes-loaded=32 bytes-stored=4 atomics=0{{$}}

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
    %p_s1 = obs.push %m1 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    %s1 = obs.force %p_s1 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
    %l2 = obs.slice %s1 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %r2 = obs.slice %s1 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %m2 = obs.map (%x = %l2 : !obs.pull<2 x i32>, %y = %r2 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p_s2 = obs.push %m2 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
    %s2 = obs.force %p_s2 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
    %l3 = obs.slice %s2 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %r3 = obs.slice %s2 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %m3 = obs.map (%x = %l3 : !obs.pull<1 x i32>, %y = %r3 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p_s3 = obs.push %m3 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    %s3 = obs.force %p_s3 : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
    %q = obs.push %s3 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "sum", threads = 4 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}
