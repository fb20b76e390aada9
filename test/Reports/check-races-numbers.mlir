// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// The proof needs facts about numbers that are known at run time only: those that
// loops carry, amounts of shifts, bounds.

// Iterations of a while loop write one half and read the other one, which change
// places; all elements of the last iteration's half are read behind it.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'halves' is proved free of races, with blocks of 16 threads}}
  gpu.func @halves(%n: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15 = arith.constant 15 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x16xi32, #gpu.address_space<workgroup>>
    memref.store %one, %a[%c0, %t] : memref<2x16xi32, #gpu.address_space<workgroup>>
    %half, %turns = scf.while (%slot = %c0, %k = %zero) : (index, i32) -> (index, i32) {
      gpu.barrier
      %x = memref.load %a[%slot, %c0] : memref<2x16xi32, #gpu.address_space<workgroup>>
      %sum = arith.addi %x, %k : i32
      %go = arith.cmpi slt, %sum, %n : i32
      scf.condition(%go) %slot, %k : index, i32
    } do {
    ^bb0(%slot: index, %k: i32):
      %next = arith.subi %c1, %slot : index
      %j = arith.subi %c15, %t : index
      %x = memref.load %a[%slot, %j] : memref<2x16xi32, #gpu.address_space<workgroup>>
      memref.store %x, %a[%next, %t] : memref<2x16xi32, #gpu.address_space<workgroup>>
      %k1 = arith.addi %k, %one : i32
      scf.yield %next, %k1 : index, i32
    }
    gpu.return
  }
}

// -----

// The same half again: one thread reads elements that another one overwrites.

gpu.module @kernels {
  gpu.func @one_half(%n: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x16xi32, #gpu.address_space<workgroup>>
    memref.store %one, %a[%c0, %t] : memref<2x16xi32, #gpu.address_space<workgroup>>
    %half, %turns = scf.while (%slot = %c0, %k = %zero) : (index, i32) -> (index, i32) {
      gpu.barrier
      %go = arith.cmpi slt, %k, %n : i32
      scf.condition(%go) %slot, %k : index, i32
    } do {
    ^bb0(%slot: index, %k: i32):
      %j = arith.subi %c15, %t : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %j] : memref<2x16xi32, #gpu.address_space<workgroup>>
      // expected-error @+1 {{write of shared memory by another thread of the warp}}
      memref.store %x, %a[%slot, %t] : memref<2x16xi32, #gpu.address_space<workgroup>>
      %k1 = arith.addi %k, %one : i32
      scf.yield %slot, %k1 : index, i32
    }
    gpu.return
  }
}

// -----

// Four elements for each thread. The index of the next one is counted up by 0 or
// 1, so it is one of these four. With steps of 0 to 2 it may be the neighbour's.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'filter' is proved free of races, with blocks of 64 threads}}
  gpu.func @filter(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi32, #gpu.address_space<workgroup>>
    %first = arith.muli %t, %c4 : index
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> (index) {
      %x = memref.load %data[] : memref<i32>
      %keep = arith.cmpi sge, %x, %v : i32
      %to = arith.addi %first, %k : index
      memref.store %v, %a[%to] : memref<256xi32, #gpu.address_space<workgroup>>
      %k1 = arith.addi %k, %c1 : index
      %next = arith.select %keep, %k1, %k : index
      scf.yield %next : index
    }
    gpu.return
  }
  gpu.func @steps(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi32, #gpu.address_space<workgroup>>
    %first = arith.muli %t, %c4 : index
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> (index) {
      %x = memref.load %data[] : memref<i32>
      %keep = arith.cmpi sge, %x, %v : i32
      %to = arith.addi %first, %k : index
      // expected-error @+2 {{[race-unproved] write of shared memory by another thread of the warp}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%to] : memref<256xi32, #gpu.address_space<workgroup>>
      %k1 = arith.addi %k, %c2 : index
      %next = arith.select %keep, %k1, %k : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

// Comparators between i and i xor (2^(top+1) - 2^low), where i has a zero at bit
// top: they keep apart only if top >= low, which the loops say: low = n - 1 - q,
// top = low + (q - m), and m <= q.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'column' is proved free of races, with blocks of 64 threads}}
  gpu.func @column(%n: index, %half: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %ones = arith.constant -1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %last = arith.subi %n, %c1 : index
    scf.for %q = %c0 to %n step %c1 {
      %low = arith.subi %last, %q : index
      %lowest = arith.shli %c1, %low : index
      %end = arith.addi %q, %c1 : index
      scf.for %m = %c0 to %end step %c1 {
        %d = arith.subi %q, %m : index
        %top = arith.addi %low, %d : index
        %above = arith.shli %c2, %top : index
        %mask = arith.subi %above, %lowest : index
        %bit = arith.shli %c1, %top : index
        %below = arith.subi %bit, %c1 : index
        %high = arith.xori %below, %ones : index
        gpu.barrier
        scf.for %i = %t to %half step %c64 {
          %rest = arith.andi %i, %high : index
          %left = arith.addi %i, %rest : index
          %right = arith.xori %left, %mask : index
          // expected-note @+1 {{taken to be in bounds}}
          memref.store %v, %a[%left] : memref<1024xi32, #gpu.address_space<workgroup>>
          // expected-note @+1 {{taken to be in bounds}}
          memref.store %v, %a[%right] : memref<1024xi32, #gpu.address_space<workgroup>>
        }
      }
    }
    gpu.return
  }
}

// -----

// The same with one iteration more, where top = low - 1: the mask is 0, and both
// stores are one.

gpu.module @kernels {
  gpu.func @column(%n: index, %half: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %ones = arith.constant -1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi32, #gpu.address_space<workgroup>>
    %last = arith.subi %n, %c1 : index
    scf.for %q = %c0 to %n step %c1 {
      %low = arith.subi %last, %q : index
      %lowest = arith.shli %c1, %low : index
      %end = arith.addi %q, %c2 : index
      scf.for %m = %c0 to %end step %c1 {
        %d = arith.subi %q, %m : index
        %top = arith.addi %low, %d : index
        %above = arith.shli %c2, %top : index
        %mask = arith.subi %above, %lowest : index
        %bit = arith.shli %c1, %top : index
        %below = arith.subi %bit, %c1 : index
        %high = arith.xori %below, %ones : index
        gpu.barrier
        scf.for %i = %t to %half step %c64 {
          %rest = arith.andi %i, %high : index
          %left = arith.addi %i, %rest : index
          %right = arith.xori %left, %mask : index
          // expected-note @+1 {{the first access is the write here}}
          memref.store %v, %a[%left] : memref<1024xi32, #gpu.address_space<workgroup>>
          // expected-error @+2 {{[race-unproved] write of shared memory}}
          // expected-note @+1 {{the first access is the write here}}
          memref.store %v, %a[%right] : memref<1024xi32, #gpu.address_space<workgroup>>
        }
      }
    }
    gpu.return
  }
}

// -----

// A proof takes indices to be within their arrays, and says which ones it could
// not prove to be so: that of the data, and that of the smaller array.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'bounds' is proved free of races, with blocks of 32 threads, given that the indices of 2 of 3 accesses are in bounds}}
  gpu.func @bounds(%in: memref<i32>, %n: index, %small: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = memref.reinterpret_cast %small to offset: [0], sizes: [31], strides: [1] : memref<i32> to memref<31xi32>
    %t = gpu.thread_id x
    %isIn = arith.cmpi ult, %t, %n : index
    scf.if %isIn {
      %x = memref.load %a[%t] : memref<?xi32>
      %i = arith.index_castui %x : i32 to index
      // expected-note @+1 {{taken to be in bounds}}
      %y = memref.load %a[%i] : memref<?xi32>
      // expected-note @+1 {{taken to be in bounds}}
      %z = memref.load %b[%t] : memref<31xi32>
    }
    gpu.return
  }
  // A vector is in bounds with its last element.
  // expected-remark @+1 {{given that the indices of 1 of 2 accesses are in bounds}}
  gpu.func @vectors(%in: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [127], strides: [1] : memref<i32> to memref<127xi32>
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %x = memref.load %a[%i] : memref<127xi32>
    // expected-note @+1 {{taken to be in bounds}}
    %y = vector.load %a[%i] : memref<127xi32>, vector<4xi32>
    gpu.return
  }
}

// -----

// All launches give the two arrays one size, so an index that is in bounds of
// the first is in bounds of the second, too. The third has another size.

module attributes {gpu.container_module} {
  func.func @main(%in: memref<i32>, %out: memref<i32>, %n: index, %m: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@sizes blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%in : memref<i32>, %n : index, %out : memref<i32>, %n : index, %m : index)
    gpu.launch_func @kernels::@sizes blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%in : memref<i32>, %m : index, %out : memref<i32>, %m : index, %m : index)
    return
  }
  gpu.module @kernels {
    // expected-remark @+1 {{kernel 'sizes' is proved free of races, with blocks of 32 threads, given that the indices of 1 of 3 accesses are in bounds}}
    gpu.func @sizes(%in: memref<i32>, %n: index, %out: memref<i32>, %k: index, %m: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %a = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
      %b = memref.reinterpret_cast %out to offset: [0], sizes: [%k], strides: [1] : memref<i32> to memref<?xi32>
      %c = memref.reinterpret_cast %out to offset: [0], sizes: [%m], strides: [1] : memref<i32> to memref<?xi32>
      %t = gpu.thread_id x
      %isIn = arith.cmpi ult, %t, %n : index
      scf.if %isIn {
        %x = memref.load %a[%t] : memref<?xi32>
        %y = memref.load %b[%t] : memref<?xi32>
        // expected-note @+1 {{taken to be in bounds}}
        %z = memref.load %c[%t] : memref<?xi32>
      }
      gpu.return
    }
  }
}

// -----

// A cast cuts bits off: threads t and t + 256 store in one place.

gpu.module @kernels {
  gpu.func @narrow_cast() kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i32
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %m = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %y = arith.index_castui %t : index to i8
    %k = arith.index_castui %y : i8 to index
    // expected-note @+2 {{the first access is the write here}}
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    memref.store %x, %m[%k] : memref<256xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
