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

// Each of 32 threads has elements t and t + 32.
// CHECK-LABEL: obs.kernel @two_each
// CHECK: memref.alloc() {obs.registers = 2 : i64} : memref<64xf32, #obs.home<block, registers>>
obs.kernel @two_each(%x: f32) attributes {threads = 32 : i64} {
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// Thread t - 1 reads an element that thread t writes.
// CHECK-LABEL: obs.kernel @neighbour
// CHECK: memref.alloc() : memref<65xf32, #obs.home<block, shared>>
obs.kernel @neighbour(%x: f32, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<65xf32, #obs.home<block, auto>>
  scf.forall (%t) in (65) {
    memref.store %x, %a[%t] : memref<65xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %e = arith.addi %t, %c1 : index
    %y = memref.load %a[%e] : memref<65xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// The element that is 32 away is of the same thread, in its other register.
// CHECK-LABEL: obs.kernel @turned
// CHECK: memref.alloc() {obs.registers = 2 : i64} : memref<64xf32, #obs.home<block, registers>>
obs.kernel @turned(%x: f32, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %e = arith.xori %t, %c32 : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// In a ring whose slots are the same registers, that would read new elements.
// CHECK-LABEL: obs.kernel @turned_ring
// CHECK: memref.alloc() : memref<2x64xf32, #obs.home<block, shared>>
obs.kernel @turned_ring(%x: f32, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %other = arith.subi %c1, %slot : index
    scf.forall (%t) in (64) {
      %e = arith.xori %t, %c32 : index
      %y = memref.load %ring[%slot, %e] : memref<2x64xf32, #obs.home<block, auto>>
      memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
}

// The number of the register that a thread reads must not depend on the thread.
// CHECK-LABEL: obs.kernel @by_thread
// CHECK: memref.alloc() : memref<64xf32, #obs.home<block, shared>>
obs.kernel @by_thread(%x: f32, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %odd = arith.andi %t, %c1 : index
    %far = arith.shli %odd, %c5 : index
    %e = arith.xori %t, %far : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// Runs of two neighbours.
// CHECK-LABEL: obs.kernel @blocked
// CHECK: memref.alloc() {obs.registers = 2 : i64} : memref<64xf32, #obs.home<block, registers>>
obs.kernel @blocked(%x: f32, %out: memref<32xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
  scf.forall (%t) in (32) {
    %e = arith.shli %t, %c1 : index
    %f = arith.addi %e, %c1 : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, auto>>
    %z = memref.load %a[%f] : memref<64xf32, #obs.home<block, auto>>
    %s = arith.addf %y, %z : f32
    memref.store %s, %out[%t] : memref<32xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// 17 steps are more than are written out without being asked for.
// CHECK-LABEL: obs.kernel @many
// CHECK: memref.alloc() : memref<544xf32, #obs.home<block, shared>>
// CHECK: memref.alloc() {obs.registers = 17 : i64} : memref<544xf32, #obs.home<block, registers>>
obs.kernel @many(%x: f32) attributes {threads = 32 : i64} {
  %a = memref.alloc() : memref<544xf32, #obs.home<block, auto>>
  %b = memref.alloc() : memref<544xf32, #obs.home<block, registers>>
  scf.forall (%t) in (544) {
    memref.store %x, %a[%t] : memref<544xf32, #obs.home<block, auto>>
    memref.store %x, %b[%t] : memref<544xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// 32 sums of each thread, and a loop in the body: its copies share the reads of
// %p. With 65 steps, they are too many.
// CHECK-LABEL: obs.kernel @sums
// CHECK: memref.alloc() {obs.registers = 32 : i64} : memref<1024xf32, #obs.home<block, registers>>
// CHECK: memref.alloc() : memref<2080xf32, #obs.home<block, shared>>
obs.kernel @sums(%p: memref<16xf32>, %q: memref<2080xf32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1024xf32, #obs.home<block, auto>>
  %b = memref.alloc() : memref<2080xf32, #obs.home<block, auto>>
  scf.forall (%t) in (1024) {
    %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%old = %zero) -> f32 {
      %x = memref.load %p[%k] : memref<16xf32>
      %new = arith.addf %old, %x : f32
      scf.yield %new : f32
    }
    memref.store %s, %a[%t] : memref<1024xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (1024) {
    %s = memref.load %a[%t] : memref<1024xf32, #obs.home<block, auto>>
    memref.store %s, %q[%t] : memref<2080xf32>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (2080) {
    %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%old = %zero) -> f32 {
      %x = memref.load %p[%k] : memref<16xf32>
      %new = arith.addf %old, %x : f32
      scf.yield %new : f32
    }
    memref.store %s, %b[%t] : memref<2080xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (2080) {
    %s = memref.load %b[%t] : memref<2080xf32, #obs.home<block, auto>>
    memref.store %s, %q[%t] : memref<2080xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// 1024 threads have 64 registers each: half of them are for arrays.
// CHECK-LABEL: obs.kernel @large
// CHECK-COUNT-2: memref.alloc() {obs.registers = 16 : i64} : memref<16384xf32, #obs.home<block, registers>>
// CHECK: memref.alloc() : memref<16384xf32, #obs.home<block, shared>>
// CHECK: memref.alloc() : memref<1024xf32, #obs.home<block, registers>>
obs.kernel @large(%x: f32) attributes {threads = 1024 : i64} {
  %a = memref.alloc() : memref<16384xf32, #obs.home<block, auto>>
  %b = memref.alloc() : memref<16384xf32, #obs.home<block, auto>>
  %c = memref.alloc() : memref<16384xf32, #obs.home<block, auto>>
  %d = memref.alloc() : memref<1024xf32, #obs.home<block, auto>>
  scf.forall (%t) in (16384) {
    memref.store %x, %a[%t] : memref<16384xf32, #obs.home<block, auto>>
    memref.store %x, %b[%t] : memref<16384xf32, #obs.home<block, auto>>
    memref.store %x, %c[%t] : memref<16384xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (1024) {
    memref.store %x, %d[%t] : memref<1024xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// A loop in the loop carries the ring on; the slot of the array is known anyway.
// CHECK-LABEL: obs.kernel @nested
// CHECK: memref.alloc() : memref<2x64xf32, #obs.home<block, registers>>
obs.kernel @nested(%out: memref<64xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %zero, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %inner = scf.for %l = %c0 to %k step %c1 iter_args(%s = %slot) -> index {
      %other = arith.subi %c1, %s : index
      scf.forall (%t) in (64) {
        %y = memref.load %ring[%s, %t] : memref<2x64xf32, #obs.home<block, auto>>
        memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
      } {mapping = [#obs.map<block, thread>]}
      scf.yield %other : index
    }
    %next = arith.subi %c1, %inner : index
    scf.forall (%t) in (64) {
      %y = memref.load %ring[%inner, %t] : memref<2x64xf32, #obs.home<block, auto>>
      memref.store %y, %ring[%next, %t] : memref<2x64xf32, #obs.home<block, auto>>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %next : index
  }
  scf.forall (%t) in (64) {
    %y = memref.load %ring[%end, %t] : memref<2x64xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}

// Behind the inner loop, the elements from before it are read.
// CHECK-LABEL: obs.kernel @nested_old
// CHECK: memref.alloc() : memref<2x64xf32, #obs.home<block, shared>>
obs.kernel @nested_old(%out: memref<64xf32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<2x64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %zero, %ring[%c0, %t] : memref<2x64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%slot = %c0) -> index {
    %inner = scf.for %l = %c0 to %k step %c1 iter_args(%s = %slot) -> index {
      %other = arith.subi %c1, %s : index
      scf.forall (%t) in (64) {
        %y = memref.load %ring[%s, %t] : memref<2x64xf32, #obs.home<block, auto>>
        memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
      } {mapping = [#obs.map<block, thread>]}
      scf.yield %other : index
    }
    scf.forall (%t) in (64) {
      %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, auto>>
      memref.store %y, %out[%t] : memref<64xf32>
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %inner : index
  }
}

// Each arm reads the old array before it writes the new one.
// CHECK-LABEL: obs.kernel @arms
// CHECK: memref.alloc() : memref<2x64xf32, #obs.home<block, registers>>
obs.kernel @arms(%out: memref<64xf32>, %n: index, %c: i1) attributes {threads = 64 : i64} {
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
      scf.if %c {
        %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, auto>>
        memref.store %y, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
      } else {
        %y = memref.load %ring[%slot, %t] : memref<2x64xf32, #obs.home<block, auto>>
        %z = arith.negf %y : f32
        memref.store %z, %ring[%other, %t] : memref<2x64xf32, #obs.home<block, auto>>
      }
    } {mapping = [#obs.map<block, thread>]}
    scf.yield %other : index
  }
  scf.forall (%t) in (64) {
    %y = memref.load %ring[%end, %t] : memref<2x64xf32, #obs.home<block, auto>>
    memref.store %y, %out[%t] : memref<64xf32>
  } {mapping = [#obs.map<block, thread>]}
}
