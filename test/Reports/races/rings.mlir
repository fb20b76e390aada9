// A shared array has several slots that iterations of a loop take one after the other.
// The slots that are written and read between two barriers meet: the parity is off
// by one, there is a slot too few, or slots overlap.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Iteration i writes slot i mod 2 and reads the other one, which iteration i + 1 writes
  // without a barrier in between.
  gpu.func @parity(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c2 : index
      %i1 = arith.addi %i, %c1 : index
      %free = arith.remui %i1, %c2 : index
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%free, %other] : memref<2x64xi32, #shared>
    }
    gpu.return
  }
  // It reads what it has written.
  // expected-remark @+1 {{kernel 'parity_mended' is proved free of races}}
  gpu.func @parity_mended(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c2 : index
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
    }
    gpu.return
  }

  // The slot changes in every other iteration only.
  gpu.func @half_as_often(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %half = arith.divui %i, %c2 : index
      %slot = arith.remui %half, %c2 : index
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
    }
    gpu.return
  }

  // The loop counts in steps of 2, so the parity of its number never changes.
  gpu.func @steps_of_two(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    scf.for %i = %c0 to %n step %c2 {
      %slot = arith.remui %i, %c2 : index
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
    }
    gpu.return
  }

  // An iteration reads slot i mod 3, and fills the slot of the second one after it.
  // With i + 3 in the place of i + 2 these are one slot.
  gpu.func @three_ahead(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c12 = arith.constant 12 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<3x64xi32, #shared>
    scf.for %i = %c0 to %c12 step %c1 {
      gpu.barrier
      %slot = arith.remui %i, %c3 : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<3x64xi32, #shared>
      %ahead = arith.addi %i, %c3 : index
      %to = arith.remui %ahead, %c3 : index
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%to, %t] : memref<3x64xi32, #shared>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'three_ahead_mended' is proved free of races}}
  gpu.func @three_ahead_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c12 = arith.constant 12 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<3x64xi32, #shared>
    scf.for %i = %c0 to %c12 step %c1 {
      gpu.barrier
      %slot = arith.remui %i, %c3 : index
      %x = memref.load %a[%slot, %other] : memref<3x64xi32, #shared>
      %ahead = arith.addi %i, %c2 : index
      %to = arith.remui %ahead, %c3 : index
      memref.store %v, %a[%to, %t] : memref<3x64xi32, #shared>
    }
    gpu.return
  }
  // The number of iterations is known at run time only.
  // expected-remark @+1 {{kernel 'three_ahead_of_any' is proved free of races}}
  gpu.func @three_ahead_of_any(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<3x64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
      %slot = arith.remui %i, %c3 : index
      %x = memref.load %a[%slot, %other] : memref<3x64xi32, #shared>
      %ahead = arith.addi %i, %c2 : index
      %to = arith.remui %ahead, %c3 : index
      memref.store %v, %a[%to, %t] : memref<3x64xi32, #shared>
    }
    gpu.return
  }

  // A ring of as many slots as the launch says: with one, both are the same slot.
  gpu.func @any_slots(%v: i32, %slots: index, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<8x64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
      %slot = arith.remui %i, %slots : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<8x64xi32, #shared>
      %ahead = arith.addi %i, %c1 : index
      %to = arith.remui %ahead, %slots : index
      // expected-error @+1 {{[race-unproved] write of shared memory by another warp of the block could not be proved to stay away from what this access reaches}}
      memref.store %v, %a[%to, %t] : memref<8x64xi32, #shared>
    }
    gpu.return
  }

  // The first slot is filled before the loop, and the first iteration does not wait
  // before it reads it.
  gpu.func @prologue(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%c0, %t] : memref<2x64xi32, #shared>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
      %next = arith.subi %c1, %slot : index
      // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
      memref.store %x, %a[%next, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      scf.yield %next : index
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'prologue_mended' is proved free of races}}
  gpu.func @prologue_mended(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    memref.store %v, %a[%c0, %t] : memref<2x64xi32, #shared>
    gpu.barrier
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
      %next = arith.subi %c1, %slot : index
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
      memref.store %x, %a[%next, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      scf.yield %next : index
    }
    gpu.return
  }

  // After five iterations the slot that was read last is overwritten: the loop ends with
  // slot 0, and so does the store behind it.
  gpu.func @epilogue(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%slot = %c0) -> (index) {
      %next = arith.subi %c1, %slot : index
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
      scf.yield %next : index
    }
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
    memref.store %v, %a[%c0, %t] : memref<2x64xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'epilogue_mended' is proved free of races}}
  gpu.func @epilogue_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<2x64xi32, #shared>
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%slot = %c0) -> (index) {
      %next = arith.subi %c1, %slot : index
      memref.store %v, %a[%slot, %t] : memref<2x64xi32, #shared>
      gpu.barrier
      %x = memref.load %a[%slot, %other] : memref<2x64xi32, #shared>
      scf.yield %next : index
    }
    memref.store %v, %a[%last, %t] : memref<2x64xi32, #shared>
    gpu.return
  }

  // Slots of 64 elements begin 48 elements apart.
  gpu.func @slots_overlap(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c48 = arith.constant 48 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c2 : index
      %begin = arith.muli %slot, %c48 : index
      %to = arith.addi %begin, %t : index
      %from = arith.addi %begin, %other : index
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
      memref.store %v, %a[%to] : memref<128xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%from] : memref<128xi32, #shared>
    }
    gpu.return
  }
}
