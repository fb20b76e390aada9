// RUN: obs-opt %s --split-input-file --obs-map-levels --canonicalize --cse | FileCheck %s

// Pointers, then their dynamic extents, scalars in between; views are rebuilt
// from both, and the host passes the same.
// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @host
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[S:.*]]: f32, %[[T:.*]]: memref<?x4x?xi32>, %[[BLOCKS:.*]]: index
func.func @host(%m: memref<?xf32>, %s: f32, %t: memref<?x4x?xi32>, %blocks: index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[PM:.*]] = memref.reinterpret_cast %[[M]] to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
  // CHECK-DAG: %[[DM:.*]] = memref.dim %[[M]], %[[C0]]
  // CHECK-DAG: %[[PT:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [], strides: [] : memref<?x4x?xi32> to memref<i32>
  // CHECK-DAG: %[[DT0:.*]] = memref.dim %[[T]], %[[C0]]
  // CHECK-DAG: %[[DT2:.*]] = memref.dim %[[T]], %[[C2]]
  // CHECK: gpu.launch_func @kernels::@interface blocks in (%[[BLOCKS]], %[[C1]], %[[C1]]) threads in (%[[C64]], %[[C1]], %[[C1]]) dynamic_shared_memory_size %[[NONE]] args(%[[PM]] : memref<f32>, %[[DM]] : index, %[[S]] : f32, %[[PT]] : memref<i32>, %[[DT0]] : index, %[[DT2]] : index)
  obs.launch @interface blocks %blocks args(%m, %s, %t) : memref<?xf32>, f32, memref<?x4x?xi32>
  return
}
// CHECK: gpu.module @kernels
// CHECK: gpu.func @interface(%[[A:.*]]: memref<f32>, %[[A0:.*]]: index, %[[X:.*]]: f32, %[[B:.*]]: memref<i32>, %[[B0:.*]]: index, %[[B2:.*]]: index) kernel
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-DAG: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[A0]]], strides: [1] : memref<f32> to memref<?xf32>
// CHECK-DAG: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%[[B0]], 4, %[[B2]]], strides: [%{{.*}}, %[[B2]], 1] : memref<i32> to memref<?x4x?xi32>
obs.kernel @interface(%a: memref<?xf32>, %x: f32, %b: memref<?x4x?xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %b, %c0 : memref<?x4x?xi32>
  scf.forall (%i) in (%n) {
    %y = memref.load %b[%i, %c2, %c0] : memref<?x4x?xi32>
    memref.store %x, %a[%i] : memref<?xf32>
    memref.store %y, %b[%c0, %c2, %i] : memref<?x4x?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

// Loops over the threads of a block, by their extent.
// CHECK-LABEL: gpu.func @extents
obs.kernel @extents(%out: memref<?xi32>, %n: index, %x: i32) attributes {threads = 64 : i64} {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  // CHECK-DAG: %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK-DAG: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %[[BLOCKS]]
  scf.for %i = %b to %n step %bs {
    // As many iterations as threads: no guard, no loop.
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[T]]]
    scf.forall (%t) in (64) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
    // Fewer: a guard.
    // CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[T]], %c17
    // CHECK-NEXT: scf.if %[[IN]] {
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[T]]]
    // CHECK-NEXT: }
    scf.forall (%t) in (17) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
    // A multiple: a loop of constant trip count.
    // CHECK-NEXT: scf.for %[[S:.*]] = %c0 to %c3 step %c1 {
    // CHECK-NEXT: %[[P:.*]] = arith.muli %[[S]], %c64
    // CHECK-NEXT: %[[I:.*]] = arith.addi %[[P]], %[[T]]
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
    // CHECK-NEXT: }
    scf.forall (%t) in (192) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
    // Anything else.
    // CHECK-NEXT: scf.for %{{.*}} = %[[T]] to %c100 step %c64 {
    scf.forall (%t) in (100) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: scf.for %{{.*}} = %[[T]] to %{{.*}} step %c64 {
    scf.forall (%t) in (%n) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// -----

// Runs of neighbours: ceil(100 / 64) = 2 for each thread.
// CHECK-LABEL: gpu.func @blocked
obs.kernel @blocked(%out: memref<?xi32>, %x: i32) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    // CHECK: %[[T:.*]] = gpu.thread_id x
    // CHECK: %[[FROM:.*]] = arith.muli %[[T]], %c2
    // CHECK: %[[END:.*]] = arith.addi %[[FROM]], %c2
    // CHECK: %[[TO:.*]] = arith.minui %[[END]], %c100
    // CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c1
    scf.forall (%t) in (100) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
  } {obs.map = #obs.map<grid, block>}
}

// -----

// All threads of the grid.
// CHECK-LABEL: gpu.func @grid
obs.kernel @grid(%out: memref<?xi32>, %n: index, %x: i32) attributes {threads = 64 : i64} {
  // CHECK-DAG: %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK-DAG: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK-DAG: %[[ALL:.*]] = arith.muli %[[BLOCKS]], %c64
  // CHECK-DAG: %[[BEFORE:.*]] = arith.muli %[[BLOCK]], %c64
  // CHECK-DAG: %[[ID:.*]] = arith.addi %[[BEFORE]], %[[T]]
  // CHECK: scf.for %{{.*}} = %[[ID]] to %{{.*}} step %[[ALL]]
  scf.forall (%t) in (%n) {
    memref.store %x, %out[%t] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

// 40 threads with warp-level code launch 64, all lanes of which are there for
// the code of warps; 24 of them have no iteration of loops over the block.
// CHECK-LABEL: gpu.func @warps
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
obs.kernel @warps(%out: memref<?xi32>, %n: index, %x: i32) attributes {threads = 40 : i64, shared_bytes = 512 : i64} {
  // CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK-DAG: %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[WARP:.*]] = arith.divui %[[T]], %c32
  // CHECK-DAG: %[[LANE:.*]] = arith.remui %[[T]], %c32
  // CHECK-DAG: %[[WORKS:.*]] = arith.cmpi ult, %[[T]], %c40
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // CHECK: scf.if %[[WORKS]] {
    // CHECK-NEXT: scf.for %{{.*}} = %[[T]] to %c100 step %c40
    scf.forall (%t) in (100) {
      memref.store %x, %out[%t] : memref<?xi32>
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: gpu.barrier
    obs.barrier block
    %w = obs.worker_id <block, warp>
    %ws = obs.worker_count <block, warp>
    // Two warps; the slice of this one is at 256 + 128 * warp.
    // CHECK: scf.for %{{.*}} = %[[WARP]] to %{{.*}} step %c2
    scf.for %j = %w to %n step %ws {
      // CHECK: %[[SLICE:.*]] = arith.muli %[[WARP]], %c128
      // CHECK: %[[PLACE:.*]] = arith.addi %[[SLICE]], %c256
      // CHECK: %[[V:.*]] = memref.view %{{.*}}[%[[PLACE]]][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
      %a = memref.alloc() {obs.offset = 256 : i64} : memref<32xi32, #obs.home<warp, shared>>
      // CHECK: memref.store %{{.*}}, %[[V]][%[[LANE]]]
      scf.forall (%l) in (32) {
        memref.store %x, %a[%l] : memref<32xi32, #obs.home<warp, shared>>
      } {mapping = [#obs.map<warp, thread>]}
      // CHECK: nvvm.bar.warp.sync %[[ALL]] : i32
      obs.barrier warp
      // CHECK: arith.cmpi ult, %[[LANE]], %c5
      scf.forall (%l) in (5) {
        %y = memref.load %a[%l] : memref<32xi32, #obs.home<warp, shared>>
        memref.store %y, %out[%l] : memref<?xi32>
      } {mapping = [#obs.map<warp, thread>]}
    } {obs.map = #obs.map<block, warp>}
  } {obs.map = #obs.map<grid, block>}
}

// -----

// Warps of the grid: block * 2 + warp, and 2 of each block.
// CHECK-LABEL: gpu.func @grid_of_warps
obs.kernel @grid_of_warps(%out: memref<?xi32>, %n: index, %x: i32) attributes {threads = 64 : i64} {
  // CHECK-DAG: %[[WARP:.*]] = arith.divui %{{.*}}, %c32
  // CHECK-DAG: %[[BEFORE:.*]] = arith.muli %block_id_x, %c2
  // CHECK-DAG: %[[ID:.*]] = arith.addi %[[BEFORE]], %[[WARP]]
  // CHECK-DAG: %[[COUNT:.*]] = arith.muli %grid_dim_x, %c2
  // CHECK: scf.for %[[J:.*]] = %[[ID]] to %{{.*}} step %[[COUNT]]
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %n step %ws {
    scf.forall (%l) in (32) {
      memref.store %x, %out[%l] : memref<?xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// -----

// Buffers: an arena, private memory at the entry, a table beside the kernel; and
// one instance is a branch, not a loop.
// CHECK-LABEL: gpu.module @kernels
// CHECK: memref.global "private" constant @table : memref<64xi32>
// CHECK: gpu.func @buffers
// CHECK-NOT: memref.global
memref.global "private" constant @table : memref<64xi32> = dense<7>
obs.kernel @buffers(%out: memref<?xi32>) attributes {threads = 64 : i64, shared_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  // CHECK: memref.alloca() : memref<4xi32>
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK: scf.if %[[FIRST]] {
  scf.for %i = %b to %c1 step %bs {
    // CHECK: memref.view %{{.*}}[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
    %s = memref.alloc() {obs.offset = 0 : i64} : memref<64xi32, #obs.home<block, shared>>
    %table = memref.get_global @table : memref<64xi32>
    scf.forall (%t) in (64) {
      %p = memref.alloc() : memref<4xi32, #obs.home<thread, registers>>
      %x = memref.load %table[%t] : memref<64xi32>
      // CHECK: memref.store %{{.*}} : memref<4xi32>
      memref.store %x, %p[%c0] : memref<4xi32, #obs.home<thread, registers>>
      %y = memref.load %p[%c0] : memref<4xi32, #obs.home<thread, registers>>
      // CHECK: memref.store %{{.*}} : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %y, %s[%t] {obs.contract = "init"} : memref<64xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// -----

// An array without elements still has an arena to be in.
// CHECK-LABEL: gpu.func @empty
obs.kernel @empty(%out: memref<?xi32>, %i: index) attributes {threads = 64 : i64, shared_bytes = 0 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %k = %b to %c1 step %bs {
    // CHECK: memref.view %{{.*}} to memref<0xi32, #gpu.address_space<workgroup>>
    %s = memref.alloc() {obs.offset = 0 : i64} : memref<0xi32, #obs.home<block, shared>>
    %x = memref.load %s[%i] : memref<0xi32, #obs.home<block, shared>>
    memref.store %x, %out[%i] : memref<?xi32>
  } {obs.map = #obs.map<grid, block>}
}

// The second of two warps has 8 of 40 threads: 255 has one bit for each of them.
// CHECK-LABEL: gpu.func @mask
// CHECK-SAME: known_block_size = array<i32: 40, 1, 1>
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LAST:.*]] = arith.cmpi uge, %[[T]], %c32
// CHECK: %[[MASK:.*]] = arith.select %[[LAST]], %c255_i32, %c-1_i32 : i32
// CHECK: nvvm.bar.warp.sync %[[MASK]]
obs.kernel @mask(%x: i32, %out: memref<40xi32>) attributes {threads = 40 : i64} {
  scf.forall (%t) in (40) {
    memref.store %x, %out[%t] : memref<40xi32>
  } {mapping = [#obs.map<block, thread>]}
  obs.barrier warp
  scf.forall (%t) in (40) {
    memref.store %x, %out[%t] : memref<40xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// A function combines elements of memory that only one thread has: no atomic operation is necessary.
// CHECK-LABEL: gpu.func @function
// CHECK: %[[P:.*]] = memref.alloca() : memref<1xf32>
// CHECK-NOT: atomic
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xf32>
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[P]][%c0]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %[[X]]
// CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[SUM]], %[[SUM]]
// CHECK-NEXT: memref.store %[[TWICE]], %[[P]][%c0]
// CHECK-NOT: atomic
obs.kernel @function(%in: memref<8xf32>, %out: memref<32xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%t) in (32) {
    %zero = arith.constant 0.0 : f32
    %p = memref.alloc() : memref<1xf32, #obs.home<thread, registers>>
    memref.store %zero, %p[%c0] : memref<1xf32, #obs.home<thread, registers>>
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %in[%i] : memref<8xf32>
      %old = memref.generic_atomic_rmw %p[%c0] : memref<1xf32, #obs.home<thread, registers>> {
      ^bb0(%before: f32):
        %sum = arith.addf %before, %x : f32
        %twice = arith.addf %sum, %sum : f32
        memref.atomic_yield %twice : f32
      }
    }
    %y = memref.load %p[%c0] : memref<1xf32, #obs.home<thread, registers>>
    memref.store %y, %out[%t] : memref<32xf32>
  } {mapping = [#obs.map<block, thread>]}
}
