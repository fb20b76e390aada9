// A program that went through obs-to-gpu before runs as it is.
//
// RUN: obs-run %s --entry=reverse --device=emulate iota:12xi32 0 \
// RUN:   | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=reverse --device=emulate --schedule=random --seed=3 \
// RUN:   --repeat=4 iota:12xi32 0 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=reverse --device=emulate --check=bounds --report \
// RUN:   iota:12xi32 0 | FileCheck %s --check-prefix=REPORT
// RUN: obs-run %s --entry=reverse --device=emulate --time --repeat=3 \
// RUN:   iota:12xi32 0 | FileCheck %s --check-prefix=TIME
// RUN: not obs-run %s --entry=reverse --device=emulate iota:12xi32 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUNDS --implicit-check-not=error:
// RUN: not obs-run %s --entry=divide --device=emulate 7 0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRAP
// RUN: obs-run %s --entry=reverse --device=emulate zeros:0xi32 0 \
// RUN:   | FileCheck %s --check-prefix=EMPTY

// RESULT: {{^}}[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]{{$}}

// 12 elements of 4 bytes each way, one barrier in each of 3 blocks.
// REPORT: launch: kernel=reverse4 blocks=3 threads=4 shared-bytes=16 block-barriers=3 warp-barriers=0 bytes-loaded=48 bytes-stored=48

// TIME: time: kernel reverse4: {{.*}} ms (median of 3; {{.*}} to {{.*}})
// TIME: time: whole run on emulator: {{.*}} ms (median of 3;

// EMPTY: {{^}}[]{{$}}

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @reverse4(%in: memref<i32>, %out: memref<i32>, %n: index, %by: index)
        kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %src = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1]
          : memref<i32> to memref<?xi32>
      %dst = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1]
          : memref<i32> to memref<?xi32>
      %arena = gpu.dynamic_shared_memory
          : memref<?xi8, #gpu.address_space<workgroup>>
      %tile = memref.view %arena[%c0][]
          : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<4xi32, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %base = arith.muli %b, %c4 : index
      %i = arith.addi %base, %t : index
      %j = arith.addi %i, %by : index
      // BOUNDS: emulate-lowered.mlir:[[#@LINE+1]]:12: error: out-of-bounds:
      %v = memref.load %src[%j] : memref<?xi32>
      memref.store %v, %tile[%t] : memref<4xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = arith.subi %c3, %t : index
      %w = memref.load %tile[%r] : memref<4xi32, #gpu.address_space<workgroup>>
      memref.store %w, %dst[%i] : memref<?xi32>
      gpu.return
    }
  }

  func.func @reverse(%a: memref<?xi32>, %by: index) -> memref<?xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %bytes = arith.constant 16 : i32
    %n = memref.dim %a, %c0 : memref<?xi32>
    %blocks = arith.ceildivui %n, %c4 : index
    %r = gpu.alloc (%n) : memref<?xi32>
    %in = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: []
        : memref<?xi32> to memref<i32>
    %out = memref.reinterpret_cast %r to offset: [0], sizes: [], strides: []
        : memref<?xi32> to memref<i32>
    // BOUNDS: in kernel 'reverse4' launched at {{.*}}emulate-lowered.mlir:[[#@LINE+1]]:5
    gpu.launch_func @kernels::@reverse4 blocks in (%blocks, %c1, %c1)
        threads in (%c4, %c1, %c1) dynamic_shared_memory_size %bytes
        args(%in : memref<i32>, %out : memref<i32>, %n : index, %by : index)
    return %r : memref<?xi32>
  }

  func.func @divide(%a: i32, %b: i32) -> i32 {
    // TRAP: emulate-lowered.mlir:[[#@LINE+1]]:10: error: 'arith.divsi' divides by zero
    %r = arith.divsi %a, %b : i32
    return %r : i32
  }
}
