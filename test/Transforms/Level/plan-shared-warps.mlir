// Arrays of one warp program cannot share memory by a block barrier: after one
// warp is done with the first, another may still use it, at the same place.
// RUN: obs-opt %s --obs-plan-shared=limit=512 | FileCheck %s
// RUN: not obs-opt %s --obs-plan-shared=limit=300 2>&1 | FileCheck %s --check-prefix=SHORT

// CHECK-NOT: obs.barrier
// CHECK: shared_bytes = 384 : i64
// CHECK-NOT: obs.barrier

// SHORT: error: 'obs.kernel' op [shared-limit] needs 384 bytes of shared memory, but a block has 300
obs.kernel @reuse(%x: i32, %n: index) attributes {threads = 64 : i64} {
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %i = %w to %n step %ws {
    // A slice for each of two warps: 2 * 128 bytes.
    %s0 = memref.alloc() : memref<32xi32, #obs.home<warp, shared>>
    scf.forall (%t) in (32) {
      memref.store %x, %s0[%t] : memref<32xi32, #obs.home<warp, shared>>
    } {mapping = [#obs.map<warp, thread>]}
    // 2 * 64 bytes.
    %s1 = memref.alloc() : memref<16xi32, #obs.home<warp, shared>>
    scf.forall (%t) in (16) {
      memref.store %x, %s1[%t] : memref<16xi32, #obs.home<warp, shared>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
}
