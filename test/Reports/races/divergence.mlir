// Some threads of a warp or block miss a barrier or a shuffle that others wait at,
// or the barrier of a warp does not name all lanes that it has to wait for.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The barrier waits for the lower half of the lanes only, and lane 0 reads what
  // lane 31 writes.
  gpu.func @half_mask(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %mask = arith.constant 0x0000ffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.subi %c31, %t : index
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'half_mask_mended' is proved free of races}}
  gpu.func @half_mask_mended(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %mask = arith.constant 0xffffffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.subi %c31, %t : index
    %x = memref.load %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // Lanes of the mask exchange elements among themselves.
  // expected-remark @+1 {{kernel 'within_half_mask' is proved free of races}}
  gpu.func @within_half_mask(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %mask = arith.constant 0x0000ffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %isLow = arith.cmpi ult, %t, %c16 : index
    scf.if %isLow {
      %i = arith.subi %c15, %t : index
      %x = memref.load %a[%i] : memref<32xi32, #shared>
    }
    gpu.return
  }
  // They do in the other half, too, for which the barrier does not wait.
  gpu.func @within_both_halves(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %mask = arith.constant 0x0000ffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.xori %t, %c15 : index
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 31 and 16}}
    %x = memref.load %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
  // The barrier is in a branch: lanes that pass it by have not waited.
  gpu.func @half_mask_in_branch(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %mask = arith.constant 0x0000ffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    %isFirst = arith.cmpi ult, %t, %c8 : index
    scf.if %isFirst {
      nvvm.bar.warp.sync %mask : i32
    }
    %isLow = arith.cmpi ult, %t, %c16 : index
    scf.if %isLow {
      %i = arith.subi %c15, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
      %x = memref.load %a[%i] : memref<32xi32, #shared>
    }
    gpu.return
  }

  // The last of two warps has 16 lanes, and the mask is made for 8.
  gpu.func @mask_of_last_warp(%v: i32) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %all = arith.constant -1 : i32
    %eight = arith.constant 0xff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<48xi32, #shared>
    %isLast = arith.cmpi uge, %t, %c32 : index
    %mask = arith.select %isLast, %eight, %all : i32
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<48xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.xori %t, %c1 : index
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 41 and 40}}
    %x = memref.load %a[%i] : memref<48xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'mask_of_last_warp_mended' is proved free of races}}
  gpu.func @mask_of_last_warp_mended(%v: i32) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %all = arith.constant -1 : i32
    %sixteen = arith.constant 0xffff : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<48xi32, #shared>
    %isLast = arith.cmpi uge, %t, %c32 : index
    %mask = arith.select %isLast, %sixteen, %all : i32
    memref.store %v, %a[%t] : memref<48xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.xori %t, %c1 : index
    %x = memref.load %a[%i] : memref<48xi32, #shared>
    gpu.return
  }

  // The block has one thread more than a warp: thread 32 is in a warp of its own, and
  // reads element 0.
  gpu.func @one_thread_more(%v: i32) kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<33xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<33xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.subi %c32, %t : index
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<33xi32, #shared>
    gpu.return
  }

  // The barrier of the block is in a branch of the first warp.
  gpu.func @first_warp() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %c0 = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %w, %c0 : index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a block, and its threads can take different branches here; make all of them reach the barrier}}
    scf.if %isFirst {
      gpu.barrier
    }
    gpu.return
  }
  // It is one of the warp.
  // expected-remark @+1 {{kernel 'first_warp_mended' is proved free of races}}
  gpu.func @first_warp_mended() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %c0 = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %w, %c0 : index
    scf.if %isFirst {
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }

  // Even and odd lanes wait at two barriers, one in each branch.
  gpu.func @both_branches() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %odd = arith.remui %t, %c2 : index
    %isEven = arith.cmpi eq, %odd, %c0 : index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    scf.if %isEven {
      nvvm.bar.warp.sync %mask : i32
    } else {
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }

  // Threads behind the end of the array leave before the barrier.
  gpu.func @behind_the_end(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %i = arith.addi %first, %t : index
    %isIn = arith.cmpi ult, %i, %n : index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    scf.if %isIn {
      gpu.barrier
    }
    gpu.return
  }
  // All threads of a block stay if its chunk begins before the end.
  // expected-remark @+1 {{kernel 'behind_the_end_mended' is proved free of races}}
  gpu.func @behind_the_end_mended(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c64 = arith.constant 64 : index
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %isIn = arith.cmpi ult, %first, %n : index
    scf.if %isIn {
      gpu.barrier
    }
    gpu.return
  }

  // Data gives the number of iterations, which is another number for each thread.
  gpu.func @turns_by_data(%p: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %t = gpu.thread_id x
    %x = memref.load %a[%t] : memref<64xi32>
    %n = arith.index_cast %x : i32 to index
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    gpu.return
  }
  // One number for all.
  // expected-remark @+1 {{kernel 'turns_by_data_mended' is proved free of races}}
  gpu.func @turns_by_data_mended(%p: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %x = memref.load %a[%c0] : memref<64xi32>
    %n = arith.index_cast %x : i32 to index
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    gpu.return
  }

  // Each thread goes on until its own number is used up.
  gpu.func @open_loop() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here; make all of them reach the barrier}}
    %last = scf.while (%k = %t) : (index) -> index {
      %more = arith.cmpi ugt, %k, %c0 : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      gpu.barrier
      %next = arith.subi %k, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // The result of an atomic addition is another one for each lane.
  gpu.func @ticket(%counter: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %old = memref.atomic_rmw addi %one, %counter[] : (i32, memref<i32>) -> i32
    %isEarly = arith.cmpi slt, %old, %width : i32
    // expected-error @+1 {{[barrier-divergence] holds a shuffle of a warp, and its threads can take different branches here; make all of them reach the shuffle}}
    scf.if %isEarly {
      %x, %valid = gpu.shuffle xor %old, %one, %width : i32
    }
    gpu.return
  }
  // Lane 0 says what all lanes do.
  // expected-remark @+1 {{kernel 'ticket_mended' is proved free of races}}
  gpu.func @ticket_mended(%counter: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %old = memref.atomic_rmw addi %one, %counter[] : (i32, memref<i32>) -> i32
    %first, %known = gpu.shuffle idx %old, %zero, %width : i32
    %isEarly = arith.cmpi slt, %first, %width : i32
    scf.if %isEarly {
      %x, %valid = gpu.shuffle xor %old, %one, %width : i32
    }
    gpu.return
  }
}
