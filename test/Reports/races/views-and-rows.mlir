// Two arrays in shared memory overlap by some bytes, or rows of a matrix are
// counted with another width than they have.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The second array begins with the last element of the first one.
  gpu.func @last_element(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c252 = arith.constant 252 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %b = memref.view %s[%c252][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
    memref.store %v, %b[%t] : memref<64xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'last_element_mended' is proved free of races}}
  gpu.func @last_element_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %b = memref.view %s[%c256][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    memref.store %v, %b[%t] : memref<64xi32, #shared>
    gpu.return
  }

  // The place of the second array is counted for elements of 4 bytes, and those of
  // the first one have 8.
  gpu.func @larger_elements(%v: i32, %w: i64) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi64, #shared>
    %b = memref.view %s[%c256][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %w, %a[%t] : memref<64xi64, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %v, %b[%t] : memref<64xi32, #shared>
    gpu.return
  }

  // Elements of 2 bytes are read of the words that others write.
  gpu.func @half_words(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xf16, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %b[%t] : memref<64xf16, #shared>
    gpu.return
  }
  // Each thread reads a half of its own word.
  // expected-remark @+1 {{kernel 'half_words_mended' is proved free of races}}
  gpu.func @half_words_mended(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xf16, #shared>
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    %i = arith.muli %t, %c2 : index
    %x = memref.load %b[%i] : memref<64xf16, #shared>
    gpu.return
  }

  // A part that begins at element 16 is read while others write the array. The check
  // does not know which element of the array a part begins at.
  gpu.func @parts(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %high = memref.subview %a[16] [32] [1] : memref<64xi32, #shared> to memref<32xi32, strided<[1], offset: 16>, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
    %x = memref.load %high[%t] : memref<32xi32, strided<[1], offset: 16>, #shared>
    gpu.return
  }

  // The place of the second array is an argument of the kernel.
  gpu.func @place_by_argument(%v: i32, %place: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %b = memref.view %s[%place][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %v, %b[%t] : memref<32xi32, #shared>
    gpu.return
  }

  // Two rows of 32 elements, one for each warp, in an array with rows of 31: (0, 31)
  // is (1, 0).
  gpu.func @narrow_rows(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %row = arith.divui %t, %c32 : index
    %column = arith.remui %t, %c32 : index
    %begin = arith.muli %row, %c31 : index
    %i = arith.addi %begin, %column : index
    // expected-error @+2 {{[race] write of shared memory by another warp of the block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<64xi32, #shared>
    gpu.return
  }
  // Rows of 33 keep apart.
  // expected-remark @+1 {{kernel 'narrow_rows_mended' is proved free of races}}
  gpu.func @narrow_rows_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c33 = arith.constant 33 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<65xi32, #shared>
    %row = arith.divui %t, %c32 : index
    %column = arith.remui %t, %c32 : index
    %begin = arith.muli %row, %c33 : index
    %i = arith.addi %begin, %column : index
    memref.store %v, %a[%i] : memref<65xi32, #shared>
    gpu.return
  }

  // A tile is written by rows and read by columns, without a barrier.
  gpu.func @transposed(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16x16xi32, #shared>
    %row = arith.divui %t, %c16 : index
    %column = arith.remui %t, %c16 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%row, %column] : memref<16x16xi32, #shared>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%column, %row] : memref<16x16xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'transposed_mended' is proved free of races}}
  gpu.func @transposed_mended(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16x16xi32, #shared>
    %row = arith.divui %t, %c16 : index
    %column = arith.remui %t, %c16 : index
    memref.store %v, %a[%row, %column] : memref<16x16xi32, #shared>
    gpu.barrier
    %x = memref.load %a[%column, %row] : memref<16x16xi32, #shared>
    gpu.return
  }

  // Quotient by 16 and remainder by 15: threads 0 and 15 have the same pair.
  gpu.func @wrong_remainder(%v: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<16x16xi32, #shared>
    %row = arith.divui %t, %c16 : index
    %column = arith.remui %t, %c15 : index
    // expected-error @+2 {{[race] write of shared memory by another thread of the warp reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%row, %column] : memref<16x16xi32, #shared>
    gpu.return
  }

  // A row for each block, in a matrix of which the rows overlap by one.
  gpu.func @rows_overlap(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 64], strides: [63, 1] : memref<i32> to memref<?x64xi32, strided<[63, 1]>>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%b, %t] : memref<?x64xi32, strided<[63, 1]>>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'rows_overlap_mended' is proved free of races, with blocks of 64 threads, given that the indices of 1 of 1 accesses are in bounds}}
  gpu.func @rows_overlap_mended(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n, 64], strides: [64, 1] : memref<i32> to memref<?x64xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-note @+1 {{taken to be in bounds}}
    memref.store %v, %a[%b, %t] : memref<?x64xi32>
    gpu.return
  }

  // Rows of 64 elements by hand, with the width of another array.
  gpu.func @width_by_argument(%p: memref<i32>, %n: index, %width: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %begin = arith.muli %b, %width : index
    %i = arith.addi %begin, %t : index
    // expected-error @+2 {{[race-unproved] write of global memory by another block could not be proved to stay away from what the same statement reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
}
