// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-assign-homes

obs.kernel @block_in_registers() {
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
}

// -----

obs.kernel @thread_in_shared(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[force-storage] an array of a thread cannot live in shared; it can live in registers}}
    %a = memref.alloc() : memref<64xf32, #obs.home<thread, shared>>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

obs.kernel @warp_in_global() {
  // expected-error@+1 {{[force-storage] an array of a warp cannot live in global; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<warp, global>>
}
