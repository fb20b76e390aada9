// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// The number of a slot is a remainder of a product of unknown numbers: it has
// two values, which are tried. The triangular numbers i * (i + 1) / 2 of 128
// neighbouring i have 128 different remainders by 128, so the elements of two
// slots differ. A thread reads the other slot.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'other_slot' is proved free of races, with blocks of 64 threads}}
  gpu.func @other_slot(%x: index, %y: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xi32, #gpu.address_space<workgroup>>
    %product = arith.muli %x, %y : index
    %slot = arith.remui %product, %c2 : index
    %first = arith.muli %slot, %c64 : index
    %i = arith.addi %first, %t : index
    %next = arith.addi %i, %c1 : index
    %square = arith.muli %i, %next : index
    %triangle = arith.divui %square, %c2 : index
    %element = arith.remui %triangle, %c128 : index
    memref.store %v, %a[%element] : memref<128xi32, #gpu.address_space<workgroup>>
    %otherSlot = arith.subi %c1, %slot : index
    %otherFirst = arith.muli %otherSlot, %c64 : index
    %mirrored = arith.subi %c63, %t : index
    %j = arith.addi %otherFirst, %mirrored : index
    %otherNext = arith.addi %j, %c1 : index
    %otherSquare = arith.muli %j, %otherNext : index
    %otherTriangle = arith.divui %otherSquare, %c2 : index
    %other = arith.remui %otherTriangle, %c128 : index
    %r = memref.load %a[%other] : memref<128xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// If the first slot is 1, the other one is 1, too: thread t reads what thread
// 63 - t of the other warp writes.

gpu.module @kernels {
  gpu.func @same_slot(%x: index, %y: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xi32, #gpu.address_space<workgroup>>
    %product = arith.muli %x, %y : index
    %slot = arith.remui %product, %c2 : index
    %first = arith.muli %slot, %c64 : index
    %i = arith.addi %first, %t : index
    %next = arith.addi %i, %c1 : index
    %square = arith.muli %i, %next : index
    %triangle = arith.divui %square, %c2 : index
    %element = arith.remui %triangle, %c128 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%element] : memref<128xi32, #gpu.address_space<workgroup>>
    %otherSlot = arith.subi %c2, %slot : index
    %otherFirst = arith.muli %otherSlot, %c64 : index
    %mirrored = arith.subi %c63, %t : index
    %j = arith.addi %otherFirst, %mirrored : index
    %otherNext = arith.addi %j, %c1 : index
    %otherSquare = arith.muli %j, %otherNext : index
    %otherTriangle = arith.divui %otherSquare, %c2 : index
    %other = arith.remui %otherTriangle, %c128 : index
    // expected-error @+1 {{[race-unproved] read of shared memory by another warp of the block could not be proved to stay away from what this access reaches, without a barrier between them}}
    %r = memref.load %a[%other] : memref<128xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
