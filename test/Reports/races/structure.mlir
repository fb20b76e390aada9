// Races and errors that hide in the structure of a kernel: values that loops carry
// for each thread, memory and counters of each block, permuted indices, operations
// with several results, and operations that lowered kernels do not have.
// RUN: obs-opt %s --obs-check-races --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @transposed_extents(%in: memref<i32> {obs.may_alias}, %n: index, %m: index, %out: memref<i32> {obs.may_alias}, %v: i32) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [%n, %m], strides: [%m, 1] : memref<i32> to memref<?x?xi32, strided<[?, 1]>>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<i32> to memref<?x?xi32, strided<[?, 1]>>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.addi %t, %c1 : index
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      // expected-note@+1 {{the first access is the read here}}
      %x = memref.load %a[%c0, %i] : memref<?x?xi32, strided<[?, 1]>>
      // expected-error@+1 {{[race-unproved]}}
      memref.store %v, %r[%i, %c0] : memref<?x?xi32, strided<[?, 1]>>
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @i8_counter(%v: i32) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0 : i8
    %more = arith.constant 64 : i8
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<512xi32, #shared>

    %turn = arith.muli %t, %c4 : index
    %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%k = %zero) -> (i8) {
      %isMine = arith.cmpi eq, %i, %turn : index
      scf.if %isMine {
        %j = arith.index_castui %k : i8 to index
        // expected-error@+2 {{[race-unproved]}}
        // expected-note@+1 {{the first access is the write here}}
        memref.store %v, %a[%j] : memref<512xi32, #shared>
      }
      %next = arith.addi %k, %more : i8
      scf.yield %next : i8
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @while_next(%v: i32, %n: i32, %one: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %other = arith.xori %t, %c1 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %r, %m = scf.while (%k = %t, %j = %zero) : (index, i32) -> (index, i32) {
      // expected-error@+1 {{[race-unproved]}}
      %x = memref.load %a[%k] : memref<32xi32, #shared>
      %go = arith.cmpi slt, %j, %n : i32
      scf.condition(%go) %k, %j : index, i32
    } do {
    ^bb0(%k: index, %j: i32):
      gpu.barrier
      // expected-note@+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<32xi32, #shared>
      %j1 = arith.addi %j, %one : i32
      scf.yield %other, %j1 : index, i32
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @next_turn(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %other = arith.xori %t, %c1 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %t) -> (index) {
      // expected-error@+1 {{[race]}}
      %x = memref.load %a[%k] : memref<32xi32, #shared>
      gpu.barrier
      // expected-note@+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<32xi32, #shared>
      scf.yield %other : index
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // expected-error@+1 {{[race-stage]}}
  gpu.func @attribution(%v: i32) workgroup(%a : memref<64xi32, #shared>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    memref.store %v, %a[%c0] : memref<64xi32, #shared>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @rotate(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c8 : index
    scf.if %some {
      // expected-error@+1 {{[race-stage]}}
      %x, %valid = gpu.rotate %v, 1, 32 : i32
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @cut_off(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %ticket = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    %low = arith.index_cast %ticket : index to i8
    %i = arith.index_cast %low : i8 to index
    %isNatural = arith.cmpi sge, %i, %c0 : index
    %isBelow = arith.cmpi slt, %i, %n : index
    %isIn = arith.andi %isNatural, %isBelow : i1
    scf.if %isIn {
      // expected-error@+2 {{[race-unproved]}}
      // expected-note@+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @not_all_draw(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %c2 = arith.constant 2 : index
    %b = gpu.block_id x
    %rest = arith.remui %b, %c2 : index
    %isEven = arith.cmpi eq, %rest, %c0 : index
    %i = scf.if %isEven -> index {
      %ticket = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
      scf.yield %ticket : index
    } else {
      scf.yield %c0 : index
    }
    // expected-error@+2 {{[race-unproved] write of global memory by another block}}
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @own_counters(%counter: memref<i32>, %p: memref<i32>, %n: index, %g: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %counters = memref.reinterpret_cast %counter to offset: [0], sizes: [%g], strides: [1] : memref<i32> to memref<?xi32>
    %i = obs.ticket %counters[%b] via %cell : memref<?xi32>, memref<index, #shared>
    // expected-error@+2 {{[race-unproved] write of global memory by another block}}
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
}

// -----

// Tickets of one counter are different.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'drawn' is proved free of races, with blocks of 1 threads, given that the indices of 1 of 4 accesses are in bounds}}
  gpu.func @drawn(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %k = %c0 to %c2 step %c1 {
      %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  // Two counters give the same numbers.
  gpu.func @counter_of_iteration(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %counters = memref.reinterpret_cast %counter to offset: [0], sizes: [2], strides: [1] : memref<i32> to memref<2xi32>
    scf.for %k = %c0 to %c2 step %c1 {
      %i = obs.ticket %counters[%k] via %cell : memref<2xi32>, memref<index, #shared>
      // expected-error @+2 {{[race-unproved] write of global memory by another block}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  // A counter that is set back gives a number twice. It is an assumption of the answer that no block draws after that.
  // expected-remark @+1 {{kernel 'set_back' is proved free of races, with blocks of 1 threads, under contract, given that the indices of 1 of 5 accesses are in bounds}}
  gpu.func @set_back(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %back = arith.constant 2147483647 : i32
    // expected-note @+1 {{drawn from a counter that is taken not to be set back}}
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    %other = memref.atomic_rmw addi %back, %counter[] : (i32, memref<i32>) -> i32
    // expected-note @+1 {{taken to be in bounds}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
  // All threads of a block have its ticket, so they take the same branch.
  // expected-remark @+1 {{kernel 'branch_by_ticket' is proved free of races}}
  gpu.func @branch_by_ticket(%counter: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %b = memref.view %s[%c8][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %b[%t] : memref<64xi32, #shared>
    // Threads have waited for each other.
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    %u = arith.subi %c63, %t : index
    %x = memref.load %b[%u] : memref<64xi32, #shared>
    %isBelow = arith.cmpi slt, %i, %n : index
    scf.if %isBelow {
      gpu.barrier
      memref.store %x, %b[%t] : memref<64xi32, #shared>
    }
    gpu.return
  }
  // The first thread stores the ticket while others still use these bytes.
  gpu.func @cell_in_use_before(%counter: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %b[%t] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them}}
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    gpu.return
  }
  // Threads read the ticket while others already overwrite it.
  gpu.func @cell_in_use_after(%counter: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the read here}}
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them}}
    memref.store %v, %b[%t] : memref<64xi32, #shared>
    gpu.return
  }
  // Some threads of a block wait for the others, which do not come.
  gpu.func @some_threads_draw(%counter: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %some = arith.cmpi ult, %t, %c8 : index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    scf.if %some {
      %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #shared>
    }
    gpu.return
  }
  gpu.func @private_cell(%counter: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %cell = memref.alloca() : memref<index>
    // expected-error @+1 {{[race-stage] has a cell outside of shared memory}}
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index>
    gpu.return
  }
  // Each block has its own counter.
  gpu.func @shared_counter() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %counter = memref.view %s[%c8][] : memref<?xi8, #shared> to memref<i32, #shared>
    // expected-error @+1 {{[race-stage] exchanges values between blocks outside of global memory}}
    %i = obs.ticket %counter[] via %cell : memref<i32, #shared>, memref<index, #shared>
    gpu.return
  }
}

// -----

// Launches pass one array as two parameters. Only the last kernel is made for that.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @reverse(%in: memref<i32>, %out: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %r = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %b = gpu.block_id x
      %isIn = arith.cmpi ult, %b, %c8 : index
      scf.if %isIn {
        %i = arith.subi %c7, %b : index
        %x = memref.load %a[%i] : memref<8xi32>
        memref.store %x, %r[%b] : memref<8xi32>
      }
      gpu.return
    }
    // expected-remark @+1 {{kernel 'read' is proved free of races}}
    gpu.func @read(%in: memref<i32>, %also: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %b = memref.reinterpret_cast %also to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %x = memref.load %a[%c0] : memref<8xi32>
      %y = memref.load %b[%c0] : memref<8xi32>
      gpu.return
    }
    // expected-remark @+1 {{kernel 'copy' is proved free of races}}
    gpu.func @copy(%in: memref<i32> {obs.may_alias}, %out: memref<i32> {obs.may_alias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c8 = arith.constant 8 : index
      %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %r = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
      %b = gpu.block_id x
      %isIn = arith.cmpi ult, %b, %c8 : index
      scf.if %isIn {
        %x = memref.load %a[%b] : memref<8xi32>
        memref.store %x, %r[%b] : memref<8xi32>
      }
      gpu.return
    }
  }
  func.func @main(%x: memref<8xi32>) {
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<8xi32> to memref<i32>
    %b = memref.reinterpret_cast %x to offset: [0], sizes: [], strides: [] : memref<8xi32> to memref<i32>
    // expected-error @+1 {{[race-stage] passes one array as the parameters 0 and 1 of kernel 'reverse', which takes them for two arrays; mark both with obs.may_alias}}
    gpu.launch_func @kernels::@reverse blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>, %b : memref<i32>)
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>, %b : memref<i32>)
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<i32>, %b : memref<i32>)
    return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @part(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>

    %low = memref.subview %a[0] [32] [1] : memref<64xi32, #shared> to memref<32xi32, strided<[1]>, #shared>
    // expected-error@+2 {{[race-unproved]}}
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %low[%t] : memref<32xi32, strided<[1]>, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @after_loop(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %other = arith.xori %t, %c1 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %t) -> (index) {
      gpu.barrier
      // expected-note@+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<32xi32, #shared>
      scf.yield %other : index
    }
    // expected-error@+1 {{[race]}}
    %x = memref.load %a[%r] : memref<32xi32, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @shared_alloca(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{[race-stage]}}
    %a = memref.alloca() : memref<64xi32, #shared>
    memref.store %v, %a[%c0] : memref<64xi32, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @shared_flag(%p: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [2], strides: [1] : memref<i32> to memref<2xi32>
    %b = gpu.block_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xindex, #shared>

    memref.store %b, %cell[%c0] : memref<1xindex, #shared>
    %n = memref.load %cell[%c0] : memref<1xindex, #shared>
    %isFirst = arith.cmpi eq, %n, %c0 : index
    %isZero = arith.cmpi eq, %b, %c0 : index
    scf.if %isZero {
      scf.if %isFirst {
        // expected-note@+1 {{the first access is the write here}}
        memref.store %v, %a[%c0] : memref<2xi32>
      }
    } else {
      scf.if %isFirst {
      } else {
        // expected-error@+1 {{[race-unproved]}}
        %x = memref.load %a[%c0] : memref<2xi32>
      }
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @valid_barrier(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %x, %valid = gpu.shuffle up %v, %one, %width : i32
    // expected-error@+1 {{[barrier-divergence]}}
    scf.if %valid {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @valid_race(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>

    %t = gpu.thread_id x
    %isZero = arith.cmpi eq, %t, %c0 : index
    %x, %valid = gpu.shuffle up %v, %one, %width : i32
    scf.if %valid {
      // expected-note@+1 {{the first access is the read here}}
      %y = memref.load %a[%c0] : memref<64xi32, #shared>
    } else {
      scf.if %isZero {
        // expected-error@+1 {{[race-unproved]}}
        memref.store %v, %a[%c0] : memref<64xi32, #shared>
      }
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @divisor(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %row = arith.divui %t, %c3 : index
    %low = arith.andi %row, %c1 : index
    %i = arith.xori %t, %low : index
    // expected-error@+2 {{[race]}}
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @row_and_bank(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<4x8xi32, #shared>

    %r = arith.divui %t, %c8 : index
    %c = arith.remui %t, %c8 : index
    %low = arith.andi %r, %c3 : index
    %i = arith.xori %c, %low : index
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %a[%r, %i] : memref<4x8xi32, #shared>
    %bank = arith.divui %c, %c4 : index
    %low2 = arith.andi %bank, %c3 : index
    %j = arith.xori %c, %low2 : index
    // expected-error@+1 {{[race]}}
    %x = memref.load %a[%r, %j] : memref<4x8xi32, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @divisors(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %row = arith.divui %t, %c4 : index
    %low = arith.andi %row, %c3 : index
    %i = arith.xori %t, %low : index
    // expected-note@+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    %row2 = arith.divui %t, %c8 : index
    %low2 = arith.andi %row2, %c3 : index
    %j = arith.xori %t, %low2 : index
    // expected-error@+1 {{[race]}}
    %x = memref.load %a[%j] : memref<32xi32, #shared>
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @global_id(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{[race-stage]}}
    %g = gpu.global_id x
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>

    %isFirst = arith.cmpi eq, %g, %c0 : index
    %isZero = arith.cmpi eq, %t, %c0 : index
    scf.if %isZero {
      scf.if %isFirst {
        memref.store %v, %a[%c0] : memref<64xi32, #shared>
      }
    } else {
      scf.if %isFirst {
      } else {
        %x = memref.load %a[%c0] : memref<64xi32, #shared>
      }
    }
    gpu.return
  }
  gpu.func @subgroup_id() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{[race-stage]}}
    %g = gpu.subgroup_id : index
    %isFirst = arith.cmpi eq, %g, %c0 : index
    scf.if %isFirst {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @lane() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{[race-stage]}}
    %g = nvvm.read.ptx.sreg.laneid : i32
    %isFirst = arith.cmpi eq, %g, %zero : i32
    scf.if %isFirst {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @thread() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{[race-stage]}}
    %g = nvvm.read.ptx.sreg.tid.x : i32
    %isFirst = arith.cmpi eq, %g, %zero : i32
    scf.if %isFirst {
      gpu.barrier
    }
    gpu.return
  }
}

// -----

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  gpu.func @extended(%v: i32, %n: i32, %m: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>

    %low, %high = arith.mului_extended %n, %m : i32
    %differ = arith.cmpi ne, %low, %high : i32
    scf.if %differ {
      // expected-error@+2 {{[race-unproved]}}
      // expected-note@+1 {{the first access is the write here}}
      memref.store %v, %a[%c0] : memref<32xi32, #shared>
    }
    gpu.return
  }
}
