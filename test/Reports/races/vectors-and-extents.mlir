// Vectors reach several elements: they overlap with each other, or with single
// elements. Extents are unequal: a part of an array is longer than the place that it
// has there, or what is left over at the end is written twice.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Four elements each, that begin two apart.
  gpu.func @two_apart(%v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    %i = arith.muli %t, %c2 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    vector.store %v, %a[%i] : memref<128xi32, #shared>, vector<4xi32>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'two_apart_mended' is proved free of races}}
  gpu.func @two_apart_mended(%v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    %i = arith.muli %t, %c4 : index
    vector.store %v, %a[%i] : memref<128xi32, #shared>, vector<4xi32>
    gpu.return
  }

  // The element behind the vector of a thread is the first one of the next thread.
  gpu.func @element_behind(%v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<132xi32, #shared>
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c4 : index
    // expected-note @+1 {{the first access is the write here}}
    vector.store %v, %a[%i] : memref<132xi32, #shared>, vector<4xi32>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%j] : memref<132xi32, #shared>
    gpu.return
  }
  // A thread reads the last element of its own vector.
  // expected-remark @+1 {{kernel 'element_behind_mended' is proved free of races}}
  gpu.func @element_behind_mended(%v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<132xi32, #shared>
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c3 : index
    vector.store %v, %a[%i] : memref<132xi32, #shared>, vector<4xi32>
    %x = memref.load %a[%j] : memref<132xi32, #shared>
    gpu.return
  }

  // Eight bytes are written where each thread has four.
  gpu.func @too_wide(%v: vector<8xi8>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<132xi8, #shared>
    %i = arith.muli %t, %c4 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    vector.store %v, %a[%i] : memref<132xi8, #shared>, vector<8xi8>
    gpu.return
  }

  // 126 elements in vectors of four: the last vector begins two elements too early,
  // so that it ends with the array.
  gpu.func @last_vector(%v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c122 = arith.constant 122 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<126xi32, #shared>
    %far = arith.muli %t, %c4 : index
    %i = arith.minui %far, %c122 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    vector.store %v, %a[%i] : memref<126xi32, #shared>, vector<4xi32>
    gpu.return
  }
  // The last thread writes two elements.
  // expected-remark @+1 {{kernel 'last_vector_mended' is proved free of races}}
  gpu.func @last_vector_mended(%v: vector<4xi32>, %w: vector<2xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<126xi32, #shared>
    %i = arith.muli %t, %c4 : index
    %isWhole = arith.cmpi ult, %t, %c31 : index
    scf.if %isWhole {
      vector.store %v, %a[%i] : memref<126xi32, #shared>, vector<4xi32>
    } else {
      vector.store %w, %a[%i] : memref<126xi32, #shared>, vector<2xi32>
    }
    gpu.return
  }

  // A global array in vectors: each block takes 256 elements, and begins 128 apart.
  gpu.func @vectors_of_blocks(%p: memref<i32>, %n: index, %v: vector<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c128 : index
    %rest = arith.muli %t, %c4 : index
    %i = arith.addi %first, %rest : index
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    vector.store %v, %a[%i] : memref<?xi32>, vector<4xi32>
    gpu.return
  }

  // An array of 40 elements is put at 0, and another one at 32.
  gpu.func @joined(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<96xi32, #shared>
    %isIn = arith.cmpi ult, %t, %c40 : index
    scf.if %isIn {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<96xi32, #shared>
    }
    %i = arith.addi %t, %c32 : index
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
    memref.store %v, %a[%i] : memref<96xi32, #shared>
    gpu.return
  }
  // The other one begins at 40.
  // expected-remark @+1 {{kernel 'joined_mended' is proved free of races}}
  gpu.func @joined_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<104xi32, #shared>
    %isIn = arith.cmpi ult, %t, %c40 : index
    scf.if %isIn {
      memref.store %v, %a[%t] : memref<104xi32, #shared>
    }
    %i = arith.addi %t, %c40 : index
    memref.store %v, %a[%i] : memref<104xi32, #shared>
    gpu.return
  }

  // The extents of both are known at run time, and the second one begins at an
  // extent that is not that of the first one.
  gpu.func @joined_at_run_time(%p: memref<i32>, %n: index, %m: index, %k: index, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%k], strides: [1] : memref<i32> to memref<?xi32>
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      %isIn = arith.cmpi ult, %t, %n : index
      scf.if %isIn {
        // expected-note @+1 {{the first access is the write here}}
        memref.store %v, %a[%t] : memref<?xi32>
      }
      %i = arith.addi %t, %m : index
      // expected-error @+1 {{[race-unproved] write of global memory by another thread of the warp could not be proved to stay away from what this access reaches}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'joined_at_run_time_mended' is proved free of races, with blocks of 32 threads, given that the indices of 2 of 2 accesses are in bounds}}
  gpu.func @joined_at_run_time_mended(%p: memref<i32>, %n: index, %k: index, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%k], strides: [1] : memref<i32> to memref<?xi32>
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirst {
      %isIn = arith.cmpi slt, %t, %n : index
      scf.if %isIn {
        // expected-note @+1 {{taken to be in bounds}}
        memref.store %v, %a[%t] : memref<?xi32>
      }
      %i = arith.addi %t, %n : index
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%i] : memref<?xi32>
    }
    gpu.return
  }

  // 70 elements for 64 threads: the six that are left over are written from 58 on,
  // not from 64 on.
  gpu.func @left_over(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c58 = arith.constant 58 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<70xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<70xi32, #shared>
    %isIn = arith.cmpi ult, %t, %c6 : index
    scf.if %isIn {
      %i = arith.addi %t, %c58 : index
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%i] : memref<70xi32, #shared>
    }
    gpu.return
  }

  // Each thread writes five elements, and threads begin four apart.
  gpu.func @five_each(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<160xi32, #shared>
    %first = arith.muli %t, %c4 : index
    scf.for %k = %c0 to %c5 step %c1 {
      %i = arith.addi %first, %k : index
      // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<160xi32, #shared>
    }
    gpu.return
  }
}
