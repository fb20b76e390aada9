// RUN: obs-opt %s --obs-to-gpu=threads=512 | FileCheck %s --check-prefix=ALL %no_other_code
// RUN: obs-opt %s --obs-to-gpu=threads=128 | FileCheck %s --check-prefix=QUARTER %no_other_code
// RUN: obs-opt %s --obs-to-gpu=threads=384 | FileCheck %s --check-prefix=TAIL %no_other_code
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 --report iota:1024xi32 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 --report iota:1024xi32 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: %python -c "import array; array.array('i', range(1, 513)).tofile(open('%t.want1', 'wb')); array.array('i', range(1, 1025)).tofile(open('%t.want2', 'wb')); array.array('i', range(1, 1537)).tofile(open('%t.want3', 'wb'))"
// RUN: obs-run %s --entry=inc --device=interpret iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc --device=emulate --threads=17 --blocks=2 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc_forced --device=interpret iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=17 --blocks=2 iota:1536xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=inc --device=interpret iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 --blocks=2 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc --device=interpret iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 --blocks=2 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc --device=interpret iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 --blocks=2 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=1 --blocks=1 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=17 --blocks=3 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=384 --blocks=5 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=interpret iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 --blocks=2 iota:512xi32 --out=%t.out
// RUN: cmp %t.out %t.want1
// RUN: obs-run %s --entry=inc_forced --device=interpret iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 --blocks=2 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want2
// RUN: obs-run %s --entry=inc_forced --device=interpret iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 --blocks=2 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=1 --blocks=1 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=17 --blocks=3 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=384 --blocks=5 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want3

// 512 elements for each block. 512 threads take one each; 128 threads take four,
// in a loop of exactly four steps with element i * 128 + thread; 384 threads do
// not divide 512, and the loop of each ends by itself. With a force the elements
// are stored in 2048 bytes between, or, if each thread has one, in a register;
// each thread reads back its own, so the table's barrier is not needed.
// ALL: threads in (%c512, %c1, %c1) dynamic_shared_memory_size %c0_i32
// ALL: threads in (%c512, %c1, %c1) dynamic_shared_memory_size %c0_i32
// ALL: gpu.func @inc(
// ALL: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// ALL: memref.load %reinterpret_cast[
// ALL: memref.store %{{.*}}, %reinterpret_cast_0[
// ALL: gpu.return
// ALL: gpu.func @inc_forced(
// ALL: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// ALL: memref.load %reinterpret_cast[
// ALL: memref.store %{{.*}}, %alloca[]
// ALL: memref.load %alloca[]
// ALL: memref.store %{{.*}}, %reinterpret_cast_0[
// ALL: gpu.return
//
// QUARTER: threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c0_i32
// QUARTER: threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c0_i32
// QUARTER: gpu.func @inc(
// QUARTER: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// QUARTER: scf.for %[[I:.*]] = %c0 to %c4 step %c1
// QUARTER: %[[BASE:.*]] = arith.muli %[[I]], %c128
// QUARTER: arith.addi %[[BASE]], %thread_id_x
// QUARTER: memref.load %reinterpret_cast[
// QUARTER: memref.store %{{.*}}, %reinterpret_cast_0[
// QUARTER: gpu.return
// The forced array is four registers of each thread, of neighbouring elements: the steps are written out.
// QUARTER: gpu.func @inc_forced(
// QUARTER: memref.alloca() : memref<4xi32>
// QUARTER-DAG: %[[WARP:.*]] = arith.divui %thread_id_x, %c32
// QUARTER-DAG: arith.muli %[[WARP]], %c128
// QUARTER-DAG: %[[LANE:.*]] = arith.remui %thread_id_x, %c32
// QUARTER-DAG: arith.muli %[[LANE]], %c4
// QUARTER: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// QUARTER-COUNT-4: memref.load %reinterpret_cast[
// QUARTER-COUNT-4: memref.store %{{.*}}, %alloca[
// QUARTER-COUNT-4: memref.load %alloca[
// QUARTER-COUNT-4: memref.store %{{.*}}, %reinterpret_cast_0[
// QUARTER: gpu.return
//
// TAIL: threads in (%c384, %c1, %c1) dynamic_shared_memory_size %c0_i32
// TAIL: threads in (%c384, %c1, %c1) dynamic_shared_memory_size %c0_i32
// TAIL: gpu.func @inc(
// TAIL: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// TAIL: scf.for %{{.*}} = %thread_id_x to %c512 step %c384
// TAIL: memref.load %reinterpret_cast[
// TAIL: memref.store %{{.*}}, %reinterpret_cast_0[
// TAIL: gpu.return
// TAIL: gpu.func @inc_forced(
// TAIL: scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x
// TAIL: memref.load %reinterpret_cast[
// TAIL: memref.store %{{.*}}, %alloca[%c0]
// TAIL: scf.if
// TAIL: memref.load %reinterpret_cast[
// TAIL: memref.store %{{.*}}, %alloca[%c1]
// TAIL: memref.load %alloca[%c0]
// TAIL: memref.store %{{.*}}, %reinterpret_cast_0[
// TAIL: scf.if
// TAIL: memref.load %alloca[%c1]
// TAIL: memref.store %{{.*}}, %reinterpret_cast_0[
// TAIL: gpu.return

// NONE: blocks=2 threads=512 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=4096 bytes-stored=4096
// FORCED: blocks=2 threads=512 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=4096 bytes-stored=4096

// RESULT: {{^}}[1, 2, 3, ..., 1534, 1535, 1536]{{$}}

func.func @inc(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %e = obs.map (%x = %c : !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %q = obs.push %e : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "inc"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @inc_forced(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %e = obs.map (%x = %c : !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %p_s = obs.push %e : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    %s = obs.force %p_s : !obs.push<block, 512 x i32> -> !obs.pull<512 x i32>
    %q = obs.push %s : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "inc_forced"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
