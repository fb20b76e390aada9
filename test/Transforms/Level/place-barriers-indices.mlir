// RUN: obs-opt %s --obs-place-barriers | FileCheck %s

// obs-place-barriers compares indices by index arithmetic.

!array = memref<64xi32, #obs.home<block, shared>>

// Bits below those of an unknown multiple of 32: the neighbour is in the warp.
// CHECK-LABEL: obs.kernel @low_bits
// CHECK: obs.barrier warp
// CHECK-NOT: obs.barrier
obs.kernel @low_bits(%n: index) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<4096xi32, #obs.home<block, shared>>
  %out = memref.alloc() : memref<64xi32, #obs.home<thread, registers>>
  %first = arith.muli %n, %c64 : index
  scf.forall (%t) in (64) {
    %i = arith.addi %first, %t : index
    memref.store %x, %a[%i] : memref<4096xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %i = arith.addi %first, %t : index
    %j = arith.xori %i, %c1 : index
    %v = memref.load %a[%j] : memref<4096xi32, #obs.home<block, shared>>
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// A loop in a leaf. The index does not depend on its iterations, or they depend
// on the thread: t reads its own row.
// CHECK-LABEL: obs.kernel @own_row
// CHECK-NOT: obs.barrier
obs.kernel @own_row(%n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<512xi32, #obs.home<block, shared>>
  scf.forall (%t) in (64) {
    %first = arith.muli %t, %c8 : index
    %end = arith.addi %first, %c8 : index
    scf.for %k = %c0 to %n step %c1 {
      scf.for %i = %first to %end step %c1 {
        memref.store %x, %a[%i] : memref<512xi32, #obs.home<block, shared>>
      }
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %first = arith.muli %t, %c8 : index
    %v = memref.load %a[%first] : memref<512xi32, #obs.home<block, shared>>
    memref.store %v, %a[%first] : memref<512xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
}

// One row further, it is not its own.
// CHECK-LABEL: obs.kernel @longer_row
// CHECK: obs.barrier block
obs.kernel @longer_row() attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<513xi32, #obs.home<block, shared>>
  scf.forall (%t) in (64) {
    %first = arith.muli %t, %c8 : index
    %end = arith.addi %first, %c9 : index
    scf.for %i = %first to %end step %c1 {
      memref.store %x, %a[%i] : memref<513xi32, #obs.home<block, shared>>
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %first = arith.muli %t, %c8 : index
    %v = memref.load %a[%first] : memref<513xi32, #obs.home<block, shared>>
    memref.store %v, %a[%first] : memref<513xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
}

// An element that no thread of the loop writes, read by all.
// CHECK-LABEL: obs.kernel @uniform_read
// CHECK-NOT: obs.barrier
obs.kernel @uniform_read(%out: memref<1xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
  %v = memref.load %a[%c32] : !array
  %w = arith.addi %v, %v : i32
}

// An element that one of them writes.
// CHECK-LABEL: obs.kernel @uniform_read_of_written
// CHECK: obs.barrier block
obs.kernel @uniform_read_of_written(%out: memref<1xi32>) attributes {threads = 64 : i64} {
  %c31 = arith.constant 31 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
  %v = memref.load %a[%c31] : !array
  %w = arith.addi %v, %v : i32
}

// Only a few threads of a long loop come to the access, all of the first warp,
// for any data that they read there.
// CHECK-LABEL: obs.kernel @guarded
// CHECK: obs.barrier warp
// CHECK-NOT: obs.barrier
obs.kernel @guarded(%table: memref<64xindex>) attributes {threads = 64 : i64} {
  %c16 = arith.constant 16 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %b = memref.alloc() : !array
  scf.forall (%t) in (64) {
    %few = arith.cmpi ult, %t, %c16 : index
    scf.if %few {
      memref.store %x, %a[%t] : !array
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %few = arith.cmpi ult, %t, %c16 : index
    scf.if %few {
      %i = memref.load %table[%t] : memref<64xindex>
      %v = memref.load %a[%i] : !array
      memref.store %v, %b[%t] : !array
    }
  } {mapping = [#obs.map<block, thread>]}
}

// A branch that no iteration takes writes nothing.
// CHECK-LABEL: obs.kernel @never
// CHECK-NOT: obs.barrier
obs.kernel @never() attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %b = memref.alloc() : !array
  scf.for %k = %c0 to %c4 step %c1 {
    %isLast = arith.cmpi uge, %k, %c4 : index
    scf.if %isLast {
      scf.forall (%t) in (64) {
        memref.store %x, %a[%t] : !array
      } {mapping = [#obs.map<block, thread>]}
    }
    scf.forall (%t) in (64) {
      %u = arith.subi %c63, %t : index
      %v = memref.load %a[%u] : !array
      memref.store %v, %b[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  }
}

// The number of iterations is unknown, but the elements of each thread are
// different: one element further.
// CHECK-LABEL: obs.kernel @unknown_count
// CHECK-NOT: obs.barrier
obs.kernel @unknown_count(%n: index) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc(%n) : memref<?xi32, #obs.home<block, shared>>
  scf.forall (%t) in (%n) {
    %i = arith.addi %t, %c1 : index
    memref.store %x, %a[%i] : memref<?xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (%n) {
    %i = arith.addi %t, %c1 : index
    %v = memref.load %a[%i] : memref<?xi32, #obs.home<block, shared>>
    memref.store %v, %a[%i] : memref<?xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
}

// In the next iteration of a loop the offset is another one.
// CHECK-LABEL: obs.kernel @stale
// CHECK: scf.for
// CHECK: obs.barrier block {why = ["write after read
// CHECK: scf.forall
// CHECK-NOT: obs.barrier
obs.kernel @stale(%n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<4096xi32, #obs.home<block, shared>>
  %b = memref.alloc() : !array
  scf.for %k = %c0 to %n step %c1 {
    scf.forall (%t) in (64) {
      %i = arith.addi %k, %t : index
      memref.store %x, %a[%i] : memref<4096xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %i = arith.addi %k, %t : index
      %v = memref.load %a[%i] : memref<4096xi32, #obs.home<block, shared>>
      memref.store %v, %b[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  }
}

// A condition that nobody knows: both elements are possible, in one warp.
// CHECK-LABEL: obs.kernel @either
// CHECK: obs.barrier warp
// CHECK-NOT: obs.barrier
obs.kernel @either(%in: memref<64xi1>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %b = memref.alloc() : !array
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %swap = memref.load %in[%t] : memref<64xi1>
    %j = scf.if %swap -> (index) {
      %u = arith.xori %t, %c1 : index
      scf.yield %u : index
    } else {
      scf.yield %t : index
    }
    %v = memref.load %a[%j] : !array
    memref.store %v, %b[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
}

// In every iteration, element i is of thread i mod 64. A read of the neighbour
// needs a barrier of the warp only.
// CHECK-LABEL: obs.kernel @tiles
// CHECK-NOT: obs.barrier
// CHECK-LABEL: obs.kernel @tiles_of_neighbours
// CHECK: scf.for
// CHECK: obs.barrier warp
// CHECK: scf.forall
// CHECK: obs.barrier warp
// CHECK: scf.forall
// CHECK-NOT: obs.barrier
obs.kernel @tiles(%n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<4096xi32, #obs.home<block, shared>>
  %b = memref.alloc() : !array
  scf.for %k = %c0 to %n step %c1 {
    %first = arith.muli %k, %c64 : index
    scf.forall (%t) in (64) {
      %i = arith.addi %first, %t : index
      memref.store %x, %a[%i] : memref<4096xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %i = arith.addi %first, %t : index
      %v = memref.load %a[%i] : memref<4096xi32, #obs.home<block, shared>>
      memref.store %v, %b[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  }
}
obs.kernel @tiles_of_neighbours(%n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : memref<4096xi32, #obs.home<block, shared>>
  %b = memref.alloc() : !array
  scf.for %k = %c0 to %n step %c1 {
    %first = arith.muli %k, %c64 : index
    scf.forall (%t) in (64) {
      %i = arith.addi %first, %t : index
      memref.store %x, %a[%i] : memref<4096xi32, #obs.home<block, shared>>
    } {mapping = [#obs.map<block, thread>]}
    scf.forall (%t) in (64) {
      %u = arith.xori %t, %c1 : index
      %i = arith.addi %first, %u : index
      %v = memref.load %a[%i] : memref<4096xi32, #obs.home<block, shared>>
      memref.store %v, %b[%t] : !array
    } {mapping = [#obs.map<block, thread>]}
  }
}

// Data of one bit, and data that a mask or a division bounds: the accesses stay
// in the first warp.
// CHECK-LABEL: obs.kernel @data
// CHECK: obs.barrier warp
// CHECK-NOT: obs.barrier
obs.kernel @data(%bits: memref<64xi1>, %bytes: memref<64xi8>, %words: memref<64xi32>) attributes {threads = 64 : i64} {
  %c3 = arith.constant 3 : i8
  %c20 = arith.constant 20 : i32
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %b = memref.alloc() : !array
  %c = memref.alloc() : !array
  %out = memref.alloc() : memref<64xi32, #obs.home<thread, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : !array
    memref.store %x, %b[%t] : !array
    memref.store %x, %c[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %bit = memref.load %bits[%t] : memref<64xi1>
    %i = arith.index_castui %bit : i1 to index
    %v = memref.load %a[%i] : !array
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %byte = memref.load %bytes[%t] : memref<64xi8>
    %low = arith.andi %byte, %c3 : i8
    %i = arith.index_castui %low : i8 to index
    %v = memref.load %b[%i] : !array
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %word = memref.load %words[%t] : memref<64xi32>
    %rest = arith.remui %word, %c20 : i32
    %i = arith.index_castui %rest : i32 to index
    %v = memref.load %c[%i] : !array
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// All of the array, or all of more than it.
// CHECK-LABEL: obs.kernel @any_data
// CHECK: obs.barrier block
// CHECK-NOT: obs.barrier
obs.kernel @any_data(%bytes: memref<64xi8>) attributes {threads = 64 : i64} {
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %out = memref.alloc() : memref<64xi32, #obs.home<thread, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : !array
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %byte = memref.load %bytes[%t] : memref<64xi8>
    %i = arith.index_castui %byte : i8 to index
    %v = memref.load %a[%i] : !array
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// Twice a number is even, so nothing is ever stored.
// CHECK-LABEL: obs.kernel @even_data
// CHECK-NOT: obs.barrier
obs.kernel @even_data(%bytes: memref<64xi8>) attributes {threads = 64 : i64} {
  %c63 = arith.constant 63 : index
  %x = arith.constant 0 : i32
  %a = memref.alloc() : !array
  %out = memref.alloc() : memref<64xi32, #obs.home<thread, registers>>
  scf.forall (%t) in (64) {
    %byte = memref.load %bytes[%t] : memref<64xi8>
    %twice = arith.addi %byte, %byte : i8
    %odd = arith.trunci %twice : i8 to i1
    %j = arith.subi %c63, %t : index
    scf.if %odd {
      memref.store %x, %a[%j] : !array
    }
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %v = memref.load %a[%t] : !array
    memref.store %v, %out[%t] : memref<64xi32, #obs.home<thread, registers>>
  } {mapping = [#obs.map<block, thread>]}
}
