// RUN: obs-opt %s --obs-place-barriers | FileCheck %s

!arena = memref<64xi32, #obs.home<block, shared>>
!ring = memref<2x64xi32, #obs.home<block, shared>>
!slice = memref<32xi32, #obs.home<warp, shared>>

// One exchange, one barrier, between the two leaf loops; its reason names both
// accesses.
// CHECK-LABEL: obs.kernel @read_after_write
obs.kernel @read_after_write(%in: memref<64xi32>, %out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    // CHECK: memref.alloc
    %a = memref.alloc() : !arena
    // CHECK-NOT: obs.barrier
    // CHECK: scf.forall
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: obs.barrier block {why = ["read after write of the array at place-barriers.mlir:[[#@LINE-7]]:10, written at place-barriers.mlir:[[#@LINE-2]]:7, read at place-barriers.mlir:[[#@LINE+4]]:12"]}
    // CHECK-NEXT: scf.forall
    scf.forall (%t) in (64) {
      %u = arith.subi %c63, %t : index
      %x = memref.load %a[%u] : !arena
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
    // CHECK-NOT: obs.barrier
  } {obs.map = #obs.map<grid, block>}
}

// The same thread writes and reads: iteration t of both loops is its own.
// CHECK-LABEL: obs.kernel @same_thread
// CHECK-NOT: obs.barrier
obs.kernel @same_thread(%in: memref<64xi32>, %out: memref<64xi32>, %n: index) {
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !arena
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %x = memref.load %a[%t] : !arena
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// A barrier is needed if the loops go to the threads in different ways.
// CHECK-LABEL: obs.kernel @other_distribution
// CHECK: obs.barrier block
obs.kernel @other_distribution(%in: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 48 : i64} {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
    scf.forall (%t) in (64) {
      %x = memref.load %a[%t] : !arena
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
  } {obs.map = #obs.map<grid, block>}
}

// The next iteration over blocks writes what this one may still read.
// CHECK-LABEL: obs.kernel @back_edge
obs.kernel @back_edge(%in: memref<64xi32>, %out: memref<64xi32>, %n: index) {
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %n step %bs {
    %a = memref.alloc() : !arena
    // CHECK: obs.barrier block {why = ["write after read of
    // CHECK-NEXT: scf.forall
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: obs.barrier block {why = ["read after write of
    // CHECK-NEXT: scf.forall
    scf.forall (%t) in (64) {
      %u = arith.subi %c63, %t : index
      %x = memref.load %a[%u] : !arena
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// All threads read the element that decides about the branch.
// CHECK-LABEL: obs.kernel @uniform_read
obs.kernel @uniform_read(%in: memref<64xi32>, %out: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: obs.barrier block
    // CHECK-NEXT: memref.load
    %x = memref.load %a[%c0] : !arena
    %positive = arith.cmpi sgt, %x, %z : i32
    scf.if %positive {
      // CHECK: scf.if
      // CHECK-NOT: obs.barrier
      scf.forall (%t) in (64) {
        %y = memref.load %a[%t] : !arena
        memref.store %y, %out[%t] : memref<64xi32>
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// Initial contents before the writes; the two writes of the force are disjoint.
// CHECK-LABEL: obs.kernel @initial_contents
obs.kernel @initial_contents(%in: memref<64xi32>, %out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %z = arith.constant 0 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.forall (%t) in (64) {
      memref.store %z, %a[%t] {obs.contract = "init"} : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: obs.barrier block {why = ["write after write
    scf.forall (%t) in (32) {
      %u = arith.subi %c63, %t : index
      memref.store %z, %a[%u] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK-NOT: obs.barrier
    scf.forall (%t) in (8) {
      memref.store %z, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Disjoint writes of one force in a loop need nothing between them.
// CHECK-LABEL: obs.kernel @loop_of_writes
// CHECK-NOT: obs.barrier
obs.kernel @loop_of_writes(%z: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.for %k = %c0 to %c8 step %c1 {
      scf.forall (%t) in (8) {
        %p = arith.muli %k, %c8 : index
        %u = arith.addi %p, %t : index
        memref.store %z, %a[%u] : !arena
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// A ring: slot s is read while slot 1 - s is written, so one barrier for each
// iteration is enough, and the read after the loop needs one more.
// CHECK-LABEL: obs.kernel @ring
obs.kernel @ring(%in: memref<64xi32>, %out: memref<64xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !ring
    // CHECK: memref.alloc
    // CHECK-NOT: obs.barrier
    // CHECK: scf.forall
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%c0, %t] : !ring
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: scf.for
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %c0) -> index {
      // CHECK: obs.barrier block
      // CHECK-NEXT: scf.forall
      %o = arith.subi %c1, %s : index
      scf.forall (%t) in (64) {
        %u = arith.subi %c63, %t : index
        %x = memref.load %a[%s, %u] : !ring
        memref.store %x, %a[%o, %t] : !ring
      } {mapping = [#obs.map<block, thread>]}
      // CHECK-NOT: obs.barrier
      // CHECK: scf.yield
      scf.yield %o : index
    }
    // CHECK: obs.barrier block
    // CHECK-NEXT: scf.forall
    scf.forall (%t) in (64) {
      %u = arith.subi %c63, %t : index
      %x = memref.load %a[%last, %u] : !ring
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Without the ring the reads of one iteration and its writes need two barriers.
// CHECK-LABEL: obs.kernel @in_place
obs.kernel @in_place(%in: memref<64xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    %c = memref.alloc() : !arena
    scf.for %k = %c0 to %n step %c1 {
      // CHECK: scf.for %{{.*}} = %c0
      // CHECK: obs.barrier block
      // CHECK-NEXT: scf.forall
      scf.forall (%t) in (64) {
        %u = arith.subi %c63, %t : index
        %x = memref.load %a[%u] : !arena
        memref.store %x, %c[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
      // CHECK: obs.barrier block
      // CHECK-NEXT: scf.forall
      scf.forall (%t) in (64) {
        %u = arith.subi %c63, %t : index
        %x = memref.load %c[%u] : !arena
        memref.store %x, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// Lanes exchange through the slice of their warp: a barrier of the warp, and one
// for the next iteration. Blocks need none.
// CHECK-LABEL: obs.kernel @warps
// CHECK-NOT: obs.barrier block
obs.kernel @warps(%in: memref<32xi32>, %out: memref<32xi32>, %n: index) {
  %c31 = arith.constant 31 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %n step %ws {
    %a = memref.alloc() : !slice
    // CHECK: obs.barrier warp {why = ["write after read
    // CHECK-NEXT: scf.forall
    scf.forall (%l) in (32) {
      %x = memref.load %in[%l] : memref<32xi32>
      memref.store %x, %a[%l] : !slice
    } {mapping = [#obs.map<warp, thread>]}
    // CHECK: obs.barrier warp {why = ["read after write
    // CHECK-NEXT: scf.forall
    scf.forall (%l) in (32) {
      %u = arith.subi %c31, %l : index
      %x = memref.load %a[%u] : !slice
      memref.store %x, %out[%l] : memref<32xi32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<grid, warp>}
  // CHECK-NOT: obs.barrier block
}

// An element that a warp writes into an array of its block waits for the block. Lane
// l of one warp is not lane l of another, although the loops look the same.
// CHECK-LABEL: obs.kernel @warps_to_block
obs.kernel @warps_to_block(%in: memref<32xi32>, %out: memref<32xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    %w = obs.worker_id <block, warp>
    %ws = obs.worker_count <block, warp>
    // CHECK-NOT: obs.barrier
    // CHECK: scf.forall
    scf.for %j = %w to %c1 step %ws {
      scf.forall (%l) in (32) {
        %x = memref.load %in[%l] : memref<32xi32>
        memref.store %x, %a[%l] : !arena
      } {mapping = [#obs.map<warp, thread>]}
    } {obs.map = #obs.map<block, warp>}
    // CHECK: obs.barrier block
    // CHECK-NEXT: scf.for
    scf.for %j = %w to %n step %ws {
      scf.forall (%l) in (32) {
        %x = memref.load %a[%l] : !arena
        memref.store %x, %out[%l] : memref<32xi32>
      } {mapping = [#obs.map<warp, thread>]}
    } {obs.map = #obs.map<block, warp>}
    // CHECK-NOT: obs.barrier
  } {obs.map = #obs.map<grid, block>}
}

// One arm writes, so what comes after waits.
// CHECK-LABEL: obs.kernel @branches
obs.kernel @branches(%flag: i1, %z: i32, %out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.if %flag {
      scf.forall (%t) in (64) {
        memref.store %z, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
    } else {
      // CHECK: else
      // CHECK-NOT: obs.barrier
      // CHECK: scf.forall
      scf.forall (%t) in (64) {
        %u = arith.subi %c63, %t : index
        memref.store %z, %a[%u] : !arena
      } {mapping = [#obs.map<block, thread>]}
    }
    // CHECK: }
    // CHECK: obs.barrier block
    scf.forall (%t) in (64) {
      %x = memref.load %a[%t] : !arena
      memref.store %x, %out[%t] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// The condition of a while reads what its body wrote.
// CHECK-LABEL: obs.kernel @while
obs.kernel @while(%in: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %i = %b to %c1 step %bs {
    %a = memref.alloc() : !arena
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: scf.while
    scf.while : () -> () {
      // CHECK-NEXT: obs.barrier block
      // CHECK-NEXT: memref.load
      %x = memref.load %a[%c0] : !arena
      %more = arith.cmpi sgt, %x, %z : i32
      scf.condition(%more)
    } do {
      // CHECK: obs.barrier block {why = ["write after read
      // CHECK-NEXT: scf.forall
      scf.forall (%t) in (64) {
        memref.store %z, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
      scf.yield
    }
  } {obs.map = #obs.map<grid, block>}
}

// A reader that runs in some iterations only: the write of the next iteration
// must wait for it, although the iteration in between has no reader.
// CHECK-LABEL: obs.kernel @reader_in_some_iterations
// CHECK: scf.if
// CHECK-NEXT: obs.barrier warp
// CHECK: arith.subi
// CHECK: arith.subi
// CHECK-NEXT: obs.barrier warp {why = [{{.*}}"write after read of the array
// CHECK-NEXT: scf.forall
obs.kernel @reader_in_some_iterations(%out: memref<?xi32>) attributes {threads = 96 : i64} {
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  %c0 = arith.constant 0 : index
  %x = arith.constant 0 : i32
  %ring = memref.alloc() : memref<2x16xi32, #obs.home<block, shared>>
  scf.forall (%i) in (16) {
    memref.store %x, %ring[%c0, %i] : memref<2x16xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %c0) -> (index) {
    %p = arith.remui %k, %c2 : index
    %odd = arith.cmpi eq, %p, %c1 : index
    %tmp = memref.alloc() : memref<16xi32, #obs.home<block, shared>>
    scf.if %odd {
      scf.forall (%i) in (16) {
        %j = arith.subi %c15, %i : index
        %v = memref.load %ring[%s, %j] : memref<2x16xi32, #obs.home<block, shared>>
        memref.store %v, %tmp[%i] : memref<16xi32, #obs.home<block, shared>>
      } {mapping = [#obs.map<block, thread>]}
    }
    %t = arith.subi %c1, %s : index
    scf.forall (%i) in (16) {
      %v = memref.load %tmp[%i] : memref<16xi32, #obs.home<block, shared>>
      memref.store %v, %ring[%t, %i] : memref<2x16xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %t : index
  }
}

// All threads are one warp, so a barrier of the warp is enough.
// CHECK-LABEL: obs.kernel @one_warp
// CHECK: obs.barrier warp {why = ["read after write
// CHECK-NOT: obs.barrier
obs.kernel @one_warp(%out: memref<?xi32>) attributes {threads = 32 : i64} {
  %c15 = arith.constant 15 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<16xi32, #obs.home<block, shared>>
  scf.forall (%i) in (16) {
    memref.store %x, %a[%i] : memref<16xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%i) in (16) {
    %j = arith.subi %c15, %i : index
    %v = memref.load %a[%j] : memref<16xi32, #obs.home<block, shared>>
    memref.store %v, %out[%i] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// One thread waits for nobody.
// CHECK-LABEL: obs.kernel @one_thread
// CHECK-NOT: obs.barrier
obs.kernel @one_thread(%out: memref<?xi32>) attributes {threads = 1 : i64} {
  %c15 = arith.constant 15 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<16xi32, #obs.home<block, shared>>
  scf.forall (%i) in (16) {
    memref.store %x, %a[%i] : memref<16xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%i) in (16) {
    %j = arith.subi %c15, %i : index
    %v = memref.load %a[%j] : memref<16xi32, #obs.home<block, shared>>
    memref.store %v, %out[%i] : memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// Element 2 i of the first loop goes to thread i, which then reads 2 i and
// 2 i + 1: the other element is a neighbour's, in the same warp.
// CHECK-LABEL: obs.kernel @pairs
// CHECK: obs.barrier warp {why = ["read after write
// CHECK-NOT: obs.barrier
obs.kernel @pairs(%out: memref<32xi32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
  scf.forall (%i) in (64) {
    memref.store %x, %a[%i] : memref<64xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%i) in (64) {
    %j = arith.xori %i, %c1 : index
    %v = memref.load %a[%j] : memref<64xi32, #obs.home<block, shared>>
    memref.store %v, %out[%i] : memref<32xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// The same across warps.
// CHECK-LABEL: obs.kernel @far_pairs
// CHECK: obs.barrier block {why = ["read after write
// CHECK-NOT: obs.barrier
obs.kernel @far_pairs(%out: memref<32xi32>) attributes {threads = 64 : i64} {
  %c32 = arith.constant 32 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
  scf.forall (%i) in (64) {
    memref.store %x, %a[%i] : memref<64xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%i) in (64) {
    %j = arith.xori %i, %c32 : index
    %v = memref.load %a[%j] : memref<64xi32, #obs.home<block, shared>>
    memref.store %v, %out[%i] : memref<32xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// The offset is any number that all threads agree on. The stride of the loop is
// any number below a warp.
// CHECK-LABEL: obs.kernel @symbolic
// CHECK: obs.barrier warp {why = ["read after write
// CHECK-NOT: obs.barrier block
obs.kernel @symbolic(%out: memref<32xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %x = arith.constant 0 : i32
  scf.for %k = %c0 to %c5 step %c1 {
    %a = memref.alloc() : memref<128xi32, #obs.home<block, shared>>
    %m = arith.shli %c1, %k : index
    scf.forall (%i) in (64) {
      %e = arith.addi %i, %n : index
      memref.store %x, %a[%e] : memref<128xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%i) in (64) {
      %j = arith.xori %i, %m : index
      %e = arith.addi %n, %j : index
      %v = memref.load %a[%e] : memref<128xi32, #obs.home<block, shared>>
      memref.store %v, %out[%i] : memref<32xi32>
    } {mapping = [#obs.map<block, thread>]}
  }
}

// Iteration t of both loops uses elements 2 t and 2 t + 1, but the second loop is
// run by the owners of what it writes.
// CHECK-LABEL: obs.kernel @by_owners
// CHECK: scf.forall
// CHECK: obs.barrier warp {why = ["read after write
// CHECK: scf.forall
obs.kernel @by_owners(%in: memref<32xi32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %w = obs.worker_id <grid, warp>
  %ws = obs.worker_count <grid, warp>
  scf.for %j = %w to %c1 step %ws {
    %a = memref.alloc() : memref<32xi32, #obs.home<warp, shared>>
    scf.forall (%t) in (16) {
      %x = memref.load %in[%t] : memref<32xi32>
      %i = arith.muli %t, %c2 : index
      %k = arith.addi %i, %c1 : index
      memref.store %x, %a[%i] : memref<32xi32, #obs.home<warp, shared>>
      memref.store %x, %a[%k] : memref<32xi32, #obs.home<warp, shared>>
    } {mapping = [#obs.map<warp, thread>]}
    %b = memref.alloc() : memref<32xi32, #obs.home<warp, registers>>
    scf.forall (%t) in (16) {
      %i = arith.muli %t, %c2 : index
      %k = arith.addi %i, %c1 : index
      %x = memref.load %a[%i] : memref<32xi32, #obs.home<warp, shared>>
      %y = memref.load %a[%k] : memref<32xi32, #obs.home<warp, shared>>
      memref.store %y, %b[%i] : memref<32xi32, #obs.home<warp, registers>>
      memref.store %x, %b[%k] : memref<32xi32, #obs.home<warp, registers>>
    } {mapping = [#obs.map<warp, thread>], obs.distribution = #obs.distribution<owners>}
  } {obs.map = #obs.map<grid, warp>}
}

// Barriers in the code of warps and those around it count for each other. Two are
// enough: between what writes %a and what reads it, and the same for %w. Each of them
// keeps accesses of the other array in one iteration from those in the next.
// CHECK-LABEL: obs.kernel @warps_in_a_loop
// CHECK-COUNT-2: obs.barrier warp
// CHECK-NOT: obs.barrier
obs.kernel @warps_in_a_loop(%out: memref<3x3xi32>) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 0 : i32
  %first = obs.worker_id <grid, block>
  %step = obs.worker_count <grid, block>
  scf.for %b = %first to %c3 step %step {
    %a = memref.alloc() : memref<3xi32, #obs.home<block, shared>>
    scf.forall (%t) in (3) {
      memref.store %x, %a[%t] : memref<3xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    %warp = obs.worker_id <block, warp>
    %warps = obs.worker_count <block, warp>
    scf.for %i = %warp to %c1 step %warps {
      %w = memref.alloc() : memref<3xi32, #obs.home<warp, shared>>
      scf.forall (%t) in (3) {
        %j = arith.subi %c2, %t : index
        %v = memref.load %a[%j] : memref<3xi32, #obs.home<block, shared>>
        memref.store %v, %w[%t] : memref<3xi32, #obs.home<warp, shared>>
      } {mapping = [#obs.map<warp, thread>]}
      scf.forall (%t) in (3) {
        %j = arith.subi %c2, %t : index
        %v = memref.load %w[%j] : memref<3xi32, #obs.home<warp, shared>>
        memref.store %v, %out[%b, %t] : memref<3x3xi32>
      } {mapping = [#obs.map<warp, thread>]}
    } {obs.map = #obs.map<block, warp>}
  } {obs.map = #obs.map<grid, block>}
}

// A branch that is never taken adds no barrier.
// CHECK-LABEL: obs.kernel @never
// CHECK-COUNT-2: obs.barrier block
// CHECK-NOT: obs.barrier
obs.kernel @never(%out: memref<2x64xi32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %x = arith.constant 0 : i32
  %first = obs.worker_id <grid, block>
  %step = obs.worker_count <grid, block>
  scf.for %b = %first to %c2 step %step {
    %half = arith.shrui %b, %c1 : index
    %c = arith.cmpi eq, %half, %c1 : index
    scf.if %c {
      %a = memref.alloc() : !arena
      scf.forall (%t) in (64) {
        memref.store %x, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
      scf.forall (%t) in (64) {
        %j = arith.subi %c63, %t : index
        %v = memref.load %a[%j] : !arena
        memref.store %v, %out[%b, %t] : memref<2x64xi32>
      } {mapping = [#obs.map<block, thread>]}
    }
    %d = arith.cmpi ult, %half, %c1 : index
    scf.if %d {
      %a = memref.alloc() : !arena
      scf.forall (%t) in (64) {
        memref.store %x, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
      scf.forall (%t) in (64) {
        %j = arith.subi %c63, %t : index
        %v = memref.load %a[%j] : !arena
        memref.store %v, %out[%b, %t] : memref<2x64xi32>
      } {mapping = [#obs.map<block, thread>]}
    } else {
      %a = memref.alloc() : !arena
      scf.forall (%t) in (64) {
        memref.store %x, %a[%t] : !arena
      } {mapping = [#obs.map<block, thread>]}
      scf.forall (%t) in (64) {
        %j = arith.subi %c63, %t : index
        %v = memref.load %a[%j] : !arena
        memref.store %v, %out[%b, %t] : memref<2x64xi32>
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// One warp runs all iterations of a loop over warps, however many. A lane reads
// behind it an element that it has written itself.
// CHECK-LABEL: obs.kernel @all_turns_of_one_warp
// CHECK-NOT: obs.barrier
obs.kernel @all_turns_of_one_warp(%n: index, %in: memref<?x64xi32>, %out: memref<64xi32>) attributes {threads = 32 : i64} {
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !arena
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] {obs.contract = "init"} : !arena
  } {mapping = [#obs.map<block, thread>]}
  %warp = obs.worker_id <block, warp>
  %warps = obs.worker_count <block, warp>
  scf.for %i = %warp to %n step %warps {
    scf.forall (%t) in (64) {
      %v = memref.load %in[%i, %t] : memref<?x64xi32>
      %old = memref.atomic_rmw addi %v, %a[%t] : (i32, !arena) -> i32
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
  scf.forall (%t) in (64) {
    %v = memref.load %a[%t] : !arena
    memref.store %v, %out[%t] : memref<64xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// Readers of published results wait for a flag of the writer, not at a barrier.
// CHECK-LABEL: obs.kernel @published
// CHECK-NOT: obs.barrier
obs.kernel @published(%m: memref<?xi32>, %flags: memref<?xi32>, %out: memref<64xi32>) attributes {threads = 64 : i64} {
  %x = arith.constant 1 : i32
  %c63 = arith.constant 63 : index
  scf.forall (%t) in (64) {
    obs.publish %x in %m flag %flags[%t] = 1 : i32 in memref<?xi32> flag memref<?xi32>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %j = arith.subi %c63, %t : index
    %f, %v = obs.await %m flag %flags[%j] >= %x : memref<?xi32> flag memref<?xi32> -> i32
    memref.store %v, %out[%t] : memref<64xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// The last block reads the parts after all of them are written, and no part is written afterwards. Only the cell needs a
// barrier. Another array of the same indices needs one, too.
// CHECK-LABEL: obs.kernel @last_block
// CHECK: scf.for
// CHECK: obs.barrier block {why = ["write after read of the array at
// CHECK-NOT: of argument 0
// CHECK: obs.arrive
// CHECK: obs.barrier block {why = ["read after write of argument 1{{[^"]*}}"]}
// CHECK-NOT: obs.barrier
obs.kernel @last_block(%parts: memref<64xi32>, %other: memref<64xi32>, %counter: memref<1xi32>, %out: memref<64xi32>, %x: i32, %n: index, %last: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %k = %b to %n step %bs {
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    scf.forall (%t) in (1) {
      memref.store %x, %parts[%k] : memref<64xi32>
    } {mapping = [#obs.map<block, thread>]}
    %isLast = obs.arrive %counter[%c0] after %last via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
    scf.if %isLast {
      scf.forall (%t) in (64) {
        memref.store %x, %other[%t] : memref<64xi32>
      } {mapping = [#obs.map<block, thread>]}
      scf.forall (%t) in (64) {
        %j = arith.subi %c63, %t : index
        %v = memref.load %parts[%j] : memref<64xi32>
        %w = memref.load %other[%j] : memref<64xi32>
        %s = arith.addi %v, %w : i32
        memref.store %s, %out[%t] : memref<64xi32>
      } {mapping = [#obs.map<block, thread>]}
    }
  } {obs.map = #obs.map<grid, block>}
}

// A ticket has a barrier in itself, after its thread has stored the number: none is needed for the array that was written
// before. Threads may still read both when the next iteration begins.
// CHECK-LABEL: obs.kernel @tickets
obs.kernel @tickets(%counter: memref<1xi32>, %in: memref<64xi32>, %out: memref<?x64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  // CHECK: scf.for
  scf.for %k = %b to %n step %bs {
    %a = memref.alloc() : !arena
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    // CHECK: obs.barrier block {why = [
    // CHECK-SAME: "write after read of the array at place-barriers.mlir:[[#@LINE-3]]:10,
    // CHECK-SAME: "write after read of the array at place-barriers.mlir:[[#@LINE-3]]:13, read at place-barriers.mlir:[[#@LINE+9]]:10, written at place-barriers.mlir:[[#@LINE+9]]:10"]}
    // CHECK-NEXT: scf.forall
    // CHECK-NOT: obs.barrier
    scf.forall (%t) in (64) {
      %x = memref.load %in[%t] : memref<64xi32>
      memref.store %x, %a[%t] : !arena
    } {mapping = [#obs.map<block, thread>]}
    // CHECK: obs.ticket
    // CHECK-NOT: obs.barrier
    %i = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
    scf.forall (%t) in (64) {
      %u = arith.subi %c63, %t : index
      %x = memref.load %a[%u] : !arena
      memref.store %x, %out[%i, %t] : memref<?x64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// Without another barrier in the loop, one stands before the ticket itself.
// CHECK-LABEL: obs.kernel @tickets_alone
// CHECK: scf.for
// CHECK: obs.barrier block
// CHECK-NEXT: obs.ticket
// CHECK-NOT: obs.barrier
obs.kernel @tickets_alone(%counter: memref<1xi32>, %out: memref<?x64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %k = %b to %n step %bs {
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    %i = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
    scf.forall (%t) in (64) {
      memref.store %x, %out[%i, %t] : memref<?x64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}

// The only iteration needs none, and a block of one thread none.
// CHECK-LABEL: obs.kernel @one_ticket
// CHECK-NOT: obs.barrier
obs.kernel @one_ticket(%counter: memref<1xi32>, %out: memref<?x64xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i32
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %k = %b to %c1 step %bs {
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    %i = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
    scf.forall (%t) in (64) {
      memref.store %x, %out[%i, %t] : memref<?x64xi32>
    } {mapping = [#obs.map<block, thread>]}
  } {obs.map = #obs.map<grid, block>}
}
// CHECK-LABEL: obs.kernel @tickets_of_thread
// CHECK-NOT: obs.barrier
obs.kernel @tickets_of_thread(%counter: memref<1xi32>, %n: index) attributes {threads = 1 : i64} {
  %c0 = arith.constant 0 : index
  %b = obs.worker_id <grid, block>
  %bs = obs.worker_count <grid, block>
  scf.for %k = %b to %n step %bs {
    %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
    %i = obs.ticket %counter[%c0] via %cell : memref<1xi32>, memref<index, #obs.home<block, shared>>
  } {obs.map = #obs.map<grid, block>}
}
