// A barrier is missing, or stands in the wrong place, or is one of a warp where
// the whole block has to wait: between a write and a read, or a read and a write,
// between two iterations of a loop, or on one way through a branch.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A sum by halves: thread 0 adds element 16, which thread 16 has just written.
  gpu.func @sum_by_halves() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %far = arith.addi %t, %c32 : index
    %x = memref.load %a[%far] : memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    %isLow = arith.cmpi ult, %t, %c16 : index
    scf.if %isLow {
      %near = arith.addi %t, %c16 : index
      // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
      %y = memref.load %a[%near] : memref<64xi32, #shared>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'sum_by_halves_mended' is proved free of races}}
  gpu.func @sum_by_halves_mended() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %far = arith.addi %t, %c32 : index
    %x = memref.load %a[%far] : memref<64xi32, #shared>
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %isLow = arith.cmpi ult, %t, %c16 : index
    scf.if %isLow {
      %near = arith.addi %t, %c16 : index
      %y = memref.load %a[%near] : memref<64xi32, #shared>
    }
    gpu.return
  }

  // The barrier comes too early: the write stands behind it.
  gpu.func @too_early(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %i = arith.subi %c63, %t : index
    gpu.barrier
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    gpu.return
  }

  // A warp waits, and then thread 0 reads what another warp has written.
  gpu.func @warp_only(%v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<128xi32, #shared>
    nvvm.bar.warp.sync %mask : i32
    %i = arith.subi %c127, %t : index
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<128xi32, #shared>
    gpu.return
  }
  // The block waits.
  // expected-remark @+1 {{kernel 'warp_only_mended' is proved free of races}}
  gpu.func @warp_only_mended(%v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    memref.store %v, %a[%t] : memref<128xi32, #shared>
    gpu.barrier
    %i = arith.subi %c127, %t : index
    %x = memref.load %a[%i] : memref<128xi32, #shared>
    gpu.return
  }

  // A step of a scan reads the element before, and overwrites its own one. Only the
  // first of the two barriers is there.
  gpu.func @scan_step(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    gpu.barrier
    %hasPrevious = arith.cmpi ugt, %t, %c0 : index
    %x = scf.if %hasPrevious -> (i32) {
      %i = arith.subi %t, %c1 : index
      // expected-note @+1 {{the first access is the read here}}
      %y = memref.load %a[%i] : memref<64xi32, #shared>
      scf.yield %y : i32
    } else {
      scf.yield %v : i32
    }
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'scan_step_mended' is proved free of races}}
  gpu.func @scan_step_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    gpu.barrier
    %hasPrevious = arith.cmpi ugt, %t, %c0 : index
    %x = scf.if %hasPrevious -> (i32) {
      %i = arith.subi %t, %c1 : index
      %y = memref.load %a[%i] : memref<64xi32, #shared>
      scf.yield %y : i32
    } else {
      scf.yield %v : i32
    }
    gpu.barrier
    memref.store %x, %a[%t] : memref<64xi32, #shared>
    gpu.return
  }

  // The second array takes the memory of the first one, which others still read.
  gpu.func @reused_memory(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xf32, #shared>
    %zero = arith.constant 0.0 : f32
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    gpu.barrier
    %i = arith.subi %c63, %t : index
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
    memref.store %zero, %b[%t] : memref<64xf32, #shared>
    gpu.return
  }
  // It has memory of its own.
  // expected-remark @+1 {{kernel 'reused_memory_mended' is proved free of races}}
  gpu.func @reused_memory_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %b = memref.view %s[%c256][] : memref<?xi8, #shared> to memref<64xf32, #shared>
    %zero = arith.constant 0.0 : f32
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    gpu.barrier
    %i = arith.subi %c63, %t : index
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    memref.store %zero, %b[%t] : memref<64xf32, #shared>
    gpu.return
  }

  // Only one way through the branch has a barrier.
  gpu.func @one_branch(%v: i32, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    %isPositive = arith.cmpi sgt, %n, %v : i32
    scf.if %isPositive {
      gpu.barrier
    }
    %i = arith.subi %c63, %t : index
    // expected-error @+1 {{[race-unproved] read of shared memory by another warp of the block could not be proved to stay away from what this access reaches}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'one_branch_mended' is proved free of races}}
  gpu.func @one_branch_mended(%v: i32, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    %isPositive = arith.cmpi sgt, %n, %v : i32
    scf.if %isPositive {
      gpu.barrier
    } else {
      gpu.barrier
    }
    %i = arith.subi %c63, %t : index
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    gpu.return
  }

  // The barrier stands before the branch, the write in it, and the read behind it.
  gpu.func @write_in_branch(%v: i32, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    gpu.barrier
    %isPositive = arith.cmpi sgt, %n, %v : i32
    scf.if %isPositive {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<64xi32, #shared>
    }
    %i = arith.subi %c63, %t : index
    // expected-error @+1 {{[race] read of shared memory by another warp of the block reaches what this access also reaches}}
    %x = memref.load %a[%i] : memref<64xi32, #shared>
    gpu.return
  }
}
