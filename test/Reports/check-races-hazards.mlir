// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// Ways to have a race, or to miss a barrier, that are easily overlooked. The
// checker reports each one, or refuses what it would overlook.

// Vectors of four elements that begin at neighbours: they overlap, and begin at
// different indices.

gpu.module @kernels {
  gpu.func @vectors(%p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %zero = arith.constant dense<0> : vector<4xi32>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    // expected-error @+2 {{[race] write of global memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    vector.store %zero, %a[%t] : memref<?xi32>, vector<4xi32>
    gpu.return
  }
  gpu.func @vector_and_element(%p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %v = arith.constant 0 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %isFirstBlock = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirstBlock {
      scf.if %isFirst {
        // expected-note @+1 {{the first access is the read here}}
        %x = vector.load %a[%c0] : memref<?xi32>, vector<4xi32>
      } else {
        // expected-error @+1 {{[race] write of global memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 0 and 1, element 3}}
        memref.store %v, %a[%c3] : memref<?xi32>
      }
    }
    gpu.return
  }
}

// -----

// The same array by way of a part of it that begins one later.

gpu.module @kernels {
  gpu.func @part(%p: memref<i32>, %n: index, %from: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %v = arith.constant 0 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %rest = memref.subview %a[%from] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %isFirstBlock = arith.cmpi eq, %b, %c0 : index
    scf.if %isFirstBlock {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%t] : memref<?xi32>
      // expected-error @+1 {{[race-unproved] read of global memory by another thread of the warp}}
      %x = memref.load %rest[%t] : memref<?xi32, strided<[1], offset: ?>>
    }
    gpu.return
  }
}

// -----

// An array of which the rows overlap: (0, 1) is (1, 0).

gpu.module @kernels {
  gpu.func @rows(%p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %v = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n, %n], strides: [1, 1] : memref<i32> to memref<?x?xi32, strided<[1, 1]>>
    %t = gpu.thread_id x
    %other = arith.subi %c1, %t : index
    // expected-error @+2 {{[race] write of global memory by another thread of the warp reaches what this same statement also reaches, without a barrier between them: threads 0 and 1, byte 4}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t, %other] : memref<?x?xi32, strided<[1, 1]>>
    gpu.return
  }
}

// -----

// Two views of the shared memory, with elements of 4 and of 8 bytes: element 3
// of the one is half of element 1 of the other.

gpu.module @kernels {
  gpu.func @views() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    %b = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi64, #gpu.address_space<workgroup>>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<4xi32, #gpu.address_space<workgroup>>
    scf.if %isFirst {
      // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 2 and 0, byte 8}}
      %x = memref.load %b[%c1] : memref<2xi64, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // Two operations give the same shared memory.
  gpu.func @arenas() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %r = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %r[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    %b = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<4xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %b[%c1] : memref<4xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
  // A view that begins within an element of the other one: elements 0 and 1.
  gpu.func @shifted() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    %b = memref.view %s[%c2][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi32, #gpu.address_space<workgroup>>
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %b[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    } else {
      // expected-error @+1 {{read of shared memory by another thread of the warp}}
      %x = memref.load %a[%c1] : memref<2xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
  // A cast of a view counts from where the view begins.
  gpu.func @cast_of_view() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    %b = memref.view %s[%c4][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi32, #gpu.address_space<workgroup>>
    %c = memref.reinterpret_cast %b to offset: [0], sizes: [1], strides: [1] : memref<1xi32, #gpu.address_space<workgroup>> to memref<1xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches, without a barrier between them: threads 1 and 0, byte 4}}
    %x = memref.load %c[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Atomic updates of 4 and of 8 bytes are not atomic for each other, and what is
// updated must not be written as usual.

gpu.module @kernels {
  gpu.func @widths() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %w = arith.constant 1 : i64
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    %b = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi64, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the atomic update here}}
    %x = memref.atomic_rmw addi %v, %a[%c0] : (i32, memref<2xi32, #gpu.address_space<workgroup>>) -> i32
    // expected-error @+1 {{[race] atomic update of shared memory by another thread of the warp}}
    %y = memref.atomic_rmw addi %w, %b[%c0] : (i64, memref<1xi64, #gpu.address_space<workgroup>>) -> i64
    gpu.return
  }
  gpu.func @store() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{[race] atomic update of shared memory by another thread of the warp}}
    %x = memref.generic_atomic_rmw %a[%c0] : memref<2xi32, #gpu.address_space<workgroup>> {
    ^bb0(%old: i32):
      %new = arith.muli %old, %v : i32
      memref.atomic_yield %new : i32
    }
    gpu.return
  }
}

// -----

// Two parameters of different types that may be one array.

gpu.module @kernels {
  gpu.func @in_place(%in: memref<i32> {obs.may_alias}, %n: index, %out: memref<f32> {obs.may_alias}) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c1 = arith.constant 1 : index
    %v = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %other = arith.subi %c1, %t : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [2], strides: [1] : memref<i32> to memref<2xi32>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [2], strides: [1] : memref<f32> to memref<2xf32>
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%other] : memref<2xi32>
    // expected-error @+3 {{[race] write of global memory by another thread of the warp}}
    // expected-error @+2 {{[race] write of global memory by another block}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %r[%t] : memref<2xf32>
    gpu.return
  }
}

// -----

// A barrier where threads decide by a number that a loop has made of theirs: %x
// is 0 for all of them in the first iteration only.

gpu.module @kernels {
  gpu.func @carried(%n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %y = arith.addi %x, %c1 : index
      %z = arith.addi %y, %t : index
      %isLarge = arith.cmpi ult, %c1, %y : index
      // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
      scf.if %isLarge {
        gpu.barrier
      }
      scf.yield %z : index
    }
    gpu.return
  }
  // A flag that others raise: one thread can see it, and the next one not yet.
  gpu.func @flag(%a: memref<?xi32>, %flags: memref<?xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %flag, %x = obs.await %a flag %flags[%c0] >= %v : memref<?xi32> flag memref<?xi32> -> i32
    %isUp = arith.cmpi ne, %flag, %v : i32
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
    scf.if %isUp {
      gpu.barrier
    }
    gpu.return
  }
  // An element that others write as 'any' is not the same for all threads, either.
  gpu.func @any(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1xi32, #gpu.address_space<workgroup>>
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #gpu.address_space<workgroup>>
    %differs = arith.cmpi ne, %x, %v : i32
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
    scf.if %differs {
      memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @loop() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
    scf.for %i = %c0 to %t step %c1 {
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// A shuffle needs all lanes of the warp.

gpu.module @kernels {
  gpu.func @shuffle() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : index
    %v = arith.constant 7 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c8 : index
    // expected-error @+1 {{[barrier-divergence] holds a shuffle of a warp, and its threads can take different branches here; make all of them reach the shuffle}}
    scf.if %some {
      %x, %valid = gpu.shuffle xor %v, %one, %width : i32
    }
    gpu.return
  }
  // Warps decide one by one.
  // expected-remark @+1 {{kernel 'shuffle_of_warp' is proved free of races}}
  gpu.func @shuffle_of_warp() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %v = arith.constant 7 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %w = arith.divui %t, %c32 : index
    %isFirst = arith.cmpi eq, %w, %c0 : index
    scf.if %isFirst {
      %x, %valid = gpu.shuffle xor %v, %one, %width : i32
    }
    gpu.return
  }
}

// -----

// The number of a block, and a ticket of another block, can be one.

gpu.module @kernels {
  gpu.func @drawn(%counter: memref<i32>, %p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1 : i32
    %b = gpu.block_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %cell = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<index, #gpu.address_space<workgroup>>
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %i = obs.ticket %counter[] via %cell : memref<i32>, memref<index, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    // expected-error @+1 {{[race-unproved] write of global memory by another block}}
    memref.store %v, %a[%b] : memref<?xi32>
    gpu.return
  }
}

// -----

// Signed quotients round towards zero: -1 / 2 and 1 / 2 are both 0.

gpu.module @kernels {
  gpu.func @signed() kernel attributes {known_block_size = array<i32: 3, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    %left = arith.subi %t, %c1 : index
    %isSide = arith.cmpi ne, %t, %c1 : index
    scf.if %isSide {
      %i = arith.divsi %left, %c2 : index
      // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<4xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// The check does not know these operations and refuses them: they could race.

gpu.module @kernels {
  gpu.func @copy(%p: memref<i32>, %q: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    // expected-error @+1 {{[race-stage] may access memory in a way that lowered kernels do not; check the kernel as obs-to-gpu leaves it}}
    memref.copy %p, %q : memref<i32> to memref<i32>
    gpu.return
  }
  gpu.func @chosen(%p: memref<i32>, %q: memref<i32>, %c: i1) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %v = arith.constant 0 : i32
    %r = arith.select %c, %p, %q : memref<i32>
    // expected-error @+1 {{[race-stage] accesses memory of unknown origin; check the kernel as obs-to-gpu leaves it}}
    memref.store %v, %r[] : memref<i32>
    gpu.return
  }
  // expected-error @+1 {{[race-stage] has blocks of more than one dimension, which obs-to-gpu does not make}}
  gpu.func @plane(%p: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 2, 1>} {
    gpu.return
  }
  gpu.func @row(%p: memref<i32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    // expected-error @+1 {{[race-stage] asks for a dimension that lowered kernels do not have}}
    %b = gpu.block_id y
    gpu.return
  }
  memref.global "private" constant @table : memref<2xi32> = dense<[0, 1]>
  gpu.func @constants() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %table = memref.get_global @table : memref<2xi32>
    // expected-error @+1 {{[race-stage] writes to a constant}}
    memref.store %v, %table[%t] : memref<2xi32>
    gpu.return
  }
}

// -----

// "Disjoint" says that one array is not written twice at one place. In the next
// iteration of the block it is another array in the same memory.

gpu.module @kernels {
  gpu.func @turns(%p: memref<i32>, %n: index) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 0 : i32
    %t = gpu.thread_id x
    %to = memref.reinterpret_cast %p to offset: [0], sizes: [2], strides: [1] : memref<i32> to memref<2xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      %odd = arith.remui %i, %c1 : index
      %isOdd = arith.cmpi eq, %odd, %c1 : index
      scf.if %isOdd {
        gpu.barrier
      }
      %w = memref.load %to[%t] : memref<2xi32>
      %k = arith.index_castui %w : i32 to index
      // expected-error @+2 {{[race-unproved] write of shared memory by another thread of the warp}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%k] {obs.contract = "disjoint"} : memref<2xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
