// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @merge_many/,$d' | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=merge --device=emulate --report iota:16xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=merge --device=interpret iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=1 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=17 --blocks=2 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=32 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=128 --blocks=3 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: %python -c "import array; array.array('i', [int((i - r) % 16 < k) for k in range(17) for r in range(16) for i in range(16)]).tofile(open('%t.in', 'wb')); array.array('i', [int(i >= 16 - k) for k in range(17) for r in range(16) for i in range(16)]).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=merge_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=32 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=128 --blocks=1000 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=32 --blocks=7 --schedule=random --seed=3 --check=bounds %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=emulate --threads=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=emulate --threads=8 --blocks=7 --schedule=random --seed=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_in_place --device=interpret iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge_in_place --device=emulate iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge_many --device=interpret iota:64xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=emulate iota:64xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=17 --blocks=2 iota:64xi32 | FileCheck %s --check-prefix=MANY

// Four columns of comparators on 16 threads; partner t ^ 8, 4, 2, 1; one select in
// each column; two arrays of 64 bytes alternate. No barrier follows the last column:
// each thread copies out elements that it has kept in a register.
// CHECK: threads in (%c16, %c1, %c1) dynamic_shared_memory_size %c128_i32
// CHECK: gpu.func @merge(
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: %[[P8:.*]] = arith.xori %thread_id_x, %c8
// CHECK: memref.load %reinterpret_cast[%[[P8]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%thread_id_x]
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load %view[%thread_id_x]
// CHECK: %[[P4:.*]] = arith.xori %thread_id_x, %c4
// CHECK: memref.load %view[%[[P4]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view_1[%thread_id_x]
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load %view_1[%thread_id_x]
// CHECK: %[[P2:.*]] = arith.xori %thread_id_x, %c2
// CHECK: memref.load %view_1[%[[P2]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%thread_id_x]
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load %view[%thread_id_x]
// CHECK: %[[P1:.*]] = arith.xori %thread_id_x, %c1
// CHECK: memref.load %view[%[[P1]]]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %alloca[]
// CHECK: memref.load %alloca[]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%thread_id_x]
// CHECK: gpu.return

// Each element is read by its thread and by the partner.
// COST: threads=16 shared-bytes=128 block-barriers=0 warp-barriers=3 bytes-loaded=128 bytes-stored=64 atomics=0{{$}}

// A sorted array is bitonic.
// RESULT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}
// MANY: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]{{$}}
//
// By the 0-1 principle the network merges if it sorts every bitonic sequence of
// zeros and ones: k ones from position r on, cyclically, for all k and r.

// Element i of the column is the minimum of its pair if `bit` of i is clear, else
// the maximum.
func.func private @column(%x: !obs.pull<16 x i32>, %bit: index) -> !obs.pull<16 x i32> attributes {obs.level = #obs.level<block>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = obs.reindex (%i) = %x {
    %j = obs.bit.flip %i, %bit : index
    obs.yield %j : index
  } : !obs.pull<16 x i32> -> !obs.pull<16 x i32>
  %g = obs.generate (%i) {
    %u = obs.get %x[%i] : !obs.pull<16 x i32>
    %v = obs.get %y[%i] : !obs.pull<16 x i32>
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %shifted = arith.shrui %i, %bit : index
    %high = arith.andi %shifted, %one : index
    %isLow = arith.cmpi eq, %high, %zero : index
    %z = arith.select %isLow, %min, %max : i32
    obs.yield %z : i32
  } : !obs.pull<16 x i32>
  %p = obs.push %g : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  %f = obs.force %p : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
  return %f : !obs.pull<16 x i32>
}

func.func private @network(%c: !obs.pull<16 x i32>) -> !obs.push<block, 16 x i32> attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s0 = func.call @column(%c, %c3) : (!obs.pull<16 x i32>, index) -> !obs.pull<16 x i32>
  %s1 = func.call @column(%s0, %c2) : (!obs.pull<16 x i32>, index) -> !obs.pull<16 x i32>
  %s2 = func.call @column(%s1, %c1) : (!obs.pull<16 x i32>, index) -> !obs.pull<16 x i32>
  %s3 = func.call @column(%s2, %c0) : (!obs.pull<16 x i32>, index) -> !obs.pull<16 x i32>
  %q = obs.push %s3 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
  return %q : !obs.push<block, 16 x i32>
}

func.func @merge(%a: !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
  %whole = obs.split %a by [16] : !obs.pull<16 x i32> -> !obs.pull<1 x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<16 x i32>>) -> !obs.push<grid, 1 x 16 x i32> {
    %q = func.call @network(%c) : (!obs.pull<16 x i32>) -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 16 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %flat {kernel = "merge", threads = 16 : i64} : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @merge_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %q = func.call @network(%c) : (!obs.pull<16 x i32>) -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "merge_many", threads = 16 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Each block reads its chunk before it writes it, and no other.
func.func @merge_in_place(%m: memref<?xi32>) -> !obs.pull<? x i32> {
  %a = obs.view %m : memref<?xi32>
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %q = func.call @network(%c) : (!obs.pull<16 x i32>) -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat into %m {kernel = "merge_in_place", threads = 16 : i64, unchecked} : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
