// Races and reads of unwritten memory in lowered programs: both places are
// named, and the exit status is not zero. More in unittests/Emulator/RaceTest.cpp.
//
// DEFINE: %{run} = obs-run %s --device emulate --check
// DEFINE: %{fail} = not %{run}
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix

// The exchange without a barrier: a warp is not in lock step.
// RUN: %{fail} --entry=exchange iota:32xi32 2>&1 | %{check}=EXCHANGE
// RUN: %{fail} --entry=exchange --schedule=random --seed=5 iota:32xi32 2>&1 | %{check}=EXCHANGE
// RUN: %{run} --entry=exchange_synced iota:32xi32 | FileCheck %s --check-prefix=SYNCED
// SYNCED: {{^}}[1, 0, 3, 2, 5, 4,

// RUN: %{fail} --entry=blocks iota:40xi32 2>&1 | %{check}=BLOCKS
// RUN: %{fail} --entry=host iota:40xi32 2>&1 | %{check}=HOST
// RUN: %{fail} --entry=scatter zeros:32xi32 2>&1 | %{check}=SCATTER
// RUN: %{run} --entry=scatter iota:32xi32 | FileCheck %s --check-prefix=SCATTERED
// SCATTERED: {{^}}[0, 1, 2, 3,

// Each check finds its own only.
// RUN: obs-run %s --device emulate --check=bounds --entry=host iota:40xi32
// RUN: obs-run %s --device emulate --check=races --entry=host iota:40xi32
// RUN: obs-run %s --device emulate --check=uninit --entry=blocks iota:40xi32
// RUN: not obs-run %s --device emulate --check=uninit --entry=host iota:40xi32 2>&1 | %{check}=HOST
// RUN: not obs-run %s --device emulate --check=races --entry=blocks iota:40xi32 2>&1 | %{check}=BLOCKS

!shared = memref<32xi32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @exchange(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
      %t = gpu.thread_id x
      %x = memref.load %v[%t] : memref<32xi32>
      // EXCHANGE-DAG: check-races.mlir:[[#@LINE+1]]:7: {{error: race|note: the other access}}
      memref.store %x, %s[%t] : !shared
      %o = arith.xori %t, %c1 : index
      // EXCHANGE-DAG: check-races.mlir:[[#@LINE+1]]:12: {{error: race|note: the other access}}
      %y = memref.load %s[%o] : !shared
      memref.store %y, %v[%t] : memref<32xi32>
      gpu.return
    }
    gpu.func @exchange_synced(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %all = arith.constant -1 : i32
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
      %t = gpu.thread_id x
      %x = memref.load %v[%t] : memref<32xi32>
      memref.store %x, %s[%t] : !shared
      nvvm.bar.warp.sync %all : i32
      %o = arith.xori %t, %c1 : index
      %y = memref.load %s[%o] : !shared
      memref.store %y, %v[%t] : memref<32xi32>
      gpu.return
    }
    // Blocks of 32 threads 8 apart.
    gpu.func @overlap(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c8 = arith.constant 8 : index
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [40], strides: [1] : memref<i32> to memref<40xi32>
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %first = arith.muli %b, %c8 : index
      %i = arith.addi %first, %t : index
      %x = arith.index_cast %i : index to i32
      // BLOCKS: check-races.mlir:[[#@LINE+2]]:7: error: race: store of 4 bytes of global memory by thread 0 of block 1 and a store by thread 8 of block 0: no release and acquire order the two blocks
      // BLOCKS-NEXT: check-races.mlir:[[#@LINE+1]]:7: note: the other access
      memref.store %x, %v[%i] : memref<40xi32>
      gpu.return
    }
    gpu.func @copy(%a: memref<i32>, %r: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %w = memref.reinterpret_cast %r to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %t = gpu.thread_id x
      // HOST: check-races.mlir:[[#@LINE+1]]:12: error: uninit: load of 4 bytes of global memory that were never written, by thread 0 of block 0
      %x = memref.load %v[%t] : memref<32xi32>
      memref.store %x, %w[%t] : memref<32xi32>
      gpu.return
    }
    gpu.func @scatter(%a: memref<i32>, %r: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %v = memref.reinterpret_cast %a to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %w = memref.reinterpret_cast %r to offset: [0], sizes: [32], strides: [1] : memref<i32> to memref<32xi32>
      %t = gpu.thread_id x
      %x = memref.load %v[%t] : memref<32xi32>
      %i = arith.index_cast %x : i32 to index
      // SCATTER: check-races.mlir:[[#@LINE+1]]:7: error: false-claim: [R5-disjoint] store of 4 bytes of global memory by thread 1 of block 0 and a store by thread 0 of block 0: the contract 'disjoint' promises that no element is written twice
      memref.store %x, %w[%i] {obs.contract = "disjoint"} : memref<32xi32>
      gpu.return
    }
  }

  func.func @exchange(%a: memref<32xi32>) -> memref<32xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 128 : i32
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xi32> to memref<i32>
    gpu.launch_func @kernels::@exchange blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %bytes args(%p : memref<i32>)
    return %a : memref<32xi32>
  }
  func.func @exchange_synced(%a: memref<32xi32>) -> memref<32xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 128 : i32
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xi32> to memref<i32>
    gpu.launch_func @kernels::@exchange_synced blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %bytes args(%p : memref<i32>)
    return %a : memref<32xi32>
  }
  func.func @blocks(%a: memref<40xi32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<40xi32> to memref<i32>
    gpu.launch_func @kernels::@overlap blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<i32>)
    return
  }
  func.func @host(%a: memref<40xi32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    // HOST-NEXT: check-races.mlir:[[#@LINE+1]]:10: note: the memory is made here
    %m = gpu.alloc () : memref<32xi32>
    %p = memref.reinterpret_cast %m to offset: [0], sizes: [], strides: [] : memref<32xi32> to memref<i32>
    %q = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<40xi32> to memref<i32>
    // HOST-NEXT: in kernel 'copy' launched at {{.*}}check-races.mlir:[[#@LINE+1]]:5
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<i32>, %q : memref<i32>)
    return
  }
  func.func @scatter(%a: memref<32xi32>) -> memref<32xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %m = gpu.alloc () : memref<32xi32>
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<32xi32> to memref<i32>
    %q = memref.reinterpret_cast %m to offset: [0], sizes: [], strides: [] : memref<32xi32> to memref<i32>
    gpu.launch_func @kernels::@scatter blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<i32>, %q : memref<i32>)
    return %m : memref<32xi32>
  }
}
