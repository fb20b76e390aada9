// A contract of the source covers less than what the program does: it is one of
// a store with itself, or of two sides of a flag, or does not order contents that
// are written before others. The code around an access is not that of its contract.
// Marks on parameters say that two of them may be one array, and block sizes of a
// kernel are not those that its indices are made for.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The scatter promises that its own writes do not meet. The other store writes
  // the same array.
  gpu.func @disjoint_and_other(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %w = memref.load %where[%t] : memref<32xi32>
    %wide = arith.index_cast %w : i32 to index
    %i = arith.andi %wide, %c31 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
    memref.store %v, %a[%i] {obs.contract = "disjoint"} : memref<32xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'disjoint_and_other_mended' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @disjoint_and_other_mended(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    %w = memref.load %where[%t] : memref<32xi32>
    %wide = arith.index_cast %w : i32 to index
    %i = arith.andi %wide, %c31 : index
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    gpu.barrier
    // expected-note @+1 {{written as 'disjoint', which the program promises}}
    memref.store %v, %a[%i] {obs.contract = "disjoint"} : memref<32xi32, #shared>
    gpu.return
  }

  // Any of the writes may win, and a reader that does not wait gets any of them.
  gpu.func @any_and_read(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%c0] : memref<1xi32, #shared>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'any_and_read_mended' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @any_and_read_mended(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    // expected-note @+1 {{written as 'any', which the program promises}}
    memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    gpu.barrier
    %x = memref.load %a[%c0] : memref<1xi32, #shared>
    gpu.return
  }

  // A load may find what another thread wrote as 'any', and then saves a store. Another load may not.
  // expected-remark @+1 {{kernel 'any_and_test' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @any_and_test(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    %differs = arith.cmpi ne, %x, %v : i32
    scf.if %differs {
      // expected-note @+1 {{written as 'any', which the program promises}}
      memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    }
    gpu.return
  }
  gpu.func @test_and_store(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    scf.if %first {
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
      memref.store %v, %a[%c0] : memref<1xi32, #shared>
    }
    gpu.return
  }

  // What the load finds may decide about the store of this element only.
  gpu.func @test_escapes(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %c64 = arith.constant 64 : index
    %out = memref.view %s[%c64][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    %differs = arith.cmpi ne, %x, %v : i32
    scf.if %differs {
      // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
      memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    }
    memref.store %x, %out[%t] : memref<32xi32, #shared>
    gpu.return
  }
  gpu.func @test_decides_more(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %c64 = arith.constant 64 : index
    %out = memref.view %s[%c64][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    %differs = arith.cmpi ne, %x, %v : i32
    scf.if %differs {
      // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
      memref.store %v, %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
      memref.store %v, %out[%t] : memref<32xi32, #shared>
    }
    gpu.return
  }

  // Two stores that are not copies of one: each is disjoint, and nobody has promised
  // that both together are.
  gpu.func @two_origins(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c32 : index
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %w = memref.load %where[%t] : memref<64xi32>
    %x = memref.load %where[%u] : memref<64xi32>
    %wide = arith.index_cast %w : i32 to index
    %wider = arith.index_cast %x : i32 to index
    %i = arith.andi %wide, %c63 : index
    %j = arith.andi %wider, %c63 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] {obs.contract = "disjoint", obs.origin = 1 : i64} : memref<64xi32, #shared>
    // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
    memref.store %v, %a[%j] {obs.contract = "disjoint", obs.origin = 2 : i64} : memref<64xi32, #shared>
    gpu.return
  }
  // They are copies, for the two elements of a thread.
  // expected-remark @+1 {{kernel 'two_origins_mended' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @two_origins_mended(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %u = arith.addi %t, %c32 : index
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    %w = memref.load %where[%t] : memref<64xi32>
    %x = memref.load %where[%u] : memref<64xi32>
    %wide = arith.index_cast %w : i32 to index
    %wider = arith.index_cast %x : i32 to index
    %i = arith.andi %wide, %c63 : index
    %j = arith.andi %wider, %c63 : index
    // expected-note @+1 {{written as 'disjoint', which the program promises}}
    memref.store %v, %a[%i] {obs.contract = "disjoint", obs.origin = 1 : i64} : memref<64xi32, #shared>
    // expected-note @+1 {{written as 'disjoint', which the program promises}}
    memref.store %v, %a[%j] {obs.contract = "disjoint", obs.origin = 1 : i64} : memref<64xi32, #shared>
    gpu.return
  }

  // Two arrays are in the same bytes.
  gpu.func @test_of_another_array(%v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    %b = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<4xi8, #shared>
    %t = gpu.thread_id x
    %byte = arith.constant 1 : i8
    %first = arith.cmpi eq, %t, %c0 : index
    // expected-note @+1 {{the first access is the read here}}
    %x = memref.load %a[%c0] {obs.contract = "any"} : memref<1xi32, #shared>
    %differs = arith.cmpi ne, %x, %v : i32
    scf.if %first {
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
      memref.store %byte, %b[%c0] {obs.contract = "any"} : memref<4xi8, #shared>
    }
    gpu.return
  }

  // A load is no copy of a store.
  gpu.func @origin_of_load(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<33xi32, #shared>
    %u = arith.addi %t, %c1 : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] {obs.contract = "disjoint", obs.origin = 1 : i64} : memref<33xi32, #shared>
    // expected-error @+1 {{[race] read of shared memory by another thread of the warp reaches what this access also reaches}}
    %x = memref.load %a[%u] {obs.contract = "disjoint", obs.origin = 1 : i64} : memref<33xi32, #shared>
    gpu.return
  }

  // In a loop without a barrier, all iterations count as one fill: the contract covers them. The kernel does not
  // say whether the loop belongs to the fill.
  // expected-remark @+1 {{kernel 'disjoint_in_loop' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @disjoint_in_loop(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [2, 32], strides: [32, 1] : memref<i32> to memref<2x32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c2 step %c1 {
      %w = memref.load %where[%k, %t] : memref<2x32xi32>
      %wide = arith.index_cast %w : i32 to index
      %i = arith.andi %wide, %c63 : index
      // expected-note @+1 {{written as 'disjoint', which the program promises}}
      memref.store %v, %a[%i] {obs.contract = "disjoint"} : memref<64xi32, #shared>
    }
    gpu.return
  }
  // Each iteration runs a force of its own: nobody has promised that two of them write different elements.
  gpu.func @forces_in_loop(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [2, 32], strides: [32, 1] : memref<i32> to memref<2x32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c2 step %c1 {
      %w = memref.load %where[%k, %t] : memref<2x32xi32>
      %wide = arith.index_cast %w : i32 to index
      %i = arith.andi %wide, %c63 : index
      // expected-note @+2 {{the first access is the write here}}
      // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what the same statement reaches, without a barrier between them}}
      memref.store %v, %a[%i] {obs.contract = "disjoint", obs.outer_loops = array<i64: 3>} : memref<64xi32, #shared>
    } {obs.loop = 3 : i64}
    gpu.return
  }
  // The inner loop belongs to the program of the force. The barrier is in the outer loop.
  // expected-remark @+1 {{kernel 'forces_in_loop_mended' is proved free of races, with blocks of 32 threads, under contract}}
  gpu.func @forces_in_loop_mended(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [2, 32], strides: [32, 1] : memref<i32> to memref<2x32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c2 step %c1 {
      scf.for %l = %c0 to %c2 step %c1 {
        %w = memref.load %where[%l, %t] : memref<2x32xi32>
        %wide = arith.index_cast %w : i32 to index
        %i = arith.andi %wide, %c63 : index
        // expected-note @+1 {{written as 'disjoint', which the program promises}}
        memref.store %v, %a[%i] {obs.contract = "disjoint", obs.outer_loops = array<i64: 3>} : memref<64xi32, #shared>
      } {obs.loop = 4 : i64}
      gpu.barrier
    } {obs.loop = 3 : i64}
    gpu.return
  }
  // The contract covers writes alone: the next iteration writes what this one reads.
  gpu.func @disjoint_read_in_loop(%to: memref<i32>, %v: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %where = memref.reinterpret_cast %to to offset: [0], sizes: [2, 32], strides: [32, 1] : memref<i32> to memref<2x32xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c2 step %c1 {
      %w = memref.load %where[%k, %t] : memref<2x32xi32>
      %wide = arith.index_cast %w : i32 to index
      %i = arith.andi %wide, %c63 : index
      // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches, without a barrier between them}}
      memref.store %v, %a[%i] {obs.contract = "disjoint"} : memref<64xi32, #shared>
      gpu.barrier
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%t] : memref<64xi32, #shared>
    }
    gpu.return
  }

  // The initial contents are written by other threads than the elements.
  gpu.func @initial(%v: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %zero, %a[%t] {obs.contract = "init"} : memref<32xi32, #shared>
    %i = arith.subi %c31, %t : index
    // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
    memref.store %v, %a[%i] : memref<32xi32, #shared>
    gpu.return
  }
  // By the same threads, one after the other.
  // expected-remark @+1 {{kernel 'initial_mended' is proved free of races}}
  gpu.func @initial_mended(%v: i32, %zero: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    memref.store %zero, %a[%t] {obs.contract = "init"} : memref<32xi32, #shared>
    memref.store %v, %a[%t] : memref<32xi32, #shared>
    gpu.return
  }

  // One side waits for a flag, and the other one does not.
  gpu.func @one_side_published(%p: memref<i32>, %f: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %up = arith.constant 1 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %flags = memref.reinterpret_cast %f to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %next = arith.addi %b, %c1 : index
    // expected-note @+1 {{the first access is the write here}}
    obs.publish %v in %a flag %flags[%next] = 1 : i32 in memref<?xi32> flag memref<?xi32>
    // expected-error @+1 {{read of global memory by another block}}
    %x = memref.load %a[%b] : memref<?xi32>
    gpu.return
  }
  // expected-remark @+1 {{kernel 'one_side_published_mended' is proved free of races, with blocks of 1 threads, given that the indices of 4 of 4 accesses are in bounds}}
  gpu.func @one_side_published_mended(%p: memref<i32>, %f: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %up = arith.constant 1 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %flags = memref.reinterpret_cast %f to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %next = arith.addi %b, %c1 : index
    // expected-note @+1 {{taken to be in bounds}}
    obs.publish %v in %a flag %flags[%next] = 1 : i32 in memref<?xi32> flag memref<?xi32>
    // expected-note @+1 {{taken to be in bounds}}
    %flag, %x = obs.await %a flag %flags[%b] >= %up : memref<?xi32> flag memref<?xi32> -> i32
    gpu.return
  }
  // It waits for flags that the writer does not set.
  gpu.func @other_flags(%p: memref<i32>, %f: memref<i32>, %g: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %up = arith.constant 1 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %flags = memref.reinterpret_cast %f to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %next = arith.addi %b, %c1 : index
    %others = memref.reinterpret_cast %g to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    // expected-note @+1 {{the first access is the write here}}
    obs.publish %v in %a flag %flags[%next] = 1 : i32 in memref<?xi32> flag memref<?xi32>
    // expected-error @+1 {{read of global memory by another block}}
    %flag, %x = obs.await %a flag %others[%b] >= %up : memref<?xi32> flag memref<?xi32> -> i32
    gpu.return
  }
  // Both states of a result have elements of their own.
  // expected-remark @+1 {{kernel 'two_states' is proved free of races, with blocks of 64 threads, given that the indices of 4 of 4 accesses are in bounds}}
  gpu.func @two_states(%p: memref<i32>, %f: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c33 = arith.constant 33 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %flags = memref.reinterpret_cast %f to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %isOther = arith.cmpi eq, %t, %c33 : index
    scf.if %isFirst {
      // expected-note @+1 {{taken to be in bounds}}
      obs.publish %v in %a flag %flags[%b] = 1 : i32 in memref<?xi32> flag memref<?xi32>
    }
    scf.if %isOther {
      // expected-note @+1 {{taken to be in bounds}}
      obs.publish %v in %a flag %flags[%b] = 2 : i32 in memref<?xi32> flag memref<?xi32>
    }
    gpu.return
  }
  // No flag is between two writes.
  gpu.func @published_twice(%p: memref<i32>, %f: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %up = arith.constant 1 : i32
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %flags = memref.reinterpret_cast %f to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %next = arith.addi %b, %c1 : index
    // expected-error@+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note@+1 {{the first access is the write here}}
    obs.publish %v in %a flag %flags[%c1] = 1 : i32 in memref<?xi32> flag memref<?xi32>
    gpu.return
  }

  // The last block reads what the first threads of all blocks have written.
  // expected-remark @+1 {{kernel 'last_block' is proved free of races, with blocks of 32 threads, given that the indices of 2 of 5 accesses are in bounds}}
  gpu.func @last_block(%p: memref<i32>, %counter: memref<i32>, %n: index, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{taken to be in bounds}}
      memref.store %v, %a[%b] : memref<?xi32>
    }
    %isLast = obs.arrive %counter[] after %last via %cell : memref<i32>, memref<index, #shared>
    scf.if %isLast {
      // expected-note @+1 {{taken to be in bounds}}
      %x = memref.load %a[%t] : memref<?xi32>
    }
    gpu.return
  }
  // The first thread does not make visible what others have written.
  gpu.func @written_by_all(%p: memref<i32>, %counter: memref<i32>, %n: index, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %c32 = arith.constant 32 : index
    %start = arith.muli %b, %c32 : index
    %i = arith.addi %start, %t : index
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    %isLast = obs.arrive %counter[] after %last via %cell : memref<i32>, memref<index, #shared>
    scf.if %isLast {
      // expected-error @+1 {{read of global memory by another block}}
      %x = memref.load %a[%t] : memref<?xi32>
    }
    gpu.return
  }
  // Other blocks may still write.
  gpu.func @written_later(%p: memref<i32>, %counter: memref<i32>, %n: index, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %isLast = obs.arrive %counter[] after %last via %cell : memref<i32>, memref<index, #shared>
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%b] : memref<?xi32>
    }
    scf.if %isLast {
      // expected-error @+1 {{read of global memory by another block}}
      %x = memref.load %a[%t] : memref<?xi32>
    }
    gpu.return
  }
  // All blocks but the last one read.
  gpu.func @read_by_others(%p: memref<i32>, %counter: memref<i32>, %n: index, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %cell = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<index, #shared>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      // expected-note @+1 {{the first access is the write here}}
      memref.store %v, %a[%b] : memref<?xi32>
    }
    %isLast = obs.arrive %counter[] after %last via %cell : memref<i32>, memref<index, #shared>
    scf.if %isLast {
    } else {
      // expected-error @+1 {{read of global memory by another block}}
      %x = memref.load %a[%t] : memref<?xi32>
    }
    gpu.return
  }
  // Each thread arrives at the counter of its element.
  // expected-remark @+1 {{kernel 'columns' is proved free of races, with blocks of 64 threads}}
  gpu.func @columns(%p: memref<i32>, %q: memref<i32>, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %counters = memref.reinterpret_cast %q to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %old = memref.atomic_rmw addi %v, %a[%t] : (i32, memref<64xi32>) -> i32
    %isLast = obs.arrive %counters[%t] after %last : memref<64xi32>
    scf.if %isLast {
      %x = memref.load %a[%t] : memref<64xi32>
    }
    gpu.return
  }
  // It reads an element of another counter.
  // expected-remark @+1 {{kernel 'another_column' is proved free of races, with blocks of 64 threads, under contract}}
  gpu.func @another_column(%p: memref<i32>, %q: memref<i32>, %v: i32, %last: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %u = arith.subi %c63, %t : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %counters = memref.reinterpret_cast %q to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
    %old = memref.atomic_rmw addi %v, %a[%t] : (i32, memref<64xi32>) -> i32
    // expected-note @+1 {{taken to arrive at the counter of what its thread has written}}
    %isLast = obs.arrive %counters[%t] after %last : memref<64xi32>
    scf.if %isLast {
      %x = memref.load %a[%u] : memref<64xi32>
    }
    gpu.return
  }

  // The result may be the operand, and is the operand reversed.
  gpu.func @reversed_in_place(%in: memref<i32> {obs.may_alias}, %out: memref<i32> {obs.may_alias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
    %b = gpu.block_id x
    %isIn = arith.cmpi ult, %b, %c8 : index
    scf.if %isIn {
      %i = arith.subi %c7, %b : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%i] : memref<8xi32>
      // expected-error @+1 {{[race] write of global memory by another block reaches what this access also reaches}}
      memref.store %x, %r[%b] : memref<8xi32>
    }
    gpu.return
  }
  // It is another array.
  // expected-remark @+1 {{kernel 'reversed_in_place_mended' is proved free of races}}
  gpu.func @reversed_in_place_mended(%in: memref<i32>, %out: memref<i32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
    %b = gpu.block_id x
    %isIn = arith.cmpi ult, %b, %c8 : index
    scf.if %isIn {
      %i = arith.subi %c7, %b : index
      %x = memref.load %a[%i] : memref<8xi32>
      memref.store %x, %r[%b] : memref<8xi32>
    }
    gpu.return
  }

  // The result may be the operand, and has elements of half the size: element 2 of
  // it is in element 1 of the operand.
  gpu.func @smaller_in_place(%in: memref<i64> {obs.may_alias}, %out: memref<i32> {obs.may_alias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c8 = arith.constant 8 : index
    %a = memref.reinterpret_cast %in to offset: [0], sizes: [8], strides: [1] : memref<i64> to memref<8xi64>
    %r = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
    %b = gpu.block_id x
    %isIn = arith.cmpi ult, %b, %c8 : index
    scf.if %isIn {
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%b] : memref<8xi64>
      %y = arith.trunci %x : i64 to i32
      // expected-error @+1 {{[race] write of global memory by another block reaches what this access also reaches}}
      memref.store %y, %r[%b] : memref<8xi32>
    }
    gpu.return
  }

  // The indices are made for blocks of 64 threads, and the blocks have 128.
  gpu.func @block_size(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c64 = arith.constant 64 : index
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %first = arith.muli %b, %c64 : index
    %i = arith.addi %first, %t : index
    // expected-error @+2 {{[race] write of global memory by another block reaches what this same statement also reaches}}
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
  // They are made for blocks of any size.
  // expected-remark @+1 {{kernel 'block_size_mended' is proved free of races, with blocks of 128 threads, given that the indices of 1 of 1 accesses are in bounds}}
  gpu.func @block_size_mended(%p: memref<i32>, %n: index, %v: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %threads = gpu.block_dim x
    %first = arith.muli %b, %threads : index
    %i = arith.addi %first, %t : index
    // expected-note @+1 {{taken to be in bounds}}
    memref.store %v, %a[%i] : memref<?xi32>
    gpu.return
  }
}
