// Rows that threads process are copied to shared memory.
// RUN: obs-opt --obs-expand-collectives --obs-fuse-arrays --canonicalize --cse --obs-stage-rows --split-input-file %s | FileCheck %s

// The result does not depend on it. Numbers of rows are below, at and above those of blocks.
// RUN: obs-opt --obs-expand-collectives --obs-fuse-arrays --canonicalize --cse --obs-stage-rows %S/Inputs/rows.mlir -o %t.mlir
// RUN: %python %S/Inputs/rows.py "obs-run" %S/Inputs/rows.mlir %t.mlir %t.npy

// The kernels have no races. All threads copy the same number of elements of a block.
// RUN: obs-opt --obs-to-gpu --obs-check-races %S/Inputs/rows.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-COUNT-4: is proved free of races
// RACES-NOT: error

// Rows of the result are in shared memory, too. A block with little shared memory has fewer rows, or none.
// RUN: obs-opt --obs-expand-collectives --obs-fuse-arrays --canonicalize --cse --obs-stage-rows=limit=9000 %S/Inputs/rows.mlir | FileCheck %s --check-prefix=LITTLE
// LITTLE: !obs.push<block, 32 x 33 x i32>
// LITTLE: obs.force %{{.*}} {threads = 32 : i64}
// RUN: obs-opt --obs-expand-collectives --obs-fuse-arrays --canonicalize --cse --obs-stage-rows=limit=1000 %S/Inputs/rows.mlir | FileCheck %s --check-prefix=NONE
// NONE-NOT: block

// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[A:.*]]: !obs.pull<70000 x 20 x f32>)
// CHECK: obs.par block (%[[B:.*]]) in (%c274)
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c256
// The elements of the rows are numbered. After the last element, the block copies it again.
// CHECK: obs.fill
// CHECK: obs.par (%[[E:.*]]) in (%c5120)
// CHECK-DAG: %[[R:.*]] = arith.divui %[[E]], %c20
// CHECK-DAG: %[[K:.*]] = arith.remui %[[E]], %c20
// CHECK: %[[NUMBER:.*]] = arith.minui
// CHECK-DAG: %[[I:.*]] = arith.divui %[[NUMBER]], %c20
// CHECK-DAG: %[[J:.*]] = arith.remui %[[NUMBER]], %c20
// CHECK: %[[X:.*]] = obs.get %[[A]][%[[I]], %[[J]]]
// CHECK: obs.write %[[X]] at [%[[R]], %[[K]]]
// CHECK: : !obs.push<block, 256 x 20 x f32>
// CHECK: %[[TILE:.*]] = obs.force %{{.*}} in shared
// CHECK: obs.par (%[[T:.*]]) in (%c256)
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: arith.cmpi ult, %[[ROW]], %c70000
// CHECK: scf.for %[[K2:[^ ]*]] =
// CHECK: obs.get %[[TILE]][%[[T]], %[[K2]]]
// CHECK: obs.write %{{.*}} at [%[[ROW]], %{{.*}}]
// CHECK: obs.force %{{.*}} {threads = 256 : i64}
func.func @sums(%a: !obs.pull<70000 x 20 x f32>) -> !obs.pull<70000 x 1 x f32> {
  %c0 = arith.constant 0.0 : f32
  %rows = obs.nest %a dims 1 : !obs.pull<70000 x 20 x f32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<70000 x !obs.pull<20 x f32>>) {
    %s = obs.reduce { arith.addf } %row init %c0 : !obs.pull<20 x f32>
    %one = obs.splat %s : !obs.pull<1 x f32>
    %push = obs.push thread %one : !obs.pull<1 x f32>
    obs.yield %push : !obs.push<thread, 1 x f32>
  }
  %r = obs.force %p : !obs.push<grid, 70000 x 1 x f32>
  return %r : !obs.pull<70000 x 1 x f32>
}

// -----

// A user's number of threads stays. The weights are the same for all threads: they are read where they are.
// CHECK-LABEL: func.func @weighted
// CHECK-SAME: (%[[A:.*]]: !obs.pull<? x 20 x f32>, %[[W:.*]]: !obs.pull<20 x f32>)
// CHECK: obs.get %[[A]]
// CHECK: : !obs.push<block, 512 x 20 x f32>
// CHECK: scf.for
// CHECK-NOT: obs.get %[[A]]
// CHECK: obs.get %[[W]]
// CHECK: obs.force %{{.*}} {threads = 64 : i64}
func.func @weighted(%a: !obs.pull<? x 20 x f32>, %w: !obs.pull<20 x f32>) -> !obs.pull<? x 1 x f32> {
  %c0 = arith.constant 0.0 : f32
  %rows = obs.nest %a dims 1 : !obs.pull<? x 20 x f32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<? x !obs.pull<20 x f32>>) {
    %products = obs.map (%x = %row : !obs.pull<20 x f32>, %y = %w : !obs.pull<20 x f32>) {
      %xy = arith.mulf %x, %y : f32
      obs.yield %xy : f32
    }
    %s = obs.reduce { arith.addf } %products init %c0 : !obs.pull<20 x f32>
    %one = obs.splat %s : !obs.pull<1 x f32>
    %push = obs.push thread %one : !obs.pull<1 x f32>
    obs.yield %push : !obs.push<thread, 1 x f32>
  }
  %r = obs.force %p {threads = 64 : i64} : !obs.push<grid, ? x 1 x f32>
  return %r : !obs.pull<? x 1 x f32>
}

// -----

// Neighbouring threads read neighbours: there is nothing to copy.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: block
func.func @columns(%a: !obs.pull<20 x 70000 x f32>) -> !obs.pull<70000 x 1 x f32> {
  %c0 = arith.constant 0.0 : f32
  %t = obs.transpose %a [1, 0] : !obs.pull<20 x 70000 x f32>
  %rows = obs.nest %t dims 1 : !obs.pull<70000 x 20 x f32>
  %p = obs.distribute thread in grid (%row = %rows : !obs.pull<70000 x !obs.pull<20 x f32>>) {
    %s = obs.reduce { arith.addf } %row init %c0 : !obs.pull<20 x f32>
    %one = obs.splat %s : !obs.pull<1 x f32>
    %push = obs.push thread %one : !obs.pull<1 x f32>
    obs.yield %push : !obs.push<thread, 1 x f32>
  }
  %r = obs.force %p : !obs.push<grid, 70000 x 1 x f32>
  return %r : !obs.pull<70000 x 1 x f32>
}

// -----

// So it is for windows that overlap.
// CHECK-LABEL: func.func @windows
// CHECK-NOT: block
func.func @windows(%a: !obs.pull<70020 x f32>) -> !obs.pull<70000 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c70000 = arith.constant 70000 : index
  %zero = arith.constant 0.0 : f32
  %p = obs.fill par (%i) in (%c70000) {
    %s = scf.for %k = %c0 to %c20 step %c1 iter_args(%t = %zero) -> (f32) {
      %j = arith.addi %i, %k : index
      %x = obs.get %a[%j] : !obs.pull<70020 x f32>
      %u = arith.addf %t, %x : f32
      scf.yield %u : f32
    }
    obs.write %s at [%i] : f32
  } : !obs.push<grid, 70000 x f32>
  %r = obs.force %p : !obs.push<grid, 70000 x f32>
  return %r : !obs.pull<70000 x f32>
}

// -----

// A read under a condition and a read behind an assertion stay where they are: their indices may be out of range elsewhere.
// CHECK-LABEL: func.func @conditions
// CHECK-NOT: block
func.func @conditions(%a: !obs.pull<? x 20 x f32>, %p: !obs.pull<? x index>) -> (!obs.pull<? x f32>, !obs.pull<? x f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %n = obs.dim %a, 0 : !obs.pull<? x 20 x f32>
  %f = obs.fill [%n] par (%i) in (%n) {
    %place = obs.get %p[%i] : !obs.pull<? x index>
    %inside = arith.cmpi ult, %place, %n : index
    %s = scf.for %k = %c0 to %c20 step %c1 iter_args(%t = %zero) -> (f32) {
      %x = scf.if %inside -> f32 {
        %y = obs.get %a[%place, %k] : !obs.pull<? x 20 x f32>
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      %u = arith.addf %t, %x : f32
      scf.yield %u : f32
    }
    obs.write %s at [%i] : f32
  } : !obs.push<grid, ? x f32>
  %g = obs.fill [%n] par (%i) in (%n) {
    %place = obs.get %p[%i] : !obs.pull<? x index>
    %inside = arith.cmpi ult, %place, %n : index
    obs.assert %inside, "a row outside of the matrix"
    %s = scf.for %k = %c0 to %c20 step %c1 iter_args(%t = %zero) -> (f32) {
      %x = obs.get %a[%place, %k] : !obs.pull<? x 20 x f32>
      %u = arith.addf %t, %x : f32
      scf.yield %u : f32
    }
    obs.write %s at [%i] : f32
  } : !obs.push<grid, ? x f32>
  %r, %q = obs.force %f, %g : !obs.push<grid, ? x f32>, !obs.push<grid, ? x f32>
  return %r, %q : !obs.pull<? x f32>, !obs.pull<? x f32>
}

// -----

// Not all elements of the result's rows are written: threads write them to memory.
// CHECK-LABEL: func.func @some
// CHECK: !obs.push<block, 512 x 20 x f32>
// CHECK: scf.for
// CHECK: obs.write %{{.*}} at [%{{.*}}, %{{.*}}]
// CHECK-NOT: !obs.push<block
// CHECK: !obs.push<grid, ? x 21 x f32>
func.func @some(%a: !obs.pull<? x 20 x f32>) -> !obs.pull<? x 21 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %n = obs.dim %a, 0 : !obs.pull<? x 20 x f32>
  %f = obs.fill init %zero [%n] par (%i) in (%n) {
    scf.for %k = %c0 to %c20 step %c1 {
      %x = obs.get %a[%i, %k] : !obs.pull<? x 20 x f32>
      obs.write %x at [%i, %k] : f32
    }
  } : !obs.push<grid, ? x 21 x f32>
  %r = obs.force %f : !obs.push<grid, ? x 21 x f32>
  return %r : !obs.pull<? x 21 x f32>
}

// -----

// The first element of a row and the plane have one number: only the place in the row is that of the copy.
// CHECK-LABEL: func.func @plane
// CHECK-SAME: (%[[A:.*]]: !obs.pull<70000 x 2 x 4 x i64>)
// CHECK: arith.minui
// CHECK: %[[J:.*]] = arith.remui %{{.*}}, %c4
// CHECK: obs.get %[[A]][%{{.*}}, %c0, %[[J]]]
// CHECK-NOT: obs.get %[[A]]
func.func @plane(%a: !obs.pull<70000 x 2 x 4 x i64>) -> !obs.pull<70000 x i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %sums = obs.generate (%i) {
    %w = obs.get %a[%i, %c0, %c0] : !obs.pull<70000 x 2 x 4 x i64>
    %x = obs.get %a[%i, %c0, %c1] : !obs.pull<70000 x 2 x 4 x i64>
    %y = obs.get %a[%i, %c0, %c2] : !obs.pull<70000 x 2 x 4 x i64>
    %z = obs.get %a[%i, %c0, %c3] : !obs.pull<70000 x 2 x 4 x i64>
    %wx = arith.addi %w, %x : i64
    %yz = arith.muli %y, %z : i64
    %r = arith.addi %wx, %yz : i64
    obs.yield %r : i64
  } : !obs.pull<70000 x i64>
  %r = obs.force %sums : !obs.pull<70000 x i64>
  return %r : !obs.pull<70000 x i64>
}

// -----

// A thread has its row in its own memory, from where it reads it twice.
// CHECK-LABEL: func.func @kept
// CHECK-SAME: (%[[A:.*]]: !obs.pull<50000 x 6 x f32>)
// CHECK: obs.get %[[A]]
// CHECK: !obs.push<block, 128 x 6 x f32>
// CHECK-NOT: obs.get %[[A]]
// CHECK: !obs.push<thread, 6 x f32>
// CHECK: !obs.push<block, 128 x 6 x f32>
// CHECK: !obs.push<grid, 50000 x 6 x f32>
func.func @kept(%a: !obs.pull<50000 x 6 x f32>) -> !obs.pull<50000 x 6 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c50000 = arith.constant 50000 : index
  %zero = arith.constant 0.0 : f32
  %f = obs.fill par (%i) in (%c50000) {
    %own = obs.fill par (%k) in (%c6) {
      %x = obs.get %a[%i, %k] : !obs.pull<50000 x 6 x f32>
      obs.write %x at [%k] : f32
    } : !obs.push<thread, 6 x f32>
    %row = obs.force %own : !obs.push<thread, 6 x f32>
    %sum = scf.for %k = %c0 to %c6 step %c1 iter_args(%s = %zero) -> (f32) {
      %x = obs.get %row[%k] : !obs.pull<6 x f32>
      %y = arith.addf %s, %x : f32
      scf.yield %y : f32
    }
    obs.par (%k) in (%c6) {
      %x = obs.get %row[%k] : !obs.pull<6 x f32>
      %y = arith.divf %x, %sum : f32
      obs.write %y at [%i, %k] : f32
    }
  } : !obs.push<grid, 50000 x 6 x f32>
  %r = obs.force %f : !obs.push<grid, 50000 x 6 x f32>
  return %r : !obs.pull<50000 x 6 x f32>
}

// -----

// The caches serve rows of 12 bytes, which many threads may read.
// CHECK-LABEL: func.func @distances
// CHECK-NOT: !obs.push<block
func.func @distances(%a: !obs.pull<1000 x 3 x f32>, %b: !obs.pull<1000 x 3 x f32>) -> !obs.pull<1000 x 1000 x f32> {
  %zero = arith.constant 0.0 : f32
  %r = obs.generate (%i, %j) {
    %d = obs.generate (%k) {
      %x = obs.get %a[%i, %k] : !obs.pull<1000 x 3 x f32>
      %y = obs.get %b[%j, %k] : !obs.pull<1000 x 3 x f32>
      %z = arith.subf %x, %y : f32
      %w = arith.mulf %z, %z : f32
      obs.yield %w : f32
    } : !obs.pull<3 x f32>
    %s = obs.reduce { arith.addf } %d init %zero : !obs.pull<3 x f32>
    obs.yield %s : f32
  } : !obs.pull<1000 x 1000 x f32>
  %f = obs.force %r : !obs.pull<1000 x 1000 x f32>
  return %f : !obs.pull<1000 x 1000 x f32>
}

// -----

// The compiler does not know if elements of a thread are neighbours. Here those of neighbouring threads are.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: !obs.push<block
func.func @unknown(%a: !obs.pull<524288 x i32>) -> !obs.pull<65536 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %r = obs.generate (%i) {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (i32) {
      %first = arith.shli %k, %c16 : index
      %at = arith.ori %first, %i : index
      %x = obs.get %a[%at] : !obs.pull<524288 x i32>
      %y = arith.addi %s, %x : i32
      scf.yield %y : i32
    }
    obs.yield %s : i32
  } : !obs.pull<65536 x i32>
  %f = obs.force %r : !obs.pull<65536 x i32>
  return %f : !obs.pull<65536 x i32>
}
