// If memory is short, lifetimes that do not overlap share it at the price of
// barriers; otherwise they do not.
// RUN: obs-opt %s --obs-plan-shared=limit=300 2>&1 | FileCheck %s
// RUN: obs-opt %s --obs-plan-shared=limit=512 2>&1 | FileCheck %s --check-prefix=ENOUGH
// RUN: not obs-opt %s --obs-plan-shared=limit=255 2>&1 | FileCheck %s --check-prefix=SHORT

// CHECK: [[#@LINE+32]]:5: remark: a barrier stands here only so that arrays can share memory
// CHECK: shared_bytes = 256 : i64
// CHECK: memref.alloc() {obs.offset = 0 : i64}
// CHECK-NEXT: scf.forall
// CHECK: memref.alloc() {obs.offset = 0 : i64}
// CHECK: obs.barrier block {why = ["reuse of shared memory"]}
// CHECK-NEXT: scf.forall

// ENOUGH-NOT: remark
// ENOUGH: shared_bytes = 512 : i64
// ENOUGH-NOT: obs.barrier

// SHORT: [[#@LINE+5]]:1: error: 'obs.kernel' op [shared-limit] needs 256 bytes of shared memory, but a block has 255; force less in one block, or smaller parts one after the other{{$}}
// SHORT: [[#@LINE+12]]:11: note: 256 bytes at offset 0
// SHORT: [[#@LINE+15]]:11: note: 256 bytes at offset 0

!a = memref<64xi32, #obs.home<block, shared>>
obs.kernel @reuse(%x: i32) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>

  scf.for %i = %b to %c1 step %bs {
    // The first array.

    %s0 = memref.alloc() : !a
    scf.forall (%t) in (64) {
      memref.store %x, %s0[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
    %s1 = memref.alloc() : !a
    // The second one.

    scf.forall (%t) in (64) {
      memref.store %x, %s1[%t] : !a
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}
