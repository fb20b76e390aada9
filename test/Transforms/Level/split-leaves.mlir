// RUN: obs-opt %s --obs-split-leaves --split-input-file | FileCheck %s

// Chunk c has the elements 1024 c to 1024 c + 1023. One test for the warp replaces 1024 guards.
// CHECK-LABEL: obs.kernel @padded
// CHECK: %[[BEGIN:.*]] = arith.muli %{{.*}}, %c1024 : index
// CHECK: %[[LAST:.*]] = arith.addi %[[BEGIN]], %c1023 : index
// CHECK: %[[FULL:.*]] = arith.cmpi ult, %[[LAST]], %[[N:.*]] : index
// CHECK: %[[NATURAL:.*]] = arith.cmpi sge, %[[BEGIN]], %c0
// CHECK: %[[ALL:.*]] = arith.andi %[[FULL]], %[[NATURAL]] : i1
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: scf.forall (%[[T:.*]]) in (1024)
// CHECK-NOT: scf.if
// CHECK: %[[X:.*]] = memref.load
// CHECK-NOT: scf.if
// CHECK: memref.store %[[X]]
// CHECK: } else {
// CHECK-NEXT: scf.forall
// CHECK: scf.if
// CHECK: memref.load
// CHECK: memref.store
obs.kernel @padded(%in: memref<?xi32>, %out: memref<?xi32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %pad = arith.constant 7 : i32
  %n = memref.dim %in, %c0 : memref<?xi32>
  %chunks = arith.ceildivui %n, %c1024 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %c = %w to %chunks step %ws {
    %begin = arith.muli %c, %c1024 : index
    scf.forall (%t) in (1024) {
      %i = arith.addi %begin, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      %x = scf.if %inside -> i32 {
        %y = memref.load %in[%i] : memref<?xi32>
        scf.yield %y : i32
      } else {
        scf.yield %pad : i32
      }
      memref.store %x, %out[%i] : memref<?xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// -----

// The largest value of (t & 3) << 8 | t >> 2 is 1023.
// CHECK-LABEL: obs.kernel @permuted
// CHECK: arith.addi %{{.*}}, %c1023 : index
// CHECK: scf.if
// CHECK-NEXT: scf.forall
// CHECK-NOT: scf.if
// CHECK: } else {
obs.kernel @permuted(%begin: index, %n: index, %out: memref<?xi32>) attributes {threads = 32 : i64} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 7 : i32
  %c1 = arith.constant 1 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %c = %w to %c1 step %ws {
    scf.forall (%t) in (1024) {
      %low = arith.andi %t, %c3 : index
      %moved = arith.shli %low, %c8 : index
      %high = arith.shrui %t, %c2 : index
      %e = arith.ori %moved, %high : index
      %i = arith.addi %begin, %e : index
      %inside = arith.cmpi slt, %i, %n : index
      scf.if %inside {
        memref.store %x, %out[%i] : memref<?xi32>
      }
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// -----

// A condition on the iteration alone, a difference, a negative multiple, and a loop with 31 iterations for each lane have no
// copy.
// CHECK-LABEL: obs.kernel @others
// CHECK-COUNT-4: scf.forall
// CHECK-NOT: scf.forall
obs.kernel @others(%begin: index, %n: index, %out: memref<?xi32>) attributes {threads = 32 : i64} {
  %c40 = arith.constant 40 : index
  %cm2 = arith.constant -2 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 7 : i32
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %c = %w to %c1 step %ws {
    scf.forall (%t) in (1024) {
      %inside = arith.cmpi ult, %t, %c40 : index
      scf.if %inside {
        memref.store %x, %out[%t] : memref<?xi32>
      }
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (1024) {
      %i = arith.subi %begin, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %x, %out[%i] : memref<?xi32>
      }
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (1024) {
      %minus = arith.muli %t, %cm2 : index
      %i = arith.addi %begin, %minus : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %x, %out[%i] : memref<?xi32>
      }
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (992) {
      %i = arith.addi %begin, %t : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %x, %out[%i] : memref<?xi32>
      }
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// -----

// A loop in the code of a thread: element j of thread t of block b is 8192 b + 32 t + j. The first number is computed in the
// loop, and is the same in all iterations.
// CHECK-LABEL: obs.kernel @in_thread
// CHECK: scf.for %[[B:.*]] = %{{.*}} to
// CHECK: %[[BEGIN:.*]] = arith.muli %[[B]], %c8192 : index
// CHECK: %[[LAST:.*]] = arith.addi %[[BEGIN]], %c8191 : index
// CHECK: %[[FULL:.*]] = arith.cmpi slt, %[[LAST]]
// The sum does not wrap.
// CHECK: %[[EXACT:.*]] = arith.cmpi sge, %[[LAST]], %[[BEGIN]]
// CHECK: %[[ALL:.*]] = arith.andi %[[FULL]], %[[EXACT]]
// CHECK: scf.forall
// CHECK-NOT: scf.for %
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.store
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK: scf.if
obs.kernel @in_thread(%x: i32, %n: index, %out: memref<?xi32>) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %first = obs.worker_id <grid, block>
  %blocks = obs.worker_count <grid, block>
  scf.for %b = %first to %c32 step %blocks {
    scf.forall (%t) in (256) {
      scf.for %j = %c0 to %c32 step %c1 {
        %begin = arith.muli %b, %c8192 : index
        %own = arith.muli %t, %c32 : index
        %e = arith.addi %own, %j : index
        %i = arith.addi %begin, %e : index
        %inside = arith.cmpi slt, %i, %n : index
        scf.if %inside {
          memref.store %x, %out[%i] : memref<?xi32>
        }
      }
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// -----

// A copy of rows of global memory, for a load ahead of its use: four neighbours of each thread are one access in full tiles
// whose rows begin at a multiple of 16 bytes. The row and the column are bounded by the tile.
// CHECK-LABEL: obs.kernel @copy
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32>, %[[I:.*]]: index, %[[H:.*]]: index, %[[W:.*]]: index)
// CHECK: %[[LASTROW:.*]] = arith.addi %[[I]], %c63
// CHECK: arith.cmpi ult, %[[LASTROW]], %[[H]]
// CHECK: arith.addi %c0{{.*}}, %c15
// CHECK: arith.cmpi ult, %{{.*}}, %[[W]]
// CHECK: %[[LENGTH:.*]] = memref.dim %[[A]], %c1
// CHECK: %[[REST:.*]] = arith.remui %[[LENGTH]], %c4
// CHECK: %[[WIDE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[ALL:.*]] = arith.andi %{{.*}}, %[[WIDE]]
// CHECK: scf.if %[[ALL]] {
// CHECK-NEXT: scf.forall (%{{.*}}) in (1024) {
// CHECK-NOT: scf.if
// CHECK: memref.load
// CHECK: obs.items = 4 : i64
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.forall
// CHECK: scf.if
obs.kernel @copy(%a: memref<?x?xf32>, %i: index, %h: index, %w: index) attributes {threads = 128 : i64} {
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<64x16xf32, #obs.home<block, auto>>
  scf.forall (%t) in (1024) {
    %column = arith.remui %t, %c16 : index
    %r = arith.divui %t, %c16 : index
    %row = arith.addi %i, %r : index
    %below = arith.cmpi ult, %row, %h : index
    %left = arith.cmpi ult, %column, %w : index
    %inside = arith.andi %below, %left : i1
    %x = scf.if %inside -> (f32) {
      %y = memref.load %a[%row, %column] : memref<?x?xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %x, %b[%r, %column] : memref<64x16xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

// Another loop reads the array in another order, and too few threads have four elements: no copies.
// CHECK-LABEL: obs.kernel @no_copy
// CHECK-NOT: obs.items
obs.kernel @no_copy(%a: memref<?xf32>, %n: index, %out: memref<?xf32>) attributes {threads = 128 : i64} {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<512xf32, #obs.home<block, auto>>
  scf.forall (%t) in (512) {
    %x = memref.load %a[%t] : memref<?xf32>
    memref.store %x, %b[%t] : memref<512xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (256) {
    %i = arith.muli %t, %c2 : index
    %x = memref.load %b[%i] : memref<512xf32, #obs.home<block, auto>>
    memref.store %x, %out[%t] : memref<?xf32>
  } {mapping = [#obs.map<block, thread>]}
  %d = memref.alloc() : memref<256xf32, #obs.home<block, auto>>
  scf.forall (%t) in (256) {
    %x = memref.load %a[%t] : memref<?xf32>
    memref.store %x, %d[%t] : memref<256xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// A thread of the grid adds a chunk of its own. It tests once whether the whole chunk exists.
// CHECK-LABEL: obs.kernel @own_chunks
// CHECK: scf.forall (%[[T:.*]]) in
// CHECK: %[[BEGIN:.*]] = arith.muli %[[T]], %c32
// CHECK: %[[LAST:.*]] = arith.addi %[[BEGIN]], %c31
// CHECK: %[[IS_FULL:.*]] = arith.cmpi ult, %[[LAST]], %{{.*}}
// CHECK: %[[IS_EXACT:.*]] = arith.cmpi sge, %[[BEGIN]], %c0
// CHECK: %[[ALL:.*]] = arith.andi %[[IS_FULL]], %[[IS_EXACT]]
// CHECK: %[[SUM:.*]] = scf.if %[[ALL]] -> (f32)
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.load
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
// CHECK: memref.store %[[SUM]]
obs.kernel @own_chunks(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %in, %c0 : memref<?xf32>
  %more = arith.addi %n, %c31 : index
  %chunks = arith.divui %more, %c32 : index
  scf.forall (%t) in (%chunks) {
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %zero) -> (f32) {
      %begin = arith.muli %t, %c32 : index
      %i = arith.addi %begin, %k : index
      %exists = arith.cmpi ult, %i, %n : index
      %x = scf.if %exists -> (f32) {
        %y = memref.load %in[%i] : memref<?xf32>
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      %next = arith.addf %s, %x : f32
      scf.yield %next : f32
    }
    memref.store %sum, %out[%t] : memref<?xf32>
  } {mapping = [#obs.map<grid, thread>]}
}
