// RUN: obs-opt %s --obs-assign-homes | FileCheck %s

// CHECK-LABEL: obs.kernel @homes
obs.kernel @homes(%n: index, %x: f32) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // CHECK: memref.alloc() : memref<64xf32, #obs.home<block, shared>>
    %block = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
    // CHECK: memref.alloc() : memref<8xf32, #obs.home<block, shared>>
    %asked = memref.alloc() : memref<8xf32, #obs.home<block, shared>>
    scf.forall (%t) in (64) {
      // CHECK: memref.alloc() : memref<4xf32, #obs.home<thread, registers>>
      %thread = memref.alloc() : memref<4xf32, #obs.home<thread, auto>>
      // CHECK: memref.store {{.*}} : memref<4xf32, #obs.home<thread, registers>>
      memref.store %x, %thread[%c0] : memref<4xf32, #obs.home<thread, auto>>
      // CHECK: memref.store {{.*}} : memref<64xf32, #obs.home<block, shared>>
      memref.store %x, %block[%t] : memref<64xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %other = arith.subi %c63, %t : index
      %y = memref.load %block[%other] : memref<64xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    %w = obs.worker_id <block, warp>
    %ws = obs.worker_count <block, warp>
    scf.for %j = %w to %n step %ws {
      // CHECK: memref.alloc() : memref<32xf32, #obs.home<warp, shared>>
      %warp = memref.alloc() : memref<32xf32, #obs.home<warp, auto>>
      // CHECK: memref.alloc() : memref<64xf32, #obs.home<warp, registers>>
      %one = arith.constant 1 : index
      %lanes = memref.alloc() : memref<64xf32, #obs.home<warp, auto>>
      scf.forall (%t) in (64) {
        %e = arith.shrui %t, %one : index
        memref.store %x, %warp[%e] : memref<32xf32, #obs.home<warp, auto>>
        memref.store %x, %lanes[%t] : memref<64xf32, #obs.home<warp, auto>>
      } {mapping = [#obs.map<warp, thread>]}
    } {obs.map = #obs.map<block, warp>}
  } {obs.map = #obs.map<grid, block>}
}

// Accumulators: thread t reads and writes element t only, and has read the old
// one when it writes the new one.
// CHECK-LABEL: obs.kernel @accumulators
// CHECK: memref.alloc() : memref<2x8x8xf32, #obs.home<block, registers>>
obs.kernel @accumulators(%in: memref<8x8xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<2x8x8xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    %i = arith.divui %t, %c8 : index
    %j = arith.remui %t, %c8 : index
    memref.store %zero, %ring[%c0, %i, %j] : memref<2x8x8xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %other = arith.subi %c1, %slot : index
    scf.forall (%t) in (64) {
      %i = arith.divui %t, %c8 : index
      %j = arith.remui %t, %c8 : index
      %x = memref.load %in[%j, %i] : memref<8x8xf32>
      %y = memref.load %ring[%slot, %i, %j] : memref<2x8x8xf32, #obs.home<block, auto>>
      %z = arith.addf %x, %y : f32
      memref.store %z, %ring[%other, %i, %j] : memref<2x8x8xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
  scf.forall (%t) in (64) {
    %i = arith.divui %t, %c8 : index
    %j = arith.remui %t, %c8 : index
    %y = memref.load %ring[%end, %i, %j] : memref<2x8x8xf32, #obs.home<block, auto>>
    memref.store %y, %in[%i, %j] : memref<8x8xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// A ring whose old slot is read again after the new one is written stays.
// CHECK-LABEL: obs.kernel @both_slots
// CHECK: memref.alloc() : memref<2x64xf32, #obs.home<block, shared>>
obs.kernel @both_slots(%out: memref<64xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %zero, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %other = arith.subi %c1, %slot : index
    scf.forall (%t) in (64) {
      %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, auto>>
      memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, auto>>
      memref.store %y, %out[%t] : memref<64xf32>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
}

// 64 elements are more than 32 threads.
// CHECK-LABEL: obs.kernel @too_many
// CHECK: memref.alloc() : memref<64xf32, #obs.home<block, shared>>
obs.kernel @too_many(%x: f32) attributes {threads = 32 : i64} {
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}
