// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// Two threads exchange through shared memory.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'exchange' is proved free of races, with blocks of 2 threads}}
  gpu.func @exchange(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %other = arith.subi %c1, %t : index
    %x = memref.load %a[%other] : memref<2xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The same without the barrier: thread 0 reads what thread 1 writes.

gpu.module @kernels {
  gpu.func @exchange(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>>
    %other = arith.subi %c1, %t : index
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 1 and 0, byte 4}}
    %x = memref.load %a[%other] : memref<2xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A barrier of a warp is enough for lanes, and not for threads of two warps:
// thread 32 writes element 32, thread 0 reads it.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'lanes' is proved free of races, with blocks of 64 threads}}
  gpu.func @lanes(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
    memref.store %v, %a[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    %other = arith.xori %t, %c1 : index
    %x = memref.load %a[%other] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @warps(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    %other = arith.xori %t, %c32 : index
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches, without a barrier between them: threads 32 and 0, byte 128}}
    %x = memref.load %a[%other] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// One barrier in each iteration. The next iteration overwrites the elements that
// were read, without a barrier between. Two halves that alternate avoid this.

gpu.module @kernels {
  gpu.func @overwrite(%n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    %other = arith.subi %c1, %t : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
      memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%other] : memref<2xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'ring' is proved free of races}}
  gpu.func @ring(%n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x2xi32, #gpu.address_space<workgroup>>
    %other = arith.subi %c1, %t : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
      %next = arith.subi %c1, %slot : index
      memref.store %v, %a[%slot, %t] : memref<2x2xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %x = memref.load %a[%slot, %other] : memref<2x2xi32, #gpu.address_space<workgroup>>
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

// Each block has chunks of its own, of 256 elements; a neighbour's element is
// another block's.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'chunks' is proved free of races, with blocks of 256 threads}}
  gpu.func @chunks(%out: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %v = arith.constant 7 : i32
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %b, %c256 : index
    %start = arith.addi %first, %t : index
    %step = arith.muli %blocks, %c256 : index
    scf.for %i = %start to %n step %step {
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  gpu.func @neighbour(%out: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %next = arith.addi %b, %c1 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%b] : memref<?xi32>
    // expected-error @+1 {{[race] read of global memory by another block reaches what this access also reaches: threads 0 and 0}}
    %x = memref.load %a[%next] : memref<?xi32>
    gpu.return
  }
}

// -----

// A matrix of any shape, in tiles of 16 x 16: block j has tile (j / m, j mod m).

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'tiles' is proved free of races}}
  gpu.func @tiles(%out: memref<i32>, %rows: index, %columns: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %v = arith.constant 7 : i32
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%rows, %columns], strides: [%columns, 1] : memref<i32> to memref<?x?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %up = arith.addi %columns, %c15 : index
    %m = arith.divui %up, %c16 : index
    %p = arith.divui %b, %m : index
    %q = arith.remui %b, %m : index
    %u = arith.divui %t, %c16 : index
    %w = arith.remui %t, %c16 : index
    %p16 = arith.muli %p, %c16 : index
    %q16 = arith.muli %q, %c16 : index
    %i = arith.addi %p16, %u : index
    %j = arith.addi %q16, %w : index
    %inRows = arith.cmpi ult, %i, %rows : index
    %inColumns = arith.cmpi ult, %j, %columns : index
    %in = arith.andi %inRows, %inColumns : i1
    scf.if %in {
      memref.store %v, %a[%i, %j] : memref<?x?xi32>
    }
    gpu.return
  }
}

// -----

// Atomic updates may meet each other, and nothing else.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'count' is proved free of races}}
  gpu.func @count(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant 1 : i32
    %old = memref.atomic_rmw addi %v, %out[] : (i32, memref<i32>) -> i32
    gpu.return
  }
  gpu.func @count_and_read(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant 1 : i32
    // expected-note @+1 {{the first access is the atomic update here}}
    %old = memref.atomic_rmw addi %v, %out[] : (i32, memref<i32>) -> i32
    // expected-error @+1 {{[race] read of global memory by another thread of the warp}}
    %x = memref.load %out[] : memref<i32>
    gpu.return
  }
}

// -----

// If data decides, the proof needs a contract; without one there is no proof.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'promised' is proved free of races, with blocks of 32 threads, under contract, given that the indices of 1 of 2 accesses are in bounds}}
  gpu.func @promised(%to: memref<i32>, %out: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant 1 : i32
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      %w = memref.load %where[%t] : memref<32xi32>
      %i = arith.index_castui %w : i32 to index
      // expected-note @+2 {{written as 'disjoint', which the program promises}}
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%i] {obs.contract = "disjoint"} : memref<32xi32>
    }
    gpu.return
  }
  gpu.func @open(%to: memref<i32>, %out: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %v = arith.constant 1 : i32
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      %w = memref.load %where[%t] : memref<32xi32>
      %i = arith.index_castui %w : i32 to index
      // expected-error @+2 {{[race-unproved] write of global memory by another thread of the warp could not be proved to stay away from what the same statement reaches, without a barrier between them}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<32xi32>
    }
    gpu.return
  }
}

// -----

// A barrier that only some threads come to.

gpu.module @kernels {
  gpu.func @half(%out: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c20 = arith.constant 20 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c20 : index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    scf.if %some {
      gpu.barrier
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{[race-stage] has no known block size; run obs-to-gpu first}}
  gpu.func @unknown(%out: memref<i32>) kernel {
    gpu.return
  }
}

// -----

// A column of comparators by bit b - n, with numbers that are known at run time
// only. For any bit, i with a zero put in there is another number for each
// i, and so is the same with a one there.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'insert_zero' is proved free of races, with blocks of 64 threads}}
  gpu.func @insert_zero(%b: index, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ones = arith.constant -1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %below = arith.subi %b, %n : index
    %bit = arith.shli %c1, %below : index
    %low = arith.subi %bit, %c1 : index
    %high = arith.xori %low, %ones : index
    scf.for %i = %t to %n step %c64 {
      %above = arith.andi %i, %high : index
      %left = arith.addi %i, %above : index
      %right = arith.xori %left, %bit : index
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%left] : memref<1024xi32, #gpu.address_space<workgroup>>
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%right] : memref<1024xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// The next element instead: the next thread writes it too, unless the bit is 0.

gpu.module @kernels {
  gpu.func @insert_zero(%b: index, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %ones = arith.constant -1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %below = arith.subi %b, %n : index
    %bit = arith.shli %c1, %below : index
    %low = arith.subi %bit, %c1 : index
    %high = arith.xori %low, %ones : index
    scf.for %i = %t to %n step %c64 {
      %above = arith.andi %i, %high : index
      %left = arith.addi %i, %above : index
      %right = arith.addi %left, %c1 : index
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%left] : memref<1024xi32, #gpu.address_space<workgroup>>
      // expected-error @+1 {{[race-unproved] write of shared memory}}
      memref.store %v, %a[%right] : memref<1024xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// Two parameters that may be one array: each thread reads what it writes.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'in_place' is proved free of races, with blocks of 64 threads}}
  gpu.func @in_place(%in: memref<i32> {obs.may_alias}, %n: index, %out: memref<i32> {obs.may_alias}, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    %first = arith.muli %b, %c64 : index
    %begin = arith.addi %first, %t : index
    %step = arith.muli %g, %c64 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [%m], strides: [1] : memref<i32> to memref<?xi32>
    scf.for %i = %begin to %n step %step {
      %x = memref.load %a[%i] : memref<?xi32>
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %x, %r[%i] : memref<?xi32>
    }
    gpu.return
  }
}

// -----

// The same, and each reads what the next one writes.

gpu.module @kernels {
  gpu.func @in_place(%in: memref<i32> {obs.may_alias}, %n: index, %out: memref<i32> {obs.may_alias}, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    %first = arith.muli %b, %c64 : index
    %begin = arith.addi %first, %t : index
    %step = arith.muli %g, %c64 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [%m], strides: [1] : memref<i32> to memref<?xi32>
    scf.for %i = %begin to %n step %step {
      %next = arith.addi %i, %c1 : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%next] : memref<?xi32>
      // expected-error @+1 {{[race] write of global memory by another thread of the warp}}
      memref.store %x, %r[%i] : memref<?xi32>
    }
    gpu.return
  }
}
