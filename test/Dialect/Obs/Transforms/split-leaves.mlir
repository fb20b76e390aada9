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
