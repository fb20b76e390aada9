// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// Blocks of which the last warp has fewer lanes.

// The lanes that there are wait for each other: 32 in the first warp, one in the
// other.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'lanes' is proved free of races, with blocks of 33 threads}}
  gpu.func @lanes() kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %all = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<33xi32, #gpu.address_space<workgroup>>
    %isLast = arith.cmpi uge, %t, %c32 : index
    %mask = arith.select %isLast, %one, %all : i32
    memref.store %v, %a[%t] : memref<33xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    %isFirst = arith.cmpi ult, %t, %c32 : index
    scf.if %isFirst {
      %other = arith.xori %t, %c1 : index
      %x = memref.load %a[%other] : memref<33xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // The mask is of the wrong warp.
  gpu.func @other_warp() kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %all = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<33xi32, #gpu.address_space<workgroup>>
    %isFirst = arith.cmpi ult, %t, %c32 : index
    %mask = arith.select %isFirst, %one, %all : i32
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<33xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    scf.if %isFirst {
      %other = arith.xori %t, %c1 : index
      // expected-error @+1 {{[race] read of shared memory by another thread of the warp}}
      %x = memref.load %a[%other] : memref<33xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // Lane 31 is in the mask of other lanes, and has a mask without them.
  gpu.func @off_by_one() kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %all = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<33xi32, #gpu.address_space<workgroup>>
    %isLast = arith.cmpi uge, %t, %c31 : index
    %mask = arith.select %isLast, %one, %all : i32
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<33xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    %isFirst = arith.cmpi ult, %t, %c32 : index
    scf.if %isFirst {
      %other = arith.xori %t, %c1 : index
      // expected-error @+1 {{[race] read of shared memory by another thread of the warp}}
      %x = memref.load %a[%other] : memref<33xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // The value of the mask is not known.
  gpu.func @data(%mask: i32) kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<33xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<33xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %mask : i32
    %isFirst = arith.cmpi ult, %t, %c32 : index
    scf.if %isFirst {
      %other = arith.xori %t, %c1 : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %x = memref.load %a[%other] : memref<33xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// Blocks take chunks of 33 one after the other, and no element is of two threads. If each
// writes two elements, thread 0 and 1 meet.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'chunks' is proved free of races, with blocks of 33 threads}}
  gpu.func @chunks(%out: memref<i32>, %n: index, %x: i32) kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c33 = arith.constant 33 : index
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %blocks = gpu.grid_dim x
    %step = arith.muli %blocks, %c33 : index
    %begin = arith.muli %b, %c33 : index
    %first = arith.addi %begin, %t : index
    scf.for %i = %first to %n step %step {
      memref.store %x, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  gpu.func @neighbours(%out: memref<i32>, %n: index, %x: i32) kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %blocks = gpu.grid_dim x
    %step = arith.muli %blocks, %c33 : index
    %begin = arith.muli %b, %c33 : index
    %first = arith.addi %begin, %t : index
    scf.for %i = %first to %n step %step {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %x, %a[%i] : memref<?xi32>
      %j = arith.addi %i, %c1 : index
      %isIn = arith.cmpi ult, %j, %n : index
      scf.if %isIn {
        // expected-error @+1 {{[race] write of global memory by another thread of the warp reaches what this access also reaches}}
        memref.store %x, %a[%j] : memref<?xi32>
      }
    }
    gpu.return
  }
}

// -----

// The distance of the iterations of a thread is not known, so threads may meet: with
// a step of 33 they do not.

gpu.module @kernels {
  gpu.func @other_step(%out: memref<i32>, %n: index, %step: index, %x: i32) kernel attributes {known_block_size = array<i32: 33, 1, 1>} {
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    scf.for %i = %t to %n step %step {
      // expected-error @+2 {{[race-unproved] write of global memory by another thread of the warp}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %x, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
}
