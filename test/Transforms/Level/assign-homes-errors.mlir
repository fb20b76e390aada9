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
      // expected-note@+1 {{it is written here by other lanes than hold the elements: lane l holds l, l + 32, and so on}}
      memref.store %x, %a[%e] : memref<64xf32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}

// -----

obs.kernel @shared_by_threads(%x: f32) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<32xf32, #obs.home<block, registers>>
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : memref<32xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %e = arith.subi %c31, %t : index
    // expected-note@+1 {{it has an element that thread 31 uses, and here thread 0}}
    %y = memref.load %a[%e] : memref<32xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @uniform(%x: f32) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<1xf32, #obs.home<block, registers>>
  scf.forall (%t) in (1) {
    memref.store %x, %a[%t] : memref<1xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  // expected-note@+1 {{it is read here by all threads}}
  %y = memref.load %a[%c0] : memref<1xf32, #obs.home<block, registers>>
}

// -----

obs.kernel @by_warps(%x: f32) attributes {threads = 64 : i64} {
  %c3 = arith.constant 3 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.for %j = %w to %c3 step %ws {
    scf.forall (%t) in (32) {
      // expected-note@+1 {{it is used here by the lanes of warps, in a loop of more iterations than the block has warps}}
      memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}

// -----

obs.kernel @any_extent(%x: f32, %n: index) attributes {threads = 64 : i64} {
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (%n) {
    // expected-note@+1 {{it is used here in a loop whose extent is not a constant}}
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @any_index(%x: f32, %n: index) attributes {threads = 64 : i64} {
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    %e = arith.xori %t, %n : index
    // expected-note@+1 {{it is used here at an index that depends on more than the iteration}}
    memref.store %x, %a[%e] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @by_thread(%x: f32) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  // expected-error@+2 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  // expected-note@+1 {{it has elements of one thread, 0 and 32, that no constant tells apart}}
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %odd = arith.andi %t, %c1 : index
    %far = arith.shli %odd, %c5 : index
    %e = arith.xori %t, %far : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

// 33 elements of 64 bits are 66 registers.
obs.kernel @many_registers(%x: f64) attributes {threads = 32 : i64} {
  // expected-error@+2 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  // expected-note@+1 {{it takes 66 registers of each thread, more than 64}}
  %a = memref.alloc() : memref<1056xf64, #obs.home<block, registers>>
  scf.forall (%t) in (1056) {
    memref.store %x, %a[%t] : memref<1056xf64, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @many_steps(%x: f32) attributes {threads = 32 : i64} {
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %a = memref.alloc() : memref<2080xf32, #obs.home<block, registers>>
  scf.forall (%t) in (2080) {
    // expected-note@+1 {{it is used here in a loop of more than 64 iterations for each thread}}
    memref.store %x, %a[%t] : memref<2080xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

obs.kernel @both_slots(%x: f32, %out: memref<64xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+2 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  // expected-note@+1 {{it is carried by a loop that reads the old array after it has written the new one}}
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %other = arith.subi %c1, %slot : index
    scf.forall (%t) in (64) {
      memref.store %x, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, registers>>
      %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, registers>>
      memref.store %y, %out[%t] : memref<64xf32>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
}

// -----

obs.kernel @turned_ring(%x: f32, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-error@+1 {{[force-storage] an array of a block cannot live in registers as it is used; it can live in shared}}
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %other = arith.subi %c1, %slot : index
    scf.forall (%t) in (64) {
      %e = arith.xori %t, %c32 : index
      // expected-note@+1 {{it has an element that is read here in one iteration and written in another one}}
      %y = memref.load %ring[%slot, %e] : memref<2x64xf32, #obs.home<block, registers>>
      memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, registers>>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
}

// -----

// With two elements in each lane the data would have to choose a register.
obs.kernel @by_data(%x: f32, %places: memref<64xindex>) {
  %c4 = arith.constant 4 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  scf.for %j = %w to %c4 step %ws {
    // expected-remark@+1 {{an array of a warp lives in shared memory}}
    %b = memref.alloc() : memref<64xf32, #obs.home<warp, auto>>
    // expected-error@+1 {{[force-storage] an array of a warp cannot live in registers as it is used; it can live in shared}}
    %a = memref.alloc() : memref<64xf32, #obs.home<warp, registers>>
    scf.forall (%t) in (64) {
      memref.store %x, %a[%t] : memref<64xf32, #obs.home<warp, registers>>
      memref.store %x, %b[%t] : memref<64xf32, #obs.home<warp, auto>>
    } {mapping = [#obs.map<warp, thread>]}
    scf.forall (%t) in (64) {
      %e = memref.load %places[%t] : memref<64xindex>
      // expected-note@+1 {{it is read here at an index that depends on more than the iteration, and so on which of the 2 registers of a lane; of at most 32 elements a shuffle finds the one}}
      %y = memref.load %b[%e] : memref<64xf32, #obs.home<warp, auto>>
      // expected-note@+1 {{it is read here at an index that depends on more than the iteration, and so on which of the 2 registers of a lane; of at most 32 elements a shuffle finds the one}}
      %z = memref.load %a[%e] : memref<64xf32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}

// -----

obs.kernel @many_in_lanes(%x: f32) {
  %c4 = arith.constant 4 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  scf.for %j = %w to %c4 step %ws {
    // expected-error@+2 {{[force-storage] an array of a warp cannot live in registers as it is used; it can live in shared}}
    // expected-note@+1 {{it has 33 elements in each lane, more than 32}}
    %a = memref.alloc() : memref<1056xf32, #obs.home<warp, registers>>
    scf.forall (%t) in (32) {
      memref.store %x, %a[%t] : memref<1056xf32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}
