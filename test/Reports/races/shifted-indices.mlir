// Threads of a block exchange elements of one array in shared memory, and an
// index is shifted, reversed, halved or taken modulo another number than the
// threads. Two threads reach one element without a barrier between them. Kernels
// that end in "_mended" are the same programs with the mistake taken out.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Thread 0 reads element 1, which thread 1 writes.
  gpu.func @next(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<65xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<65xi32, #shared>
    %i = arith.addi %t, %c1 : index
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<65xi32, #shared>
    gpu.return
  }
  // With a barrier after the writes.
  // expected-remark @+1 {{kernel 'next_mended' is proved free of races}}
  gpu.func @next_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<65xi32, #shared>
    memref.store %v, %a[%t] : memref<65xi32, #shared>
    gpu.barrier
    %i = arith.addi %t, %c1 : index
    %x = memref.load %a[%i] : memref<65xi32, #shared>
    gpu.return
  }

  // Thread 1 reads element 0 and thread 0 overwrites it.
  gpu.func @previous(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %hasPrevious = arith.cmpi ugt, %t, %c0 : index
    scf.if %hasPrevious {
      %i = arith.subi %t, %c1 : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%i] : memref<64xi32, #shared>
    }
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }

  // Thread 0 reads element 32, which belongs to the other warp. No lane of its own
  // warp writes it.
  gpu.func @other_warp(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<96xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<96xi32, #shared>
    %i = arith.addi %t, %c32 : index
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<96xi32, #shared>
    gpu.return
  }
  // Element 64 + t is written by nobody.
  // expected-remark @+1 {{kernel 'other_warp_mended' is proved free of races}}
  gpu.func @other_warp_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    memref.store %v, %a[%t] : memref<128xi32, #shared>
    %i = arith.addi %t, %c64 : index
    %x = memref.load %a[%i] : memref<128xi32, #shared>
    gpu.return
  }

  // The array is reversed in place: thread 63 - t still needs what t overwrites.
  gpu.func @reversed() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %i = arith.subi %c63, %t : index
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }
  // Half of the threads exchange two elements each.
  // expected-remark @+1 {{kernel 'reversed_mended' is proved free of races}}
  gpu.func @reversed_mended() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %i = arith.subi %c63, %t : index
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    %y = memref.load %a[%t] : memref<64xi32, #shared>
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    memref.store %y, %a[%i] : memref<64xi32, #shared>
    gpu.return
  }

  // 64 threads write 32 elements: t and t + 32 write the same one.
  gpu.func @modulo(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %i = arith.remui %t, %c32 : index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // Neighbours swap their elements, and each may overwrite what the other has not
  // read yet.
  gpu.func @swapped() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %i = arith.xori %t, %c1 : index
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'swapped_mended' is proved free of races}}
  gpu.func @swapped_mended() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %i = arith.xori %t, %c1 : index
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }

  // Threads 2 k and 2 k + 1 both write element k.
  gpu.func @halved(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %i = arith.divui %t, %c2 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // Each thread writes elements 2 t and 2 t + 2, and the second one is the first
  // one of the next thread.
  gpu.func @pairs(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<129xi32, #shared>
    %i = arith.muli %t, %c2 : index
    %j = arith.addi %i, %c2 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<129xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %v, %a[%j] : memref<129xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'pairs_mended' is proved free of races}}
  gpu.func @pairs_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    %i = arith.muli %t, %c2 : index
    %j = arith.addi %i, %c1 : index
    memref.store %v, %a[%i] : memref<128xi32, #shared>
    memref.store %v, %a[%j] : memref<128xi32, #shared>
    gpu.return
  }

  // 6 and 64 have a common divisor: 6 t modulo 64 is the same for t and t + 32.
  gpu.func @scattered(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %far = arith.muli %t, %c6 : index
    %i = arith.remui %far, %c64 : index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<64xi32, #shared>
    gpu.return
  }
  // 5 and 64 have none.
  // expected-remark @+1 {{kernel 'scattered_mended' is proved free of races}}
  gpu.func @scattered_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %far = arith.muli %t, %c5 : index
    %i = arith.remui %far, %c64 : index
    memref.store %v, %a[%i] : memref<64xi32, #shared>
    gpu.return
  }

  // Every thread from 40 on writes element 40.
  gpu.func @clamped(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<41xi32, #shared>
    %i = arith.minui %t, %c40 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<41xi32, #shared>
    gpu.return
  }
  // Those threads write nothing.
  // expected-remark @+1 {{kernel 'clamped_mended' is proved free of races}}
  gpu.func @clamped_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<41xi32, #shared>
    %isIn = arith.cmpi ule, %t, %c40 : index
    scf.if %isIn {
      memref.store %v, %a[%t] : memref<41xi32, #shared>
    }
    gpu.return
  }
}
