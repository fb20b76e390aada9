// Numbers of a group of neighbours that the first one determines.
// RUN: obs-opt --obs-write-tiles --obs-align-accesses --split-input-file %s | FileCheck %s

// Three dimensions: one row, so one division by the length of a row, and one by the number of rows.
// CHECK-LABEL: gpu.func @planes
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[Q:.*]] = arith.divui %{{.*}}, %c8
// CHECK-NOT: arith.divui
// CHECK: arith.remui %[[Q]], %c5
// CHECK: arith.divui %[[Q]], %c5
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-3: memref.load
// CHECK: memref.store %{{.*}} {alignment = 16 : i64}
// CHECK: else
gpu.module @kernels {
  gpu.func @planes(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c8 = arith.constant 8 : index
    %c5 = arith.constant 5 : index
    %n = arith.constant 40000 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [1000, 5, 8], strides: [40, 8, 1] : memref<f32> to memref<1000x5x8xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [5, 1000, 8], strides: [8000, 8, 1] : memref<f32> to memref<5x1000x8xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %column = arith.remui %i, %c8 : index
      %q = arith.divui %i, %c8 : index
      %row = arith.remui %q, %c5 : index
      %plane = arith.divui %q, %c5 : index
      %v = memref.load %x[%plane, %row, %column] : memref<1000x5x8xf32>
      memref.store %v, %y[%row, %plane, %column] : memref<5x1000x8xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// Pairs: the first index of a group is even, so remainders by 2 are constants, and two neighbours have one quotient.
// CHECK-LABEL: gpu.func @pairs
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[I:.*]] = arith.addi
// CHECK: %[[H:.*]] = arith.divui %[[I]], %c2
// CHECK: %[[H2:.*]] = arith.addi %[[H]], %c1
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK: memref.load %{{.*}}[%[[H]], %c0{{.*}}] {alignment = 16 : i64}
// CHECK: memref.load %{{.*}}[%[[H]], %c1{{.*}}]
// CHECK: memref.load %{{.*}}[%[[H2]], %c0{{.*}}]
// CHECK: memref.load %{{.*}}[%[[H2]], %c1{{.*}}]
// CHECK: else
gpu.module @kernels {
  gpu.func @pairs(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.constant 4000 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [2000, 2], strides: [2, 1] : memref<f32> to memref<2000x2xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [4000], strides: [1] : memref<f32> to memref<4000xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %pair = arith.divui %i, %c2 : index
      %part = arith.remui %i, %c2 : index
      %other = arith.subi %c1, %part : index
      %u = memref.load %x[%pair, %part] : memref<2000x2xf32>
      %v = memref.load %x[%pair, %other] : memref<2000x2xf32>
      %s = arith.subf %u, %v : f32
      memref.store %s, %y[%i] : memref<4000xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// Halves of a row: a group is in one half, so it has one branch, with accesses of neighbours.
// CHECK-LABEL: gpu.func @halves
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[C:.*]] = arith.remui %{{.*}}, %c64
// CHECK: %[[LOW:.*]] = arith.cmpi ult, %[[C]], %c32
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[LOW]] -> (f32, f32, f32, f32)
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-3: memref.load
// CHECK: else
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-3: memref.load
// CHECK: memref.store %{{.*}} {alignment = 16 : i64}
// CHECK: else
gpu.module @kernels {
  gpu.func @halves(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}, %h: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, 64], strides: [64, 1] : memref<f32> to memref<?x64xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%h, 64], strides: [64, 1] : memref<f32> to memref<?x64xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %n = arith.muli %h, %c64 : index
    scf.for %i = %id to %n step %all {
      %r = arith.divui %i, %c64 : index
      %c = arith.remui %i, %c64 : index
      %low = arith.cmpi ult, %c, %c32 : index
      %v = scf.if %low -> f32 {
        %d = arith.addi %c, %c32 : index
        %u = memref.load %x[%r, %d] : memref<?x64xf32>
        scf.yield %u : f32
      } else {
        %d = arith.subi %c, %c32 : index
        %u = memref.load %x[%r, %d] : memref<?x64xf32>
        scf.yield %u : f32
      }
      memref.store %v, %y[%r, %c] : memref<?x64xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// A limit in the middle, which is known at run time only: a test of the first and the last of the group shows that it is on one side.
// CHECK-LABEL: gpu.func @limit
// CHECK: %[[K:.*]] = arith.divui
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[I:.*]], %[[K]]
// CHECK: %[[LAST:.*]] = arith.cmpi slt, %{{.*}}, %[[K]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[FIRST]], %[[LAST]]
// CHECK: scf.if
// CHECK: %[[LOW:.*]] = arith.cmpi slt, %{{.*}}, %[[K]]
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[LOW]] -> (f32, f32, f32, f32)
// CHECK: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK: else
// CHECK: memref.store %{{.*}} {alignment = 16 : i64}
// CHECK: else
// CHECK-COUNT-4: scf.if %{{.*}} -> (f32)
// CHECK: memref.store %{{.*}} {alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @limit(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c2 = arith.constant 2 : index
    %k = arith.divui %n, %c2 : index
    %zero = arith.constant 0.0 : f32
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %low = arith.cmpi slt, %i, %k : index
      %v = scf.if %low -> f32 {
        %u = memref.load %x[%i] : memref<?xf32>
        scf.yield %u : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %v, %y[%i] : memref<?xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// All elements, by their indices: the number of the iteration is that of the element, for rows of any length.
// CHECK-LABEL: gpu.func @flat
// CHECK-SAME: %[[H:arg[0-9]+]]: index, %[[W:arg[0-9]+]]: index)
// CHECK-DAG: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<f32> to memref<?xf32>
// CHECK-DAG: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<f32> to memref<?xf32>
// CHECK-NOT: arith.divui
// CHECK-NOT: arith.remui
// CHECK: memref.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>
// CHECK-COUNT-3: memref.load
// CHECK: memref.store %{{.*}} {alignment = 16 : i64, obs.contract = "disjoint"} : memref<?xf32>
// CHECK: else
// CHECK-NOT: arith.divui
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @flat(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}, %h: index, %w: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c3 = arith.constant 3 : index
    %row = arith.muli %w, %c3 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, %w, 3], strides: [%row, 3, 1] : memref<f32> to memref<?x?x3xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%h, %w, 3], strides: [%row, 3, 1] : memref<f32> to memref<?x?x3xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %n = arith.muli %h, %row : index
    scf.for %i = %id to %n step %all {
      %k = arith.remui %i, %c3 : index
      %q = arith.divui %i, %c3 : index
      %c = arith.remui %q, %w : index
      %r = arith.divui %q, %w : index
      %v = memref.load %x[%r, %c, %k] : memref<?x?x3xf32>
      memref.store %v, %y[%r, %c, %k] {obs.contract = "disjoint"} : memref<?x?x3xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// Neighbours to the left and right are no such elements, and share loads with the element itself: it keeps its indices.
// CHECK-LABEL: gpu.func @not_flat
// CHECK: memref.load %{{.*}} : memref<?x6xf32>
// CHECK-NOT: memref<?xf32>
// CHECK: memref.load %{{.*}} : memref<?x6xf32>
gpu.module @kernels {
  gpu.func @not_flat(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}, %h: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%h, 6], strides: [6, 1] : memref<f32> to memref<?x6xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%h, 6], strides: [6, 1] : memref<f32> to memref<?x6xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    %n = arith.muli %h, %c6 : index
    scf.for %i = %id to %n step %all {
      %c = arith.remui %i, %c6 : index
      %r = arith.divui %i, %c6 : index
      %other = arith.subi %c5, %c : index
      %u = memref.load %x[%r, %c] : memref<?x6xf32>
      %v = memref.load %x[%r, %other] : memref<?x6xf32>
      %s = arith.addf %u, %v : f32
      memref.store %s, %y[%r, %other] : memref<?x6xf32>
    } {obs.items = 4 : i64}
    gpu.return
  }
}

// -----

// The limit is on the left: 31 >= c is c < 32, so a group is on one side of it.
// CHECK-LABEL: gpu.func @swapped
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[LOW:.*]] = arith.cmpi uge, %c31, %{{.*}}
// CHECK-NOT: arith.cmpi
// CHECK: scf.if %[[LOW]] {
// CHECK-NEXT: memref.load %{{.*}} {alignment = 16 : i64}
// CHECK: memref.store %{{.*}} {alignment = 16 : i64}
// CHECK: else
gpu.module @kernels {
  gpu.func @swapped(%a: memref<f32> {llvm.align = 16 : i64}, %b: memref<f32> {llvm.align = 16 : i64}, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c256 = arith.constant 256 : index
    %c64 = arith.constant 64 : index
    %c31 = arith.constant 31 : index
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %all = arith.muli %blocks, %c256 : index
    %first = arith.muli %block, %c256 : index
    %id = arith.addi %first, %thread : index
    scf.for %i = %id to %n step %all {
      %c = arith.remui %i, %c64 : index
      %low = arith.cmpi uge, %c31, %c : index
      scf.if %low {
        %u = memref.load %x[%i] : memref<?xf32>
        memref.store %u, %y[%i] : memref<?xf32>
      }
    } {obs.items = 4 : i64}
    gpu.return
  }
}
