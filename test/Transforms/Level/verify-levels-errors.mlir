// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-verify-levels

obs.kernel @barrier_of_warp_in_leaf(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[levels-barrier] a barrier of a warp in code of level thread would be divergent}}
    obs.barrier warp
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

// A ticket has a barrier of the block.
obs.kernel @ticket_in_leaf(%n: index, %counter: memref<1xi32>, %cell: memref<index, #obs.home<block, shared>>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[levels-barrier] a barrier of a block in code of level thread would be divergent}}
    %t = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

// Each thread of the block would arrive.
obs.kernel @arrive_in_block_code(%n: index, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // expected-error@+1 {{[levels-exchange] stands in code of level block, all threads of which would execute it}}
    %t = obs.arrive %counter[%c0] after %n : memref<1xi32>
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @publish_in_grid_code(%x: i32, %m: memref<?xi32>, %flags: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{[levels-exchange] stands in code of level grid, all threads of which would execute it}}
  obs.publish %x in %m flag %flags[%c0] = 1 : i32 in memref<?xi32> flag memref<?xi32>
}

// -----

obs.kernel @await_in_block_code(%n: index, %x: i32, %m: memref<?xi32>, %flags: memref<?xi32>) {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // expected-error@+1 {{[levels-exchange] stands in code of level block, all threads of which would execute it}}
    %f, %v = obs.await %m flag %flags[%i] >= %x : memref<?xi32> flag memref<?xi32> -> i32
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @leaf_in_leaf(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[levels-nesting] spreads units of level thread over a block in code of level thread}}
    scf.forall (%j) in (%n) {
    } {mapping = [#obs.map<block, thread>]}
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

// Lanes of which warp?
obs.kernel @lanes_in_block_code(%n: index) {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // expected-error@+1 {{[levels-nesting] spreads units of level thread over a warp in code of level block}}
    scf.forall (%l) in (%n) {
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @threads_are_leaves(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[levels-leaf] a loop over blocks or warps is an scf.for without results}}
  scf.for %i = %c0 to %n step %c1 {
  } {obs.map = #obs.map<grid, thread>}
}

// -----

// Two warps of the block would disagree about the barrier.
obs.kernel @branch_by_warp(%n: index) {
  %c0 = arith.constant 0 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // expected-note@+1 {{the number}}
    %w = obs.worker_id <block, warp>
    %first = arith.cmpi eq, %w, %c0 : index
    // expected-error@+1 {{[levels-uniform] depends on the number of a warp, in code of level block; only the lower bound of a loop over units may}}
    scf.if %first {
      obs.barrier block
    }
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @trips_by_warp(%n: index) {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    // expected-note@+1 {{the number}}
    %w = obs.worker_id <block, warp>
    // expected-error@+1 {{[levels-uniform] depends on the number of a warp}}
    scf.for %j = %i to %w step %bs {
    }
  } {obs.map = #obs.map<grid, block>}
}

// -----

obs.kernel @thread_number(%n: index) {
  // expected-error@+1 {{[levels-uniform] threads have no numbers in level IR; spread the iterations of an scf.forall}}
  %t = gpu.thread_id x
}

// -----

obs.kernel @block_array_in_leaf(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@+1 {{[levels-home] an array of a block in code of level thread; it must be of the level of the code, below grid}}
    %a = memref.alloc() : memref<4xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<grid, thread>]}
}

// -----

obs.kernel @no_home() {
  // expected-error@+1 {{[levels-home] an array in a kernel has a static shape and the memory space #obs.home<_, _>}}
  %a = memref.alloc() : memref<4xf32>
}

// -----

obs.kernel @unsigned(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{[levels-signed] compares unsigned numbers; count its iterations from 0}}
  scf.for unsigned %i = %c0 to %n step %c1 {
  }
}
