// Blocks do not wait for each other. Several of them write one element of global
// memory, or one reads what another one writes: the number of the block is left
// out, or loops over the grid go on by another number than the blocks take.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

gpu.module @kernels {
  // Every block writes the first 64 elements.
  gpu.func @no_block(%p: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %t = gpu.thread_id x
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32>
    gpu.return
  }
  // Only the first block does.
  // expected-remark @+1 {{kernel 'no_block_mended' is proved free of races}}
  gpu.func @no_block_mended(%p: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      memref.store %v, %a[%t] : memref<64xi32>
    }
    gpu.return
  }

  // Blocks of 64 threads begin 32 elements apart.
  gpu.func @chunks_overlap(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c32 : index
    %i = arith.addi %first, %t : index
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }

  // The step of the loop is half of what the grid takes at a time.
  gpu.func @stride_too_small(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    %first = arith.muli %b, %c64 : index
    %start = arith.addi %first, %t : index
    %step = arith.muli %g, %c32 : index
    scf.for %i = %start to %n step %step {
      // expected-error @+2 {{[race-unproved] write of global memory by another thread of the warp could not be proved to stay away from what the same statement reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'stride_too_small_mended' is proved free of races}}
  gpu.func @stride_too_small_mended(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    %first = arith.muli %b, %c64 : index
    %start = arith.addi %first, %t : index
    %step = arith.muli %g, %c64 : index
    scf.for %i = %start to %n step %step {
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }

  // Every block goes through the whole array.
  gpu.func @whole_array(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %c64 {
      // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }

  // The number of blocks is taken from an argument, which need not be right.
  gpu.func @blocks_by_argument(%p: memref<i32>, %n: index, %blocks: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %start = arith.addi %first, %t : index
    %step = arith.muli %blocks, %c64 : index
    scf.for %i = %start to %n step %step {
      // expected-error @+2 {{[race-unproved] write of global memory by another thread of the warp could not be proved to stay away from what the same statement reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }

  // Thread 0 writes one element behind the chunk of its block, which is the first
  // one of the next block.
  gpu.func @border(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %i = arith.addi %first, %t : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      %j = arith.addi %i, %c64 : index
      // expected-error @+1 {{[race] write of global memory by another block reaches what this access also reaches}}
      memref.store %v, %a[%j] : memref<?xi32>
    }
    gpu.return
  }
  // Blocks have chunks of 65 elements.
  // expected-remark @+1 {{kernel 'border_mended' is proved free of races, with blocks of 64 threads, given that the indices of 2 of 2 accesses are in bounds}}
  gpu.func @border_mended(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c65 = arith.constant 65 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c65 : index
    %i = arith.addi %first, %t : index
    // expected-note @+1 {{taken to be in bounds}}
    memref.store %v, %a[%i] : memref<?xi32>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      %j = arith.addi %i, %c64 : index
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%j] : memref<?xi32>
    }
    gpu.return
  }

  // One result for two blocks.
  gpu.func @half_of_blocks(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c2 = arith.constant 2 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %i = arith.divui %b, %c2 : index
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }

  // Four slots for any number of blocks.
  gpu.func @four_slots(%p: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c4 = arith.constant 4 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [4], strides: [1] : memref<i32> to memref<4xi32>
    %b = gpu.block_id x
    %i = arith.remui %b, %c4 : index
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<4xi32>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'four_slots_mended' is proved free of races}}
  gpu.func @four_slots_mended(%p: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c4 = arith.constant 4 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [4], strides: [1] : memref<i32> to memref<4xi32>
    %b = gpu.block_id x
    %i = arith.remui %b, %c4 : index
    %old = memref.atomic_rmw addi %v, %a[%i] : (i32, memref<4xi32>) -> i32
    gpu.return
  }

  // A block reads the result of the block before it.
  gpu.func @block_before(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %isLater = arith.cmpi ugt, %b, %c0 : index
    scf.if %isLater {
      %i = arith.subi %b, %c1 : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%i] : memref<?xi32>
    }
    // expected-error @+1 {{[race] write of global memory by another block reaches what this access also reaches}}
    memref.store %v, %a[%b] : memref<?xi32>
    gpu.return
  }

  // All blocks read the first result behind a barrier, which is one of the block.
  gpu.func @barrier_of_block(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%b] : memref<?xi32>
    }
    gpu.barrier
    // expected-error @+1 {{[race] read of global memory by another block reaches what this access also reaches}}
    %x = memref.load %a[%c0] : memref<?xi32>
    gpu.return
  }
  // They read their own.
  // expected-remark @+1 {{kernel 'barrier_of_block_mended' is proved free of races, with blocks of 64 threads, given that the indices of 2 of 2 accesses are in bounds}}
  gpu.func @barrier_of_block_mended(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%b] : memref<?xi32>
    }
    gpu.barrier
    // expected-note @+1 {{taken to be in bounds}}
    %x = memref.load %a[%b] : memref<?xi32>
    gpu.return
  }
}
