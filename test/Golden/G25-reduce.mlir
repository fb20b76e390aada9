// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --implicit-check-not='{{arith.select|scf.while}}'
// RUN: obs-run %s --entry=reduce_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python %S/../Networks/check.py obs-run %s reduce sums512 0 512 1536

// The slides' reduction: the halves of an array are pushed as pairs, and a pair is
// combined where the push writes it. 512 elements on 256 threads are nine stages, each
// forced, of which the table has a barrier after every one. Those of 256, 128 and 64
// elements have one of the block, those of 32 to 2 one of the warp; the last, of one
// element, is read back by the thread that wrote it. (The emulator counts a barrier of
// a warp once for each of the eight.)
//
// 1024 and 512 bytes for 256 and 128 elements; the arrays after them reuse these.
// COST: threads=256 shared-bytes=1536 block-barriers=3 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0

// The sum is made at the store, from both halves.
// CHECK: gpu.func @reduce_one(
// CHECK: %[[X:.*]] = memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[J:.*]] = arith.addi %thread_id_x, %c256
// CHECK: %[[Y:.*]] = memref.load %reinterpret_cast[%[[J]]]
// CHECK: %[[SUM:.*]] = arith.addi %[[X]], %[[Y]] : i32
// CHECK: memref.store %[[SUM]]
// One guard for each stage of less than 256 elements.
// CHECK-COUNT-3: gpu.barrier
// CHECK-COUNT-5: nvvm.bar.warp.sync
// CHECK: gpu.return

func.func private @reduce_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %l0 = obs.slice %c [0] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %r0 = obs.slice %c [256] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %z0 = obs.zip %l0, %r0 : !obs.pull<256 x i32>, !obs.pull<256 x i32>
  %p0 = obs.push %z0 : !obs.pull<256 x i32, i32> -> !obs.push<block, 256 x i32, i32>
  %m0 = obs.map (%x, %y = %p0 : !obs.push<block, 256 x i32, i32>) -> !obs.push<block, 256 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s0 = obs.force %m0 : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>
  %l1 = obs.slice %s0 [0] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %r1 = obs.slice %s0 [128] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %z1 = obs.zip %l1, %r1 : !obs.pull<128 x i32>, !obs.pull<128 x i32>
  %p1 = obs.push %z1 : !obs.pull<128 x i32, i32> -> !obs.push<block, 128 x i32, i32>
  %m1 = obs.map (%x, %y = %p1 : !obs.push<block, 128 x i32, i32>) -> !obs.push<block, 128 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s1 = obs.force %m1 : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
  %l2 = obs.slice %s1 [0] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %r2 = obs.slice %s1 [64] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %z2 = obs.zip %l2, %r2 : !obs.pull<64 x i32>, !obs.pull<64 x i32>
  %p2 = obs.push %z2 : !obs.pull<64 x i32, i32> -> !obs.push<block, 64 x i32, i32>
  %m2 = obs.map (%x, %y = %p2 : !obs.push<block, 64 x i32, i32>) -> !obs.push<block, 64 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s2 = obs.force %m2 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l3 = obs.slice %s2 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r3 = obs.slice %s2 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %z3 = obs.zip %l3, %r3 : !obs.pull<32 x i32>, !obs.pull<32 x i32>
  %p3 = obs.push %z3 : !obs.pull<32 x i32, i32> -> !obs.push<block, 32 x i32, i32>
  %m3 = obs.map (%x, %y = %p3 : !obs.push<block, 32 x i32, i32>) -> !obs.push<block, 32 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s3 = obs.force %m3 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l4 = obs.slice %s3 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r4 = obs.slice %s3 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %z4 = obs.zip %l4, %r4 : !obs.pull<16 x i32>, !obs.pull<16 x i32>
  %p4 = obs.push %z4 : !obs.pull<16 x i32, i32> -> !obs.push<block, 16 x i32, i32>
  %m4 = obs.map (%x, %y = %p4 : !obs.push<block, 16 x i32, i32>) -> !obs.push<block, 16 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s4 = obs.force %m4 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l5 = obs.slice %s4 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r5 = obs.slice %s4 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %z5 = obs.zip %l5, %r5 : !obs.pull<8 x i32>, !obs.pull<8 x i32>
  %p5 = obs.push %z5 : !obs.pull<8 x i32, i32> -> !obs.push<block, 8 x i32, i32>
  %m5 = obs.map (%x, %y = %p5 : !obs.push<block, 8 x i32, i32>) -> !obs.push<block, 8 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s5 = obs.force %m5 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l6 = obs.slice %s5 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r6 = obs.slice %s5 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %z6 = obs.zip %l6, %r6 : !obs.pull<4 x i32>, !obs.pull<4 x i32>
  %p6 = obs.push %z6 : !obs.pull<4 x i32, i32> -> !obs.push<block, 4 x i32, i32>
  %m6 = obs.map (%x, %y = %p6 : !obs.push<block, 4 x i32, i32>) -> !obs.push<block, 4 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s6 = obs.force %m6 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l7 = obs.slice %s6 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r7 = obs.slice %s6 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %z7 = obs.zip %l7, %r7 : !obs.pull<2 x i32>, !obs.pull<2 x i32>
  %p7 = obs.push %z7 : !obs.pull<2 x i32, i32> -> !obs.push<block, 2 x i32, i32>
  %m7 = obs.map (%x, %y = %p7 : !obs.push<block, 2 x i32, i32>) -> !obs.push<block, 2 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s7 = obs.force %m7 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l8 = obs.slice %s7 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r8 = obs.slice %s7 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %z8 = obs.zip %l8, %r8 : !obs.pull<1 x i32>, !obs.pull<1 x i32>
  %p8 = obs.push %z8 : !obs.pull<1 x i32, i32> -> !obs.push<block, 1 x i32, i32>
  %m8 = obs.map (%x, %y = %p8 : !obs.push<block, 1 x i32, i32>) -> !obs.push<block, 1 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %s8 = obs.force %m8 : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
  %q = obs.push %s8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @reduce_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @reduce_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "reduce_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @reduce(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @reduce_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "reduce", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
