// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @tsort1_many/,$d' | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=tsort1 --device=emulate --report iota:512xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-512, 512) for i in range(1536)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 512]) for i in range(0, 1536, 512)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=tsort1_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate --threads=1 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate --threads=32 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate --threads=128 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=tsort1_many --device=emulate --threads=32 --schedule=random --seed=3 --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// tsort1: tmerge r for r = 0 to 8: the columns vee r, ilv (r-1), ..., ilv 0.
// 45 columns on 512 threads, one select in each. The first reads global memory,
// the other 44 are two nested loops. Two arrays of 2048 bytes alternate. No
// barrier follows the last: each thread copies out what it wrote, so a block
// meets one before each of the other 44 columns, not the table's 45.
// CHECK: threads in (%c512, %c1, %c1) dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @tsort1(
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[
// CHECK: memref.load %reinterpret_cast[
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%c0, %thread_id_x]
// CHECK: %[[LAST:.*]] = scf.for %{{.*}} = %c1 to %c9 step %c1
// CHECK: scf.for {{.*}} iter_args(%[[FROM:.*]] = %{{.*}})
// CHECK: %[[TO:.*]] = arith.subi %c1, %[[FROM]]
// CHECK: gpu.barrier
// CHECK: memref.load %view[%[[FROM]], %thread_id_x]
// CHECK: memref.load %view[%[[FROM]], %{{.*}}]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%[[TO]], %thread_id_x]
// CHECK: memref.load %view[%[[LAST]], %thread_id_x]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[
// CHECK: gpu.return

// COST: threads=512 shared-bytes=4096 block-barriers=44 warp-barriers=0 bytes-loaded=4096 bytes-stored=2048 atomics=0{{$}}

!chunk = !obs.pull<512 x i32>
!column = !obs.push<block, 512 x i32>

func.func private @column(%x: !chunk, %r: index, %m: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %one = arith.constant 1 : index
  %top = arith.subi %r, %m : index
  %bit = arith.shli %one, %top : index
  // Column 0 is a vee: the bits below are flipped, too.
  %none = arith.constant 0 : index
  %head = arith.cmpi eq, %m, %none : index
  %factor = arith.index_castui %head : i1 to index
  %rest = arith.subi %bit, %one : index
  %below = arith.muli %factor, %rest : index
  %mask = arith.ori %bit, %below : index
  %zero = arith.constant 0 : index
  %g = obs.generate (%i) {
    %j = arith.xori %i, %mask : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %shifted = arith.shrui %i, %top : index
    %side = arith.andi %shifted, %one : index
    %low = arith.cmpi eq, %side, %zero : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @network(%c: !chunk) -> !column attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %first = func.call @column(%c, %c0, %c0) : (!chunk, index, index) -> !chunk
  %s = scf.for %r = %c1 to %c9 step %c1 iter_args(%x = %first) -> !chunk {
    %end = arith.addi %r, %c1 : index
    %merged = scf.for %m = %c0 to %end step %c1 iter_args(%y = %x) -> !chunk {
      %z = func.call @column(%y, %r, %m) : (!chunk, index, index) -> !chunk
      scf.yield %z : !chunk
    }
    scf.yield %merged : !chunk
  }
  %q = obs.push %s : !chunk -> !column
  return %q : !column
}

func.func @tsort1(%a: !chunk) -> !chunk {
  %whole = obs.split %a by [512] : !chunk -> !obs.pull<1 x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<512 x i32>>) -> !obs.push<grid, 1 x 512 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 512 x i32> -> !obs.push<grid, 512 x i32>
  %r = obs.force %flat {kernel = "tsort1", threads = 512 : i64} : !obs.push<grid, 512 x i32> -> !chunk
  return %r : !chunk
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @tsort1_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "tsort1_many", threads = 512 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
