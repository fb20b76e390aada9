// obs-verify-levels refuses these programs.
// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-verify-levels

obs.kernel @unmapped(%n: index) {
  // expected-error@+1 {{[levels-leaf] a leaf loop is a normalised scf.forall of one dimension with one #obs.map<_, thread>}}
  scf.forall (%i) in (%n) {
  }
}

// -----

obs.kernel @two_dimensions(%n: index) {
  // expected-error@+1 {{[levels-leaf] a leaf loop is a normalised scf.forall of one dimension}}
  scf.forall (%i, %j) in (%n, %n) {
  } {mapping = [#obs.map<grid, thread>, #obs.map<grid, warp>]}
}

// -----

// The loop hands work up: a thread has no warps.
obs.kernel @upward(%n: index) {
  scf.forall (%i) in (%n) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{[levels-nesting] spreads units of level thread over a warp in code of level thread; units must be strictly nested}}
    scf.for %j = %c0 to %n step %c1 {
    } {obs.map = #obs.map<warp, thread>}
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

obs.kernel @divergent_barrier(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[levels-barrier] a barrier of a block in code of level thread would be divergent}}
    obs.barrier block
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

obs.kernel @block_barrier_in_warp(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %w = %c0 to %n step %c1 {
      // expected-error@+1 {{[levels-barrier] a barrier of a block in code of level warp would be divergent}}
      obs.barrier block
    } {obs.map = #obs.map<block, warp>}
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @home_of_another_level(%n: index) {
  // expected-error@+1 {{[levels-home] an array of a block in code of level grid; it must be of the level of the code, below grid}}
  %m = memref.alloc() : memref<8xi32, #obs.home<block, shared>>
}

// -----

obs.kernel @no_home(%n: index) {
  // expected-error@+1 {{[levels-home] an array in a kernel has a static shape and the memory space #obs.home<_, _>}}
  %m = memref.alloc(%n) : memref<?xi32>
}

// -----

// Each warp would go another way, and some would miss a barrier of the block.
obs.kernel @divergent_condition(%n: index) {
  // expected-note@+1 {{the number}}
  %w = obs.worker_id <block, warp>
  %c = arith.cmpi eq, %w, %n : index
  // expected-error@+1 {{[levels-uniform] depends on the number of a warp, in code of level grid; only the lower bound of a loop over units may}}
  scf.if %c {
    obs.barrier block
  }
}
