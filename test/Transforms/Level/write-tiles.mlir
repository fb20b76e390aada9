// Full tiles are written side by side: neighbours where accesses can be aligned, else iterations a block apart.
// RUN: obs-opt --obs-write-tiles --obs-align-accesses --split-input-file %s | FileCheck %s

// CHECK-LABEL: gpu.func @neighbours
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[N:.*]], %c0
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[POSITIVE]], %c512
// CHECK: scf.for %[[TILE:.*]] = %block_id_x{{.*}} to %[[TILES]] step %grid_dim_x
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c512
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c512
// CHECK: %[[FULL:.*]] = arith.cmpi sle, %[[LAST]], %[[N]]
// CHECK: scf.if %[[FULL]]
// CHECK: %[[MINE:.*]] = arith.muli %thread_id_x{{.*}}, %c2
// CHECK: %[[I:.*]] = arith.addi %[[FIRST]], %[[MINE]]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%[[I]]] {alignment = 16 : i64}
// CHECK: %[[Y:.*]] = memref.load %{{.*}}[%[[J]]] : memref
// CHECK: memref.store %[[X]], %{{.*}}[%[[I]]] {alignment = 16 : i64}
// CHECK: memref.store %[[Y]], %{{.*}}[%[[J]]] : memref
// CHECK: else
// CHECK: %[[FROM:.*]] = arith.addi %[[FIRST]], %thread_id_x
// CHECK: %[[TO:.*]] = arith.minsi %[[LAST]], %[[N]]
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c256
// CHECK-NOT: alignment
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @neighbours(%a: memref<f64> {llvm.align = 16 : i64}, %b: memref<f64> {llvm.align = 16 : i64}, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %v = memref.load %x[%i] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// Nothing says that the arrays begin at a multiple of 16 bytes.
// CHECK-LABEL: gpu.func @apart
// CHECK: scf.if
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %thread_id_x
// CHECK: %[[J:.*]] = arith.addi %{{.*}}, %c96
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%{{.*}}] : memref
// CHECK-NEXT: %[[Y:.*]] = memref.load %{{.*}}[%[[J]]] : memref
// CHECK-NEXT: memref.store %[[X]]
// CHECK-NEXT: memref.store %[[Y]]
// CHECK-NEXT: else
gpu.module @kernels {
  gpu.func @apart(%a: memref<f64>, %b: memref<f64>, %n: index) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c96 : index
    %first = arith.muli %block, %c96 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %v = memref.load %x[%i] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// Neighbours are in one row if the length of rows is even: one quotient and one remainder for both. The rows of the
// arrays have another length, which is tested, too.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: %[[W:arg[0-9]+]]: index, %[[V:arg[0-9]+]]: index) kernel
// CHECK-DAG: %[[REST:.*]] = arith.remui %[[W]], %c2
// CHECK-DAG: %[[OTHER:.*]] = arith.remui %[[V]], %c2
// CHECK-DAG: arith.cmpi eq, %[[REST]], %c0
// CHECK-DAG: arith.cmpi eq, %[[OTHER]], %c0
// CHECK: %[[FULL:.*]] = arith.cmpi sle
// CHECK: %[[FAST:.*]] = arith.andi %[[FULL]]
// CHECK: scf.if %[[FAST]]
// CHECK: %[[R:.*]] = arith.divui %{{.*}}, %[[W]]
// CHECK: %[[C:.*]] = arith.remui %{{.*}}, %[[W]]
// CHECK: %[[D:.*]] = arith.addi %[[C]], %c1
// CHECK-NOT: divui
// CHECK: memref.load %{{.*}}[%[[R]], %[[C]]] {alignment = 16 : i64}
// CHECK-NEXT: memref.load %{{.*}}[%[[R]], %[[D]]] : memref
// CHECK-NEXT: memref.store %{{.*}}[%[[R]], %[[C]]] {alignment = 16 : i64}
// CHECK-NEXT: memref.store %{{.*}}[%[[R]], %[[D]]] : memref
// CHECK-NEXT: else
gpu.module @kernels {
  gpu.func @rows(%a: memref<i64> {llvm.align = 16 : i64}, %b: memref<i64> {llvm.align = 16 : i64}, %h: index, %w: index, %v: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, %v], strides: [%v, 1] : memref<i64> to memref<?x?xi64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%h, %v], strides: [%v, 1] : memref<i64> to memref<?x?xi64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %n = arith.muli %h, %w : index
    scf.for %i = %id to %n step %all {
      %r = arith.divui %i, %w : index
      %c = arith.remui %i, %w : index
      %u = memref.load %x[%r, %c] : memref<?x?xi64>
      memref.store %u, %y[%r, %c] : memref<?x?xi64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// Away from the borders, `min(max(i - 1, 0), n - 1)` is i - 1. One test finds out for two neighbours. Nearer, only the
// element in front of the two has guards: the other one is the first of the two.
// CHECK-LABEL: gpu.func @borders
// CHECK: scf.if
// CHECK: %[[I:.*]] = arith.addi
// CHECK: %[[LOW:.*]] = arith.addi %[[I]], %c-1
// CHECK: arith.cmpi sle, %[[LOW]], %[[I]]
// CHECK: %[[LOW:.*]] = arith.addi %[[I]], %c-1
// CHECK: arith.cmpi sle, %c0{{.*}}, %[[LOW]]
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-1
// CHECK: arith.cmpi sle, %[[I]], %[[LAST]]
// CHECK: scf.if
// CHECK-NOT: arith.maxsi
// CHECK-COUNT-2: memref.store
// CHECK: else
// CHECK: arith.maxsi
// CHECK: %[[BELOW:.*]] = arith.minsi
// CHECK-NOT: arith.maxsi
// CHECK: memref.load %{{.*}}[%[[BELOW]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[I]]] {alignment = 16 : i64}
// CHECK-COUNT-2: memref.store
// CHECK: else
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: arith.maxsi
gpu.module @kernels {
  gpu.func @borders(%a: memref<f64> {llvm.align = 16 : i64}, %b: memref<f64> {llvm.align = 16 : i64}, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %last = arith.subi %n, %c1 : index
    scf.for %i = %id to %n step %all {
      %below = arith.subi %i, %c1 : index
      %positive = arith.maxsi %below, %c0 : index
      %j = arith.minsi %positive, %last : index
      %v = memref.load %x[%j] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// Most columns are not on the diagonal, but it is no border: there is one version of a full tile.
// CHECK-LABEL: gpu.func @diagonal
// CHECK: scf.for
// CHECK: scf.if
// CHECK-COUNT-2: arith.maxsi
// CHECK-NOT: scf.if
// CHECK: else
gpu.module @kernels {
  gpu.func @diagonal(%a: memref<f64> {llvm.align = 16 : i64}, %b: memref<f64> {llvm.align = 16 : i64}, %n: index, %w: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%w], strides: [1] : memref<f64> to memref<?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %row = arith.divui %i, %w : index
      %column = arith.remui %i, %w : index
      %j = arith.maxsi %row, %column : index
      %v = memref.load %x[%j] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// Rows of any length: if they do not begin at even indices, a thread tests each of its elements. In a row, the comparisons
// and remainders of a group are decided as well as minima: only the element behind the two keeps its guard.
// CHECK-LABEL: gpu.func @behind
// CHECK: %[[FULL:.*]] = arith.andi
// CHECK-NEXT: scf.if %[[FULL]]
// CHECK: scf.if
// CHECK-NOT: arith.select
// CHECK: else
// CHECK: %[[C:.*]] = arith.remui
// CHECK: %[[BESIDE:.*]] = arith.addi %[[C]], %c2
// CHECK: arith.remui %[[BESIDE]]
// CHECK-NOT: arith.remui
// CHECK-COUNT-2: memref.load
// CHECK-COUNT-2: memref.store
// CHECK: else
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: arith.select
// CHECK: memref.store
// CHECK: else
// CHECK: arith.select
// CHECK: memref.store
gpu.module @kernels {
  gpu.func @behind(%a: memref<f64> {llvm.align = 16 : i64}, %b: memref<f64> {llvm.align = 16 : i64}, %h: index, %w: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, %w], strides: [%w, 1] : memref<f64> to memref<?x?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%h, %w], strides: [%w, 1] : memref<f64> to memref<?x?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %n = arith.muli %h, %w : index
    scf.for %i = %id to %n step %all {
      %r = arith.divui %i, %w : index
      %c = arith.remui %i, %w : index
      %next = arith.addi %c, %c1 : index
      %isInside = arith.cmpi slt, %next, %w : index
      %around = arith.remui %next, %w : index
      %j = arith.select %isInside, %next, %around : index
      %v = memref.load %x[%r, %j] : memref<?x?xf64>
      memref.store %v, %y[%r, %c] : memref<?x?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}

// -----

// The outer remainder holds everywhere, so there is nothing to test.
// CHECK-LABEL: gpu.func @guard_without_test
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: %[[COLUMN:.*]] = arith.remui
// CHECK-NOT: arith.remui
// CHECK: memref.load %{{.*}}[%[[COLUMN]]]
gpu.module @kernels {
  gpu.func @guard_without_test(%a: memref<f64>, %b: memref<f64>, %n: index, %w: index) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c96 = arith.constant 96 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%w], strides: [1] : memref<f64> to memref<?xf64>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f64> to memref<?xf64>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c96 : index
    %first = arith.muli %block, %c96 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %column = arith.remui %i, %w : index
      %same = arith.remui %column, %w : index
      %v = memref.load %x[%same] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    } {obs.items = 2 : i64}
    gpu.return
  }
}
