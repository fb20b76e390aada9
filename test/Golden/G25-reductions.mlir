// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --implicit-check-not='{{arith.select|scf.while}}'
// RUN: obs-run %s --entry=red1_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED1
// RUN: obs-run %s --entry=red2_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED2
// RUN: obs-run %s --entry=red3_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED3
// RUN: obs-run %s --entry=red4_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED4
// RUN: obs-run %s --entry=red5_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED5
// RUN: obs-run %s --entry=red6_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED6
// RUN: obs-run %s --entry=red7_one --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=RED7
// RUN: %python %S/../Networks/check.py obs-run %s red1 sums512 0 512 1536
// RUN: %python %S/../Networks/check.py obs-run %s red2 sums512 1024
// RUN: %python %S/../Networks/check.py obs-run %s red3 sums512 1024
// RUN: %python %S/../Networks/check.py obs-run %s red4 sums512 1024
// RUN: %python %S/../Networks/check.py obs-run %s red5 sums512 1024
// RUN: %python %S/../Networks/check.py obs-run %s red6 sums512 1024
// RUN: %python %S/../Networks/check.py obs-run %s red7 sums512 1024

// Reductions of 512 elements on 256 threads, each stage forced. Barriers of the
// block stand where more than one warp works: after the arrays of 256, 128 and 64
// elements; after those of 32 to 2 a barrier of the warp. The last stage of one
// element, where it is forced, is read back by its own thread. (The emulator
// counts a barrier of a warp once for each of the eight.)
//
// RED1: threads=256 shared-bytes=1536 block-barriers=3 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED2: threads=256 shared-bytes=1536 block-barriers=3 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED3: threads=256 shared-bytes=1536 block-barriers=3 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED4: threads=256 shared-bytes=384 block-barriers=1 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED5: threads=256 shared-bytes=384 block-barriers=1 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED6: threads=256 shared-bytes=192 block-barriers=0 warp-barriers=40 bytes-loaded=2048 bytes-stored=4 atomics=0
// RED7: threads=256 shared-bytes=96 block-barriers=0 warp-barriers=32 bytes-loaded=2048 bytes-stored=4 atomics=0

// The first element, then a loop over the other 7, 15 or 31.
// CHECK: gpu.func @red4_one(
// CHECK: %[[START:.*]] = arith.muli %thread_id_x, %c8
// CHECK: memref.load %reinterpret_cast[%[[START]]]
// CHECK: scf.for %[[J:.*]] = %c1 to %c8 step %c1
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[J]]
// CHECK: memref.load %reinterpret_cast[%[[AT]]]
// CHECK: gpu.func @red5_one(
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: scf.for %[[K:.*]] = %c1 to %c8 step %c1
// CHECK: %[[ROW:.*]] = arith.muli %[[K]], %c64
// CHECK: %[[E:.*]] = arith.addi %thread_id_x, %[[ROW]]
// CHECK: memref.load %reinterpret_cast[%[[E]]]
// CHECK: gpu.func @red6_one(
// CHECK: scf.for %{{.*}} = %c1 to %c16 step %c1
// CHECK: gpu.func @red7_one(
// CHECK: scf.for %{{.*}} = %c1 to %c32 step %c1

// Adjacent pairs, which keeps the order.
func.func private @red1_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %l0 = obs.slice %c [0] [256] [2] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %r0 = obs.slice %c [1] [256] [2] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %m0 = obs.map (%x = %l0 : !obs.pull<256 x i32>, %y = %r0 : !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p0 = obs.push %m0 : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>
  %l1 = obs.slice %s0 [0] [128] [2] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %r1 = obs.slice %s0 [1] [128] [2] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<128 x i32>, %y = %r1 : !obs.pull<128 x i32>) -> !obs.pull<128 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
  %l2 = obs.slice %s1 [0] [64] [2] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %r2 = obs.slice %s1 [1] [64] [2] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<64 x i32>, %y = %r2 : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l3 = obs.slice %s2 [0] [32] [2] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r3 = obs.slice %s2 [1] [32] [2] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<32 x i32>, %y = %r3 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l4 = obs.slice %s3 [0] [16] [2] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r4 = obs.slice %s3 [1] [16] [2] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<16 x i32>, %y = %r4 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l5 = obs.slice %s4 [0] [8] [2] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r5 = obs.slice %s4 [1] [8] [2] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<8 x i32>, %y = %r5 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p5 = obs.push %m5 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s5 = obs.force %p5 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l6 = obs.slice %s5 [0] [4] [2] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r6 = obs.slice %s5 [1] [4] [2] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m6 = obs.map (%x = %l6 : !obs.pull<4 x i32>, %y = %r6 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p6 = obs.push %m6 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s6 = obs.force %p6 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l7 = obs.slice %s6 [0] [2] [2] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r7 = obs.slice %s6 [1] [2] [2] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m7 = obs.map (%x = %l7 : !obs.pull<2 x i32>, %y = %r7 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p7 = obs.push %m7 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s7 = obs.force %p7 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l8 = obs.slice %s7 [0] [1] [2] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r8 = obs.slice %s7 [1] [1] [2] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m8 = obs.map (%x = %l8 : !obs.pull<1 x i32>, %y = %r8 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p8 = obs.push %m8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  %s8 = obs.force %p8 : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
  %q = obs.push %s8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red1_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red1_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red1_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red1(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red1_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red1", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Halves.
func.func private @red2_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %l0 = obs.slice %c [0] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %r0 = obs.slice %c [256] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %m0 = obs.map (%x = %l0 : !obs.pull<256 x i32>, %y = %r0 : !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p0 = obs.push %m0 : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>
  %l1 = obs.slice %s0 [0] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %r1 = obs.slice %s0 [128] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<128 x i32>, %y = %r1 : !obs.pull<128 x i32>) -> !obs.pull<128 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
  %l2 = obs.slice %s1 [0] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %r2 = obs.slice %s1 [64] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<64 x i32>, %y = %r2 : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l3 = obs.slice %s2 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r3 = obs.slice %s2 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<32 x i32>, %y = %r3 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l4 = obs.slice %s3 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r4 = obs.slice %s3 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<16 x i32>, %y = %r4 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l5 = obs.slice %s4 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r5 = obs.slice %s4 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<8 x i32>, %y = %r5 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p5 = obs.push %m5 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s5 = obs.force %p5 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l6 = obs.slice %s5 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r6 = obs.slice %s5 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m6 = obs.map (%x = %l6 : !obs.pull<4 x i32>, %y = %r6 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p6 = obs.push %m6 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s6 = obs.force %p6 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l7 = obs.slice %s6 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r7 = obs.slice %s6 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m7 = obs.map (%x = %l7 : !obs.pull<2 x i32>, %y = %r7 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p7 = obs.push %m7 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s7 = obs.force %p7 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l8 = obs.slice %s7 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r8 = obs.slice %s7 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m8 = obs.map (%x = %l8 : !obs.pull<1 x i32>, %y = %r8 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p8 = obs.push %m8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  %s8 = obs.force %p8 : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
  %q = obs.push %s8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red2_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red2_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red2_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red2(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red2_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red2", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Halves, the last combination in a register.
func.func private @red3_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %l0 = obs.slice %c [0] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %r0 = obs.slice %c [256] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
  %m0 = obs.map (%x = %l0 : !obs.pull<256 x i32>, %y = %r0 : !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p0 = obs.push %m0 : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>
  %l1 = obs.slice %s0 [0] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %r1 = obs.slice %s0 [128] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<128 x i32>, %y = %r1 : !obs.pull<128 x i32>) -> !obs.pull<128 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
  %l2 = obs.slice %s1 [0] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %r2 = obs.slice %s1 [64] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<64 x i32>, %y = %r2 : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l3 = obs.slice %s2 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r3 = obs.slice %s2 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<32 x i32>, %y = %r3 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l4 = obs.slice %s3 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r4 = obs.slice %s3 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<16 x i32>, %y = %r4 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l5 = obs.slice %s4 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r5 = obs.slice %s4 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<8 x i32>, %y = %r5 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p5 = obs.push %m5 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s5 = obs.force %p5 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l6 = obs.slice %s5 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r6 = obs.slice %s5 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m6 = obs.map (%x = %l6 : !obs.pull<4 x i32>, %y = %r6 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p6 = obs.push %m6 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s6 = obs.force %p6 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l7 = obs.slice %s6 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r7 = obs.slice %s6 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m7 = obs.map (%x = %l7 : !obs.pull<2 x i32>, %y = %r7 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p7 = obs.push %m7 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s7 = obs.force %p7 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l8 = obs.slice %s7 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r8 = obs.slice %s7 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m8 = obs.map (%x = %l8 : !obs.pull<1 x i32>, %y = %r8 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.push %m8 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red3_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red3_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red3_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red3(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red3_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red3", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// 8 adjacent elements for each thread first.
func.func private @red4_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %per = arith.constant 8 : index
  %threads = arith.constant 64 : index
  %g = obs.generate (%i) {
    %start = arith.muli %i, %per : index
    %head = obs.get %c[%start] : !obs.pull<512 x i32>
    %sum = scf.for %j = %c1 to %per step %c1 iter_args(%acc = %head) -> i32 {
      %at = arith.addi %start, %j : index
      %e = obs.get %c[%at] : !obs.pull<512 x i32>
      %z = arith.addi %acc, %e : i32
      scf.yield %z : i32
    }
    obs.yield %sum : i32
  } : !obs.pull<64 x i32>
  %p0 = obs.push %g : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l1 = obs.slice %s0 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r1 = obs.slice %s0 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<32 x i32>, %y = %r1 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l2 = obs.slice %s1 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r2 = obs.slice %s1 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<16 x i32>, %y = %r2 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l3 = obs.slice %s2 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r3 = obs.slice %s2 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<8 x i32>, %y = %r3 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l4 = obs.slice %s3 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r4 = obs.slice %s3 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<4 x i32>, %y = %r4 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l5 = obs.slice %s4 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r5 = obs.slice %s4 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<2 x i32>, %y = %r5 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p5 = obs.push %m5 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s5 = obs.force %p5 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l6 = obs.slice %s5 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r6 = obs.slice %s5 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m6 = obs.map (%x = %l6 : !obs.pull<1 x i32>, %y = %r6 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.push %m6 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red4_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red4_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red4_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red4(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red4_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red4", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// 8 elements at distance 64 first.
func.func private @red5_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %per = arith.constant 8 : index
  %threads = arith.constant 64 : index
  %g = obs.generate (%i) {
    %head = obs.get %c[%i] : !obs.pull<512 x i32>
    %sum = scf.for %j = %c1 to %per step %c1 iter_args(%acc = %head) -> i32 {
      %offset = arith.muli %j, %threads : index
      %at = arith.addi %i, %offset : index
      %e = obs.get %c[%at] : !obs.pull<512 x i32>
      %z = arith.addi %acc, %e : i32
      scf.yield %z : i32
    }
    obs.yield %sum : i32
  } : !obs.pull<64 x i32>
  %p0 = obs.push %g : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
  %l1 = obs.slice %s0 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %r1 = obs.slice %s0 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<32 x i32>, %y = %r1 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l2 = obs.slice %s1 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r2 = obs.slice %s1 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<16 x i32>, %y = %r2 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l3 = obs.slice %s2 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r3 = obs.slice %s2 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<8 x i32>, %y = %r3 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l4 = obs.slice %s3 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r4 = obs.slice %s3 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<4 x i32>, %y = %r4 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l5 = obs.slice %s4 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r5 = obs.slice %s4 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<2 x i32>, %y = %r5 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p5 = obs.push %m5 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s5 = obs.force %p5 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l6 = obs.slice %s5 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r6 = obs.slice %s5 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m6 = obs.map (%x = %l6 : !obs.pull<1 x i32>, %y = %r6 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.push %m6 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red5_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red5_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red5_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red5(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red5_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red5", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// 16 elements at distance 32 first.
func.func private @red6_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %per = arith.constant 16 : index
  %threads = arith.constant 32 : index
  %g = obs.generate (%i) {
    %head = obs.get %c[%i] : !obs.pull<512 x i32>
    %sum = scf.for %j = %c1 to %per step %c1 iter_args(%acc = %head) -> i32 {
      %offset = arith.muli %j, %threads : index
      %at = arith.addi %i, %offset : index
      %e = obs.get %c[%at] : !obs.pull<512 x i32>
      %z = arith.addi %acc, %e : i32
      scf.yield %z : i32
    }
    obs.yield %sum : i32
  } : !obs.pull<32 x i32>
  %p0 = obs.push %g : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
  %l1 = obs.slice %s0 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %r1 = obs.slice %s0 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<16 x i32>, %y = %r1 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l2 = obs.slice %s1 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r2 = obs.slice %s1 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<8 x i32>, %y = %r2 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l3 = obs.slice %s2 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r3 = obs.slice %s2 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<4 x i32>, %y = %r3 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l4 = obs.slice %s3 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r4 = obs.slice %s3 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<2 x i32>, %y = %r4 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p4 = obs.push %m4 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s4 = obs.force %p4 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l5 = obs.slice %s4 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r5 = obs.slice %s4 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m5 = obs.map (%x = %l5 : !obs.pull<1 x i32>, %y = %r5 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.push %m5 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red6_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red6_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red6_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red6(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red6_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red6", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// 32 elements at distance 16 first.
func.func private @red7_block(%c: !obs.pull<512 x i32>) -> !obs.push<block, 1 x i32> attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %per = arith.constant 32 : index
  %threads = arith.constant 16 : index
  %g = obs.generate (%i) {
    %head = obs.get %c[%i] : !obs.pull<512 x i32>
    %sum = scf.for %j = %c1 to %per step %c1 iter_args(%acc = %head) -> i32 {
      %offset = arith.muli %j, %threads : index
      %at = arith.addi %i, %offset : index
      %e = obs.get %c[%at] : !obs.pull<512 x i32>
      %z = arith.addi %acc, %e : i32
      scf.yield %z : i32
    }
    obs.yield %sum : i32
  } : !obs.pull<16 x i32>
  %p0 = obs.push %g : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %s0 = obs.force %p0 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  %l1 = obs.slice %s0 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %r1 = obs.slice %s0 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
  %m1 = obs.map (%x = %l1 : !obs.pull<8 x i32>, %y = %r1 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p1 = obs.push %m1 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  %s1 = obs.force %p1 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  %l2 = obs.slice %s1 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %r2 = obs.slice %s1 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  %m2 = obs.map (%x = %l2 : !obs.pull<4 x i32>, %y = %r2 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p2 = obs.push %m2 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  %s2 = obs.force %p2 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
  %l3 = obs.slice %s2 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %r3 = obs.slice %s2 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
  %m3 = obs.map (%x = %l3 : !obs.pull<2 x i32>, %y = %r3 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p3 = obs.push %m3 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
  %s3 = obs.force %p3 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>
  %l4 = obs.slice %s3 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %r4 = obs.slice %s3 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
  %m4 = obs.map (%x = %l4 : !obs.pull<1 x i32>, %y = %r4 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.push %m4 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
  return %q : !obs.push<block, 1 x i32>
}

func.func @red7_one(%a: !obs.pull<512 x i32>) -> !obs.pull<1 x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 1 x i32> {
    %q = func.call @red7_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %flat {kernel = "red7_one", threads = 256 : i64} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @red7(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %q = func.call @red7_block(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "red7", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
