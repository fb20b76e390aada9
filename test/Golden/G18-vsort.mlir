// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @vsort_many/,$d' | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=vsort --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-512, 512) for i in range(1536)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 512]) for i in range(0, 1536, 512)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=vsort_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate --threads=1 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate --threads=32 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate --threads=128 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_many --device=emulate --threads=32 --schedule=random --seed=3 --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// vsort: ilvVee (8-i) (i-m) for i = 0 to 8 and m = 0 to i.
// 45 columns of 256 comparators. The first reads global memory, the other 44 are
// two nested loops. Two arrays of 2048 bytes alternate. No select; two stores
// for each column; a barrier after each; the copy out takes two steps of 256.
// CHECK: threads in (%c256, %c1, %c1) dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @vsort(
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[
// CHECK: memref.load %reinterpret_cast[
// CHECK: %[[MIN:.*]] = arith.minsi
// CHECK: %[[MAX:.*]] = arith.maxsi
// CHECK: memref.store %[[MIN]], %view[%c0,
// CHECK: memref.store %[[MAX]], %view[%c0,
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %c1 to %c9 step %c1
// CHECK: scf.for {{.*}} iter_args(%[[FROM:.*]] = %{{.*}})
// CHECK: %[[TO:.*]] = arith.subi %c1, %[[FROM]]
// CHECK: gpu.barrier
// CHECK: memref.load %view[%[[FROM]], %[[K:.*]]]
// CHECK: memref.load %view[%[[FROM]], %[[L:.*]]]
// CHECK: %[[LOW:.*]] = arith.minsi
// CHECK: %[[HIGH:.*]] = arith.maxsi
// CHECK: memref.store %[[LOW]], %view[%[[TO]], %[[K]]]
// CHECK: memref.store %[[HIGH]], %view[%[[TO]], %[[L]]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: memref.load %view[%[[LAST]],
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[
// CHECK: gpu.return

// COST: threads=256 shared-bytes=4096 block-barriers=45 warp-barriers=0 bytes-loaded=2048 bytes-stored=2048 atomics=0{{$}}

!chunk = !obs.pull<512 x i32>
!column = !obs.push<block, 512 x i32>

func.func private @column(%x: !chunk, %b: index, %d: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %top = arith.addi %b, %d : index
  %high = arith.shli %two, %top : index
  %lowest = arith.shli %one, %b : index
  %mask = arith.subi %high, %lowest : index
  %half = arith.constant 256 : index
  %p = obs.fill par (%t) in (%half) {
    %i = obs.bit.insert_zero %t, %top : index
    %j = arith.xori %i, %mask : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @network(%c: !chunk) -> !column attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %first = func.call @column(%c, %c8, %c0) : (!chunk, index, index) -> !chunk
  %s = scf.for %i = %c1 to %c9 step %c1 iter_args(%x = %first) -> !chunk {
    %b = arith.subi %c8, %i : index
    %end = arith.addi %i, %c1 : index
    %merged = scf.for %m = %c0 to %end step %c1 iter_args(%y = %x) -> !chunk {
      %d = arith.subi %i, %m : index
      %z = func.call @column(%y, %b, %d) : (!chunk, index, index) -> !chunk
      scf.yield %z : !chunk
    }
    scf.yield %merged : !chunk
  }
  %q = obs.push %s : !chunk -> !column
  return %q : !column
}

func.func @vsort(%a: !chunk) -> !chunk {
  %whole = obs.split %a by [512] : !chunk -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 512 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 512 x i32> -> !obs.push<grid, 512 x i32>
  %r = obs.force %flat {kernel = "vsort", threads = 256 : i64} : !obs.push<grid, 512 x i32> -> !chunk
  return %r : !chunk
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @vsort_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "vsort_many", threads = 256 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
