// Atomic updates of one width may meet each other. They may not meet plain reads
// and writes, nor atomic updates of another width, and a barrier of a block says
// nothing about other blocks.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Thread 0 clears the counter, and others may count before.
  gpu.func @clear(%one: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %zero, %a[%c0] : memref<1xi32, #shared>
    }
    // expected-error @+1 {{[race] atomic update of shared memory by another thread of the warp reaches what this access also reaches}}
    %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<1xi32, #shared>) -> i32
    gpu.return
  }
  // expected-remark @+1 {{kernel 'clear_mended' is proved free of races}}
  gpu.func @clear_mended(%one: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %zero, %a[%c0] : memref<1xi32, #shared>
    }
    gpu.barrier
    %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<1xi32, #shared>) -> i32
    gpu.return
  }

  // A histogram is read after the warp has waited: the other warp still counts.
  gpu.func @histogram(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %one = arith.constant 1 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16xi32, #shared>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %x = memref.load %in[%t] : memref<64xi32>
    %key = arith.index_cast %x : i32 to index
    %i = arith.andi %key, %c15 : index
    // expected-note @+1 {{the first access is the atomic update here}}
    %old = memref.atomic_rmw addi %one, %a[%i] : (i32, memref<16xi32, #shared>) -> i32
    nvvm.bar.warp.sync %mask : i32
    %j = arith.andi %t, %c15 : index
    // expected-error @+1 {{[race-unproved] read of shared memory by another warp of the block could not be proved to stay away from what this access reaches}}
    %y = memref.load %a[%j] : memref<16xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'histogram_mended' is proved free of races}}
  gpu.func @histogram_mended(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16xi32, #shared>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %x = memref.load %in[%t] : memref<64xi32>
    %key = arith.index_cast %x : i32 to index
    %i = arith.andi %key, %c15 : index
    %old = memref.atomic_rmw addi %one, %a[%i] : (i32, memref<16xi32, #shared>) -> i32
    gpu.barrier
    %j = arith.andi %t, %c15 : index
    %y = memref.load %a[%j] : memref<16xi32, #shared>
    gpu.return
  }

  // Updates of 4 bytes, and of 2 bytes of the same words.
  gpu.func @words_and_halves(%v: i32, %w: i16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi16, #shared>
    // expected-note @+1 {{the first access is the atomic update here}}
    %x = memref.atomic_rmw addi %v, %a[%c0] : (i32, memref<16xi32, #shared>) -> i32
    // expected-error @+1 {{[race] atomic update of shared memory by another thread of the warp reaches what this access also reaches}}
    %y = memref.generic_atomic_rmw %b[%t] : memref<32xi16, #shared> {
    ^bb0(%old: i16):
      %new = arith.addi %old, %w : i16
      memref.atomic_yield %new : i16
    }
    gpu.return
  }
  // Updates of 4 bytes as integers and as floating-point numbers.
  // expected-remark @+1 {{kernel 'words_and_halves_mended' is proved free of races}}
  gpu.func @words_and_halves_mended(%v: i32, %w: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16xf32, #shared>
    %x = memref.atomic_rmw maxs %v, %a[%c0] : (i32, memref<16xi32, #shared>) -> i32
    %y = memref.atomic_rmw addf %w, %b[%c0] : (f32, memref<16xf32, #shared>) -> f32
    gpu.return
  }

  // All threads count by a read and a write.
  gpu.func @not_atomic(%one: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    // expected-note @+1 {{the first access is the read here}}
    %old = memref.load %a[%c0] : memref<1xi32, #shared>
    %new = arith.addi %old, %one : i32
    // expected-error @+3 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %new, %a[%c0] : memref<1xi32, #shared>
    gpu.return
  }

  // Each iteration counts and reads the counter, and the next one counts while others
  // still read it.
  gpu.func @turns(%one: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{[race] atomic update of shared memory by another thread of the warp reaches what this access also reaches}}
      %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<1xi32, #shared>) -> i32
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%c0] : memref<1xi32, #shared>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'turns_mended' is proved free of races}}
  gpu.func @turns_mended(%one: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<1xi32, #shared>) -> i32
      gpu.barrier
      %x = memref.load %a[%c0] : memref<1xi32, #shared>
      gpu.barrier
    }
    gpu.return
  }

  // The barrier is one of the block, and other blocks still count.
  gpu.func @total(%sum: memref<i32>, %one: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-note @+1 {{the first access is the atomic update here}}
    %old = memref.atomic_rmw addi %one, %sum[] : (i32, memref<i32>) -> i32
    gpu.barrier
    // expected-error @+1 {{[race] read of global memory by another block reaches what this access also reaches}}
    %x = memref.load %sum[] : memref<i32>
    gpu.return
  }

  // The first block sets the sum back while other blocks count.
  gpu.func @set_back(%sum: memref<i32>, %one: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.addi %t, %b : index
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %zero, %sum[] : memref<i32>
    }
    gpu.barrier
    // expected-error @+1 {{[race] atomic update of global memory by another block reaches what this access also reaches}}
    %old = memref.atomic_rmw addi %one, %sum[] : (i32, memref<i32>) -> i32
    gpu.return
  }
  // Each block has a sum of its own.
  // expected-remark @+1 {{kernel 'set_back_mended' is proved free of races}}
  gpu.func @set_back_mended(%sum: memref<i32>, %n: index, %one: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %sums = memref.reinterpret_cast %sum to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %isIn = arith.cmpi ult, %b, %n : index
    scf.if %isIn {
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isFirst {
        memref.store %zero, %sums[%b] : memref<?xi32>
      }
      gpu.barrier
      %old = memref.atomic_rmw addi %one, %sums[%b] : (i32, memref<?xi32>) -> i32
    }
    gpu.return
  }

  // Four counters are read as one vector by the thread that counts in the last one.
  gpu.func @vector_of_counters(%one: i32) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<4xi32, #shared>
    // expected-note @+1 {{the first access is the atomic update here}}
    %old = memref.atomic_rmw addi %one, %a[%t] : (i32, memref<4xi32, #shared>) -> i32
    %isLast = arith.cmpi eq, %t, %c3 : index
    scf.if %isLast {
      // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
      %x = vector.load %a[%c0] : memref<4xi32, #shared>, vector<4xi32>
    }
    gpu.return
  }
}
