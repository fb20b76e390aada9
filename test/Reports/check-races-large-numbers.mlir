// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// Numbers that only just fit 64 bits: their distances, sums and products do not.

// The bound is any number with two equal halves: no few of its values are all.

gpu.module @kernels {
  gpu.func @halves(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : i64
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %low = arith.extui %x : i32 to i64
    %high = arith.shli %low, %c32 : i64
    %both = arith.ori %low, %high : i64
    %n = arith.index_cast %both : i64 to index
    %isBelow = arith.cmpi ult, %t, %n : index
    scf.if %isBelow {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// The same with a product, compared as a signed number.

gpu.module @kernels {
  gpu.func @product(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %large = arith.constant 4294967296 : i64
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %low = arith.extsi %x : i32 to i64
    %high = arith.muli %low, %large : i64
    %both = arith.xori %low, %high : i64
    %n = arith.index_cast %both : i64 to index
    %isBelow = arith.cmpi slt, %t, %n : index
    scf.if %isBelow {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// A loop from a number below 0 to a size: it has many iterations, and in the last of
// them other elements than in the first.

gpu.module @kernels {
  gpu.func @turns(%out: memref<i32>, %n: index, %x: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %minus = arith.constant -5 : index
    %a = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    scf.for %i = %minus to %n step %c1 {
      %j = arith.addi %i, %c5 : index
      %k = arith.addi %j, %t : index
      // expected-error @+2 {{[race] write of global memory by another thread of the warp reaches what this same statement also reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %x, %a[%k] : memref<?xi32>
    }
    gpu.return
  }
}

// -----

// Data below 0 is a large number without its sign: one of 32 bits, one that
// bounds indices, one that is halved; and sums of data wrap.

gpu.module @kernels {
  gpu.func @extended(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %large = arith.constant 2147483648 : i64
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %wide = arith.extui %x : i32 to i64
    %isLarge = arith.cmpi sge, %wide, %large : i64
    scf.if %isLarge {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  gpu.func @bound(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %n = arith.index_cast %x : i32 to index
    %isNegative = arith.cmpi slt, %n, %c0 : index
    %isBelow = arith.cmpi ult, %t, %n : index
    %both = arith.andi %isNegative, %isBelow : i1
    scf.if %both {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  gpu.func @half(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %half = arith.divui %x, %two : i32
    %isNegative = arith.cmpi slt, %x, %zero : i32
    %isPositive = arith.cmpi sgt, %half, %zero : i32
    %both = arith.andi %isNegative, %isPositive : i1
    scf.if %both {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  gpu.func @sum(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %twice = arith.addi %x, %x : i32
    %isPositive = arith.cmpi sgt, %x, %zero : i32
    %isWrapped = arith.cmpi slt, %twice, %zero : i32
    %both = arith.andi %isPositive, %isWrapped : i1
    scf.if %both {
      %j = arith.subi %c31, %t : index
      // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // A number of 32 bits is less than 2^32, and its half less than 2^31.
  // expected-remark @+1 {{kernel 'never' is proved free of races, with blocks of 32 threads}}
  gpu.func @never(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    %in = memref.reinterpret_cast %data to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %x = memref.load %in[%t] : memref<32xi32>
    memref.store %x, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %half = arith.divui %x, %two : i32
    %isNegative = arith.cmpi slt, %half, %zero : i32
    scf.if %isNegative {
      %j = arith.subi %c31, %t : index
      %y = memref.load %a[%j] : memref<32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
