// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-assign-homes

obs.kernel @block_in_registers() {
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
}

// -----

obs.kernel @thread_in_shared(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[force-storage] an array of a thread cannot live in shared as it is used; it can live in registers}}
    %a = memref.alloc() : memref<64xf32, #obs.home<thread, shared>>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

obs.kernel @warp_in_global() {
  // expected-error@+1 {{[force-storage] an array of a warp cannot live in global as it is used; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<warp, global>>
}

// -----

// Each lane writes the element of its neighbour.
obs.kernel @not_own(%x: f32) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  scf.for %j = %w to %c4 step %ws {
    // expected-error@+1 {{[force-storage] an array of a warp cannot live in registers as it is used; it can live in shared}}
    %a = memref.alloc() : memref<64xf32, #obs.home<warp, registers>>
    scf.forall (%t) in (32) {
      %e = arith.addi %t, %c1 : index
      memref.store %x, %a[%e] : memref<64xf32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}
