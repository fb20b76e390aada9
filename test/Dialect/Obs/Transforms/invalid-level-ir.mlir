// What obs-verify-levels finds.
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
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @block_barrier_in_warp(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %w = %c0 to %n step %c1 {
    // expected-error@+1 {{[levels-barrier] a barrier of a block in code of level warp would be divergent}}
    obs.barrier block
  } {obs.map = #obs.map<block, warp>}
}
