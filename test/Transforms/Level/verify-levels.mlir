// Level IR that is as it should be, with every level in it.
// RUN: obs-opt %s --obs-verify-levels | FileCheck %s

// CHECK-LABEL: obs.kernel @valid
obs.kernel @valid(%n: index, %flag: i1, %out: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (%n) {
    %own = memref.alloc() : memref<4xf32, #obs.home<thread, auto>>
  } {mapping = [#obs.map<grid, thread>]}
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %block = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
    %again = memref.load %block[%i] : memref<64xf32, #obs.home<block, auto>>
    // A number of a block may decide about the code of blocks.
    scf.for %k = %b to %i step %c1 {
      scf.if %flag {
        obs.barrier block
      }
    }
    %w = obs.worker_id <block, warp>
    %ws = obs.worker_count <block, warp>
    %start = arith.addi %w, %c1 : index
    scf.for %j = %start to %n step %ws {
      %warp = memref.alloc() : memref<32xf32, #obs.home<warp, auto>>
      scf.forall (%l) in (%j) {
      } {mapping = [#obs.map<warp, thread>]}
      obs.barrier warp
    } {obs.map = #obs.map<block, warp>}
  } {obs.map = #obs.map<grid, block>}
}
