// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @vsort_table_many/,$d' | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=vsort_table --device=emulate --report iota:16xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-16, 16) for i in range(320)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 16]) for i in range(0, 320, 16)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=vsort_table_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate --threads=1 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate --threads=32 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate --threads=128 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_table_many --device=emulate --threads=32 --schedule=random --seed=3 --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// vsortItTab 4: G05 with the permutations in constant tables. Two loads from the
// tables in each step, one select, barriers and arrays as in G05.
// CHECK: threads in (%c16, %c1, %c1) dynamic_shared_memory_size %c128_i32
// CHECK: gpu.func @vsort_table(
// CHECK: scf.if
// CHECK: %[[TABLES:.*]] = memref.get_global
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: memref.store %{{.*}}, %view[%c0, %thread_id_x]
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[J:.*]] = memref.load %[[TABLES]][
// CHECK: %[[K:.*]] = memref.load %[[TABLES]][
// CHECK: memref.load %view[%{{.*}}, %[[J]]]
// CHECK: memref.load %view[%{{.*}}, %[[K]]]
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%{{.*}}, %thread_id_x]
// CHECK: memref.load %view[%{{.*}}, %thread_id_x]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%thread_id_x]
// CHECK: gpu.return

// COST: threads=16 shared-bytes=128 block-barriers=0 warp-barriers=20

!chunk = !obs.pull<16 x i32>
!column = !obs.push<block, 16 x i32>
!tables = !obs.pull<2 x 16 x index>

// Step 0 looks up tau 3, and compares each element with itself; the others look
// up the riffle, and compare neighbours.
func.func private @step(%x: !chunk, %tables: !tables, %m: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = arith.minui %m, %c1 : index
  %g = obs.generate (%i) {
    %neighbour = arith.xori %i, %row : index
    %j = obs.get %tables[%row, %i] : !tables
    %k = obs.get %tables[%row, %neighbour] : !tables
    %u = obs.get %x[%j] : !chunk
    %v = obs.get %x[%k] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %side = arith.andi %i, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
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
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %tables = obs.constant dense<[[0, 1, 3, 2, 7, 6, 4, 5, 15, 14, 12, 13, 8, 9, 11, 10], [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]]> : tensor<2x16xindex>
  %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %c) -> !chunk {
    %z = scf.for %m = %c0 to %c5 step %c1 iter_args(%y = %x) -> !chunk {
      %f = func.call @step(%y, %tables, %m) : (!chunk, !tables, index) -> !chunk
      scf.yield %f : !chunk
    }
    scf.yield %z : !chunk
  }
  %q = obs.push %s : !chunk -> !column
  return %q : !column
}

func.func @vsort_table(%a: !chunk) -> !chunk {
  %whole = obs.split %a by [16] : !chunk -> !obs.pull<1 x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<16 x i32>>) -> !obs.push<grid, 1 x 16 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 16 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %flat {kernel = "vsort_table", threads = 16 : i64} : !obs.push<grid, 16 x i32> -> !chunk
  return %r : !chunk
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @vsort_table_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "vsort_table_many", threads = 16 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
