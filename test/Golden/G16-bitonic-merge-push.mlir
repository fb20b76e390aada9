// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @merge_many/,$d' | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=merge --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=merge --device=interpret iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=1 iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=17 --blocks=2 iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=32 iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=128 --blocks=3 iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:512xi32 | FileCheck %s --check-prefix=RESULT
// RUN: %python -c "import array; array.array('i', [min((j := (i + 37 * c) % 512), 511 - j) * 2 + (j > 255) - 300 for c in range(14) for i in range(512)]).tofile(open('%t.in', 'wb')); array.array('i', [i - 300 for c in range(14) for i in range(512)]).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=merge_many --device=interpret iota:3584xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=emulate iota:3584xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=17 --blocks=3 iota:3584xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=1024 --blocks=2 iota:3584xi32 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --entry=merge_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=17 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=32 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=128 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --threads=1024 --blocks=5 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=merge_many --device=emulate --blocks=4 --schedule=random --seed=3 --check=bounds %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// Nine columns of 256 comparators: thread t writes both elements of its pair. The
// first reads global memory, the other eight are a loop over two arrays of 2048
// bytes that alternate. No select; two stores for each column; a barrier after each,
// nine for the block; the copy out takes two steps of 256.
// CHECK: threads in (%c256, %c1, %c1) dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @merge(
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[%[[I:.*]]]
// CHECK: memref.load %reinterpret_cast[%[[J:.*]]]
// CHECK: %[[MIN:.*]] = arith.minsi
// CHECK: %[[MAX:.*]] = arith.maxsi
// CHECK: memref.store %[[MIN]], %view[%c0, %[[I]]]
// CHECK: memref.store %[[MAX]], %view[%c0, %[[J]]]
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args(%[[FROM:.*]] = %c0)
// CHECK: %[[TO:.*]] = arith.subi %c1, %[[FROM]]
// CHECK: gpu.barrier
// CHECK: memref.load %view[%[[FROM]], %[[K:.*]]]
// CHECK: memref.load %view[%[[FROM]], %[[L:.*]]]
// CHECK: %[[LOW:.*]] = arith.minsi
// CHECK: %[[HIGH:.*]] = arith.maxsi
// CHECK: memref.store %[[LOW]], %view[%[[TO]], %[[K]]]
// CHECK: memref.store %[[HIGH]], %view[%[[TO]], %[[L]]]
// CHECK: scf.yield %[[TO]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: memref.load %view[%[[LAST]],
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[
// CHECK: gpu.return

// COST: threads=256 shared-bytes=4096 block-barriers=9 warp-barriers=0 bytes-loaded=2048 bytes-stored=2048 atomics=0{{$}}

// A sorted array is bitonic.
// RESULT: {{^}}[0, 1, 2, {{.*}}, 509, 510, 511]{{$}}
// MANY: {{^}}[0, 1, 2, ..., 3581, 3582, 3583]{{$}}
//
// Chunk c of the input of @merge_many is 0, 2, ..., 510, 511, ..., 3, 1, rotated by
// 37 c, minus 300.

// Thread t compares the elements whose indices are t with a 0 and with a 1
// inserted at `bit`.
func.func private @column(%x: !obs.pull<512 x i32>, %bit: index) -> !obs.pull<512 x i32> attributes {obs.level = #obs.level<block>} {
  %c256 = arith.constant 256 : index
  %p = obs.fill par (%t) in (%c256) {
    %i = obs.bit.insert_zero %t, %bit : index
    %j = obs.bit.flip %i, %bit : index
    %u = obs.get %x[%i] : !obs.pull<512 x i32>
    %v = obs.get %x[%j] : !obs.pull<512 x i32>
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !obs.push<block, 512 x i32>
  %f = obs.force %p : !obs.push<block, 512 x i32> -> !obs.pull<512 x i32>
  return %f : !obs.pull<512 x i32>
}

func.func private @network(%c: !obs.pull<512 x i32>) -> !obs.push<block, 512 x i32> attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %first = func.call @column(%c, %c8) : (!obs.pull<512 x i32>, index) -> !obs.pull<512 x i32>
  %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %first) -> !obs.pull<512 x i32> {
    %bit = arith.subi %c7, %k : index
    %f = func.call @column(%x, %bit) : (!obs.pull<512 x i32>, index) -> !obs.pull<512 x i32>
    scf.yield %f : !obs.pull<512 x i32>
  }
  %q = obs.push %s : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
  return %q : !obs.push<block, 512 x i32>
}

func.func @merge(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %whole = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 512 x i32> {
    %q = func.call @network(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 512 x i32> -> !obs.push<grid, 512 x i32>
  %r = obs.force %flat {kernel = "merge", threads = 256 : i64} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %r : !obs.pull<512 x i32>
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @merge_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %q = func.call @network(%c) : (!obs.pull<512 x i32>) -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "merge_many", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
