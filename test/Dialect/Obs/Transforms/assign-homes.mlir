// RUN: obs-opt %s --obs-assign-homes | FileCheck %s

// CHECK-LABEL: obs.kernel @homes
obs.kernel @homes(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
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
