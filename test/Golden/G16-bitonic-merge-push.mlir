// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=BARRIERS
// RUN: %python -c "import array; array.array('i', list(range(0, 512, 2)) + list(range(511, 0, -2))).tofile(open('%t.in', 'wb')); array.array('i', range(512)).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --threads=17 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --threads=1024 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// Nine columns of 256 comparators: thread t writes both elements of its pair. No
// select, two buffers of 2048 bytes, two stores for each column, one barrier for
// each of the nine; the copy out takes two steps of 256.
// CHECK: dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @merge
// CHECK-NOT: arith.select
// CHECK: scf.for %{{.*}} = %c0 to %c9
// CHECK: gpu.barrier
// CHECK-COUNT-2: memref.store
// CHECK-NOT: arith.select
// CHECK: gpu.return
// BARRIERS: scf.for %{{.*}} = %c0 to %c9
// BARRIERS-COUNT-1: {{^ *}}gpu.barrier
// BARRIERS: scf.yield

func.func @merge(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %whole = obs.split %a by [512] : !obs.pull<512 x i32> -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 512 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c256 = arith.constant 256 : index
    %s = scf.for %k = %c0 to %c9 step %c1 iter_args(%x = %c) -> !obs.pull<512 x i32> {
      %bit = arith.subi %c8, %k : index
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
      scf.yield %f : !obs.pull<512 x i32>
    }
    %q = obs.push %s : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 512 x i32> -> !obs.push<grid, 512 x i32>
  %r = obs.force %flat {kernel = "merge", threads = 256 : i64} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %r : !obs.pull<512 x i32>
}
