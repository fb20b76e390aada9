// Integers have the range of their type. Sums, products and shifts of few bits
// wrap, casts cut bits off, and signs change the order, so two threads hit one
// element although their numbers differ.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // 4 t of 8 bits is the same for t and t + 64.
  gpu.func @product_of_8_bits(%v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : i8
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<512xi32, #shared>
    %b = arith.index_cast %t : index to i8
    %c = arith.muli %b, %four : i8
    %i = arith.index_castui %c : i8 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<512xi32, #shared>
    gpu.return
  }
  // 16 bits are enough for 4 t.
  // expected-remark @+1 {{kernel 'product_of_8_bits_mended' is proved free of races}}
  gpu.func @product_of_8_bits_mended(%v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : i16
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<512xi32, #shared>
    %b = arith.index_cast %t : index to i16
    %c = arith.muli %b, %four : i16
    %i = arith.index_castui %c : i16 to index
    memref.store %v, %a[%i] : memref<512xi32, #shared>
    gpu.return
  }

  // 1024 t of 16 bits is the same for t and t + 64.
  gpu.func @product_of_16_bits(%v: i8) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : i16
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<65536xi8, #shared>
    %b = arith.index_cast %t : index to i16
    %c = arith.muli %b, %c1024 : i16
    %i = arith.index_castui %c : i16 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<65536xi8, #shared>
    gpu.return
  }

  // t << 12 >> 12 of 16 bits is t modulo 16.
  gpu.func @shift_of_16_bits(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %twelve = arith.constant 12 : i16
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = arith.index_cast %t : index to i16
    %c = arith.shli %b, %twelve : i16
    %d = arith.shrui %c, %twelve : i16
    %i = arith.index_castui %d : i16 to index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
  // With 11 bits all 32 numbers stay different.
  // expected-remark @+1 {{kernel 'shift_of_16_bits_mended' is proved free of races}}
  gpu.func @shift_of_16_bits_mended(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %eleven = arith.constant 11 : i16
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = arith.index_cast %t : index to i16
    %c = arith.shli %b, %eleven : i16
    %d = arith.shrui %c, %eleven : i16
    %i = arith.index_castui %d : i16 to index
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // t << 31 >> 31 of 32 bits is the parity of t.
  gpu.func @parity(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = arith.index_cast %t : index to i32
    %c = arith.shli %b, %c31 : i32
    %d = arith.shrui %c, %c31 : i32
    %i = arith.index_castui %d : i32 to index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // Of 2^28 t, 32 bits hold four bits of t: the quotient is t modulo 16.
  gpu.func @product_of_32_bits(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %factor = arith.constant 0x10000000 : i32
    %c28 = arith.constant 28 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = arith.index_cast %t : index to i32
    %c = arith.muli %b, %factor : i32
    %d = arith.shrui %c, %c28 : i32
    %i = arith.index_castui %d : i32 to index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
  // The same in 64 bits.
  // expected-remark @+1 {{kernel 'product_of_32_bits_mended' is proved free of races}}
  gpu.func @product_of_32_bits_mended(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %factor = arith.constant 0x10000000 : i64
    %c28 = arith.constant 28 : i64
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = arith.index_cast %t : index to i64
    %c = arith.muli %b, %factor : i64
    %d = arith.shrui %c, %c28 : i64
    %i = arith.index_castui %d : i64 to index
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }

  // -t of 8 bits is the same for t and t + 256.
  gpu.func @minus(%v: i32) kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i16
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<256xi32, #shared>
    %b = arith.index_cast %t : index to i16
    %c = arith.subi %zero, %b : i16
    %d = arith.trunci %c : i16 to i8
    %i = arith.index_castui %d : i8 to index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<256xi32, #shared>
    gpu.return
  }

  // A number of 8 bits with its sign: 255 is -1, and its amount is that of 1.
  gpu.func @amount(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<256xi32, #shared>
    %b = arith.index_cast %t : index to i8
    %c = arith.index_cast %b : i8 to index
    %minus = arith.subi %c0, %c : index
    %i = arith.maxsi %c, %minus : index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<256xi32, #shared>
    gpu.return
  }
  // Half of the threads have positive numbers only.
  // expected-remark @+1 {{kernel 'amount_mended' is proved free of races}}
  gpu.func @amount_mended(%v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<256xi32, #shared>
    %b = arith.index_cast %t : index to i8
    %c = arith.index_cast %b : i8 to index
    %minus = arith.subi %c0, %c : index
    %i = arith.maxsi %c, %minus : index
    memref.store %v, %a[%i] : memref<256xi32, #shared>
    gpu.return
  }

  // A signed remainder has the sign of what is divided: it is 0 for t = 0, 32
  // and 64.
  gpu.func @signed_remainder(%v: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %left = arith.subi %t, %c32 : index
    %rest = arith.remsi %left, %c32 : index
    %i = arith.addi %rest, %c31 : index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<64xi32, #shared>
    gpu.return
  }

  // From 128 on numbers of 8 bits are negative, and so below 100 with a sign: then
  // threads 1 and 129 both come to element 1.
  gpu.func @signed_compare(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %hundred = arith.constant 100 : i8
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    %b = arith.index_cast %t : index to i8
    %isLow = arith.cmpi slt, %b, %hundred : i8
    scf.if %isLow {
      %i = arith.andi %t, %c127 : index
      // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%i] : memref<128xi32, #shared>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'signed_compare_mended' is proved free of races}}
  gpu.func @signed_compare_mended(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c127 = arith.constant 127 : index
    %hundred = arith.constant 100 : i8
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<128xi32, #shared>
    %b = arith.index_cast %t : index to i8
    %isLow = arith.cmpi ult, %b, %hundred : i8
    scf.if %isLow {
      %i = arith.andi %t, %c127 : index
      memref.store %v, %a[%i] : memref<128xi32, #shared>
    }
    gpu.return
  }

  // The mask leaves bit 4 out.
  gpu.func @mask_with_a_hole(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c47 = arith.constant 47 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<48xi32, #shared>
    %i = arith.andi %t, %c47 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<48xi32, #shared>
    gpu.return
  }
}
