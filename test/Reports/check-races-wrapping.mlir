// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// Integers have the range of their type.

// t << 26 >> 26 of 32 bits is t mod 64.

gpu.module @kernels {
  gpu.func @shift() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %zero = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %o = memref.view %s[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %k = arith.constant 26 : i32
    %b = arith.shli %v, %k : i32
    %c = arith.shrui %b, %k : i32
    %i = arith.index_castui %c : i32 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches, without a barrier between them: threads 64 and 0, byte 0}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %o[%i] : memref<1024xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The same holds for a product.

gpu.module @kernels {
  gpu.func @product() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %zero = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %o = memref.view %s[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %k = arith.constant 67108864 : i32
    %b = arith.muli %v, %k : i32
    %s6 = arith.constant 26 : i32
    %c = arith.shrui %b, %s6 : i32
    %i = arith.index_castui %c : i32 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches, without a barrier between them: threads 64 and 0, byte 0}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %o[%i] : memref<1024xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A sum of 8 bits: t + 192 is t - 64 from 64 on.

gpu.module @kernels {
  gpu.func @sum() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %zero = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %o = memref.view %s[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %k = arith.constant 64 : i8
    %b = arith.trunci %v : i32 to i8
    %c = arith.addi %b, %k : i8
    %d = arith.subi %c, %k : i8
    %m = arith.constant 63 : i8
    %e = arith.andi %d, %m : i8
    %i = arith.index_castui %e : i8 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches, without a barrier between them: threads 64 and 0, byte 0}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %o[%i] : memref<1024xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// An index of 64 bits wraps, too. The checker does not say which threads meet.

gpu.module @kernels {
  gpu.func @index() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %zero = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %o = memref.view %s[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %k = arith.constant 58 : index
    %b = arith.shli %t, %k : index
    %i = arith.shrui %b, %k : index
    // expected-error @+2 {{[race-unproved] write of shared memory}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %o[%i] : memref<1024xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Minus the number of a thread is not natural: its quotient is a large number.

gpu.module @kernels {
  gpu.func @minus() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %zero = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %o = memref.view %s[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %m = arith.subi %zero, %t : index
    %c8 = arith.constant 8 : index
    %c15 = arith.constant 15 : index
    %d = arith.divui %m, %c8 : index
    %i = arith.andi %d, %c15 : index
    // expected-error @+2 {{[race-unproved] write of shared memory}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %o[%i] : memref<1024xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
