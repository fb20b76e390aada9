// RUN: obs-opt %s --obs-plan-shared | FileCheck %s
// RUN: obs-opt %s --obs-plan-shared --mlir-print-local-scope | FileCheck %s --check-prefix=BYTES

!a = memref<64xi32, #obs.home<block, shared>>
!b = memref<3xi8, #obs.home<block, shared>>
!c = memref<5xf64, #obs.home<block, shared>>
!w = memref<5xi32, #obs.home<warp, shared>>

// Four stages of one size alternate between two places.
// BYTES-LABEL: obs.kernel @ping_pong
// BYTES-SAME: shared_bytes = 512 : i64
// CHECK-LABEL: obs.kernel @ping_pong
obs.kernel @ping_pong(%in: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    // CHECK: memref.alloc() {obs.offset = 0 : i64}
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %s0[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: memref.alloc() {obs.offset = 256 : i64}
    %s1 = memref.alloc() : !a
    obs.barrier block
    scf.forall (%t) in (64) {
      %x = memref.load %s0[%t] : !a
      memref.store %x, %s1[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: memref.alloc() {obs.offset = 0 : i64}
    %s2 = memref.alloc() : !a
    obs.barrier block
    scf.forall (%t) in (64) {
      %x = memref.load %s1[%t] : !a
      memref.store %x, %s2[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: memref.alloc() {obs.offset = 256 : i64}
    %s3 = memref.alloc() : !a
    obs.barrier block
    scf.forall (%t) in (64) {
      %x = memref.load %s2[%t] : !a
      memref.store %x, %s3[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    obs.barrier block
    scf.forall (%t) in (64) {
      %x = memref.load %s3[%t] : !a
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Lifetimes are disjoint, but no barrier stands between: a fast thread would
// write the second array while a slow one still reads the first.
// BYTES-LABEL: obs.kernel @no_barrier_between
// BYTES-SAME: shared_bytes = 512 : i64
obs.kernel @no_barrier_between(%x: i32, %out: memref<64xi32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
      %y = memref.load %s0[%t] : !a
      memref.store %y, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
    %s1 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
      %y = memref.load %s1[%t] : !a
      memref.store %y, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// A barrier between, but none on the way around the loop over blocks.
// BYTES-LABEL: obs.kernel @no_barrier_around
// BYTES-SAME: shared_bytes = 512 : i64
obs.kernel @no_barrier_around(%x: i32, %out: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    obs.barrier block
    %s1 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// The same with a barrier at the end of the body.
// BYTES-LABEL: obs.kernel @barrier_around
// BYTES-SAME: shared_bytes = 256 : i64
obs.kernel @barrier_around(%x: i32, %out: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    obs.barrier block
    %s1 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    obs.barrier block
  } {obs.map = #obs.map<grid, block>}
}

// A barrier in one arm of a branch is not on every path.
// BYTES-LABEL: obs.kernel @barrier_in_one_arm
// BYTES-SAME: shared_bytes = 512 : i64
obs.kernel @barrier_in_one_arm(%x: i32, %flag: i1) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    scf.if %flag {
      obs.barrier block
    }
    %s1 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// An array from outside of a loop that uses it lives as long as the loop.
// BYTES-LABEL: obs.kernel @used_by_a_loop
// BYTES-SAME: shared_bytes = 512 : i64
obs.kernel @used_by_a_loop(%x: i32, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %s0 = memref.alloc() : !a
    scf.for %k = %c0 to %n step %c1 {
      obs.barrier block
      scf.forall (%t) in (64) {
        memref.store %x, %s0[%t] : !a
      } {mapping = [#obs.map<block, thread>]}
      obs.barrier block
      %s1 = memref.alloc() : !a
      scf.forall (%t) in (64) {
        memref.store %x, %s1[%t] : !a
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// Offsets are multiples of the element's size; 3 bytes, then 5 doubles.
// BYTES-LABEL: obs.kernel @alignment
// BYTES-SAME: shared_bytes = 48 : i64
// CHECK-LABEL: obs.kernel @alignment
obs.kernel @alignment(%x: i8, %y: f64) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    // CHECK: memref.alloc() {obs.offset = 0 : i64} : memref<3xi8
    %s0 = memref.alloc() : !b
    // CHECK: memref.alloc() {obs.offset = 8 : i64} : memref<5xf64
    %s1 = memref.alloc() : !c
    scf.forall (%t) in (3) {
      memref.store %x, %s0[%t] : !b
      memref.store %y, %s1[%t] : !c
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// 70 threads are three warps, and 20 bytes take a slice of 32.
// BYTES-LABEL: obs.kernel @slices
// BYTES-SAME: shared_bytes = 96 : i64
obs.kernel @slices(%x: i32, %n: index) attributes {threads = 70 : i64} {
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %i = %w to %n step %ws {
    %s0 = memref.alloc() : !w
    scf.forall (%l) in (5) {
      memref.store %x, %s0[%l] : !w
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}

// The barrier of a ticket stands between the uses of the arrays before and after it. Its cell is used on both sides.
// BYTES-LABEL: obs.kernel @around_ticket
// BYTES-SAME: shared_bytes = 264 : i64
// CHECK-LABEL: obs.kernel @around_ticket
obs.kernel @around_ticket(%x: i32, %counter: memref<1xi32>, %out: memref<64xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    // CHECK: memref.alloc() {obs.offset = 0 : i64}
    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
      %y = memref.load %s0[%t] : !a
      memref.store %y, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: memref.alloc() {obs.offset = 256 : i64}
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    %n = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
    // CHECK: memref.alloc() {obs.offset = 0 : i64}
    %s1 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
      %y = memref.load %s1[%t] : !a
      memref.store %y, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}
