// The number of iterations of a grid that a thread executes side by side: the number of elements in 16 bytes, for the
// widest elements that are contiguous.
// RUN: obs-opt --obs-tile-grid %s | FileCheck %s
// RUN: obs-opt --obs-tile-grid=enable=false %s | FileCheck %s --check-prefix=OFF --implicit-check-not=obs.items --implicit-check-not=by_extent
// OFF: arith.ceildivui
// OFF-NOT: arith.ceildivui

// CHECK-LABEL: obs.kernel @floats
// CHECK: obs.items = 4 : i64
obs.kernel @floats(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) attributes {threads = 256 : i64} {
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// The wider elements decide; those of the other array are 4 bytes together.
// CHECK-LABEL: obs.kernel @bytes_to_floats
// CHECK: obs.items = 4 : i64
obs.kernel @bytes_to_floats(%a: memref<?xi8>, %b: memref<?xf32>, %n: index) attributes {threads = 256 : i64} {
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xi8>
    %y = arith.sitofp %x : i8 to f32
    memref.store %y, %b[%i] : memref<?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// Rows and columns of a linear number, and a neighbour.
// CHECK-LABEL: obs.kernel @rows
// CHECK: obs.items = 8 : i64
obs.kernel @rows(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %n: index, %w: index) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (%n) {
    %r = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %d = arith.addi %c, %c1 : index
    %x = memref.load %a[%r, %d] : memref<?x?xf16>
    memref.store %x, %b[%r, %c] : memref<?x?xf16>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// No access is contiguous; a turn depends on the iteration; fewer iterations than a tile.
// CHECK-LABEL: obs.kernel @apart
// CHECK-NOT: obs.items
// CHECK-LABEL: obs.kernel @turns
// CHECK-NOT: obs.items
// CHECK-LABEL: obs.kernel @few
// CHECK-NOT: obs.items
// CHECK-LABEL: func.func
obs.kernel @apart(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) attributes {threads = 256 : i64} {
  %c2 = arith.constant 2 : index
  scf.forall (%i) in (%n) {
    %j = arith.muli %i, %c2 : index
    %x = memref.load %a[%j] : memref<?xf32>
    memref.store %x, %b[%j] : memref<?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}
obs.kernel @turns(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %s = scf.for %k = %c0 to %i step %c1 iter_args(%t = %zero) -> f32 {
      %x = memref.load %a[%k] : memref<?xf32>
      %u = arith.addf %t, %x : f32
      scf.yield %u : f32
    }
    memref.store %s, %b[%i] : memref<?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}
obs.kernel @few(%a: memref<1023xf32>, %b: memref<1023xf32>) attributes {threads = 256 : i64} {
  scf.forall (%i) in (1023) {
    %x = memref.load %a[%i] : memref<1023xf32>
    memref.store %x, %b[%i] : memref<1023xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// A launch has fewer blocks if their number follows from the extent, not if somebody has chosen it.
func.func @main(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c256 = arith.constant 256 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  // CHECK: %[[ALL:.*]] = arith.ceildivui %{{.*}}, %c256
  // CHECK: %[[FEWER:.*]] = arith.ceildivui %[[ALL]], %c4
  // CHECK: obs.launch @floats blocks %[[FEWER]] args
  // CHECK: obs.launch @floats blocks %c7 args
  // CHECK: obs.launch @apart blocks %[[ALL]] args
  %blocks = arith.ceildivui %n, %c256 : index
  obs.launch @floats blocks %blocks args(%a, %b, %n) {by_extent} : memref<?xf32>, memref<?xf32>, index
  obs.launch @floats blocks %c7 args(%a, %b, %n) : memref<?xf32>, memref<?xf32>, index
  obs.launch @apart blocks %blocks args(%a, %b, %n) {by_extent} : memref<?xf32>, memref<?xf32>, index
  return
}

// A stencil: neighbouring rows read the same elements, so a thread computes four of them. The number of rows need not be a multiple of four.
// CHECK-LABEL: obs.kernel @stencil
// CHECK-SAME: memref<?x?xf32>, %[[H:[a-z0-9]*]]: index, %[[W:[a-z0-9]*]]: index)
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %[[H]], %c4
// CHECK: %[[ALL:.*]] = arith.muli %[[GROUPS]], %[[W]]
// CHECK: scf.forall (%[[I:.*]]) in (%[[ALL]])
// CHECK-DAG: %[[GROUP:.*]] = arith.divui %[[I]], %[[W]]
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[I]], %[[W]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %c4
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c4
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[K]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[ROW]], %[[H]]
// CHECK: scf.if %[[EXISTS]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK: {obs.rows}
// CHECK: obs.items = 4 : i64
obs.kernel @stencil(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %h: index, %w: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.muli %h, %w : index
  scf.forall (%i) in (%n) {
    %r = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %above = arith.subi %r, %c1 : index
    %s = arith.maxsi %above, %c0 : index
    %x = memref.load %a[%s, %c] : memref<?x?xf32>
    memref.store %x, %b[%r, %c] : memref<?x?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// Guards of columns alone: rows have nothing in common.
// CHECK-LABEL: obs.kernel @columns
// CHECK-NOT: arith.ceildivui
// CHECK: obs.items = 4 : i64
obs.kernel @columns(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %h: index, %w: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.muli %h, %w : index
  scf.forall (%i) in (%n) {
    %r = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %left = arith.subi %c, %c1 : index
    %s = arith.maxsi %left, %c0 : index
    %x = memref.load %a[%r, %s] : memref<?x?xf32>
    memref.store %x, %b[%r, %c] : memref<?x?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// A stencil of three dimensions: four rows of a plane, in which the number of rows need not be a multiple of four, either.
// CHECK-LABEL: obs.kernel @volume
// CHECK-SAME: %[[D:[a-z0-9]*]]: index, %[[H:[a-z0-9]*]]: index, %[[W:[a-z0-9]*]]: index)
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %[[H]], %c4
// CHECK: %[[ROWS:.*]] = arith.muli %[[GROUPS]], %[[D]]
// CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %[[W]]
// CHECK: scf.forall (%[[I:.*]]) in (%[[ALL]])
// CHECK-DAG: %[[NUMBER:.*]] = arith.divui %[[I]], %[[W]]
// CHECK-DAG: %[[COLUMN:.*]] = arith.remui %[[I]], %[[W]]
// CHECK-DAG: %[[PLANE:.*]] = arith.divui %[[NUMBER]], %[[GROUPS]]
// CHECK-DAG: %[[GROUP:.*]] = arith.remui %[[NUMBER]], %[[GROUPS]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %c4
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c4
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[K]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[ROW]], %[[H]]
// CHECK: scf.if %[[EXISTS]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[PLANE]], %[[ROW]], %[[COLUMN]]]
// CHECK: {obs.rows}
// CHECK: obs.items = 4 : i64
obs.kernel @volume(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %d: index, %h: index, %w: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.muli %d, %h : index
  %n = arith.muli %m, %w : index
  scf.forall (%i) in (%n) {
    %q = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %p = arith.divui %q, %h : index
    %r = arith.remui %q, %h : index
    %above = arith.subi %r, %c1 : index
    %s = arith.maxsi %above, %c0 : index
    %x = memref.load %a[%p, %s, %c] : memref<?x?x?xf32>
    memref.store %x, %b[%p, %r, %c] : memref<?x?x?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// Guards of planes alone: rows have nothing in common.
// CHECK-LABEL: obs.kernel @between_planes
// CHECK-NOT: arith.ceildivui
// CHECK: obs.items = 4 : i64
obs.kernel @between_planes(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %d: index, %h: index, %w: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.muli %d, %h : index
  %n = arith.muli %m, %w : index
  scf.forall (%i) in (%n) {
    %q = arith.divui %i, %w : index
    %c = arith.remui %i, %w : index
    %p = arith.divui %q, %h : index
    %r = arith.remui %q, %h : index
    %before = arith.subi %p, %c1 : index
    %s = arith.maxsi %before, %c0 : index
    %x = memref.load %a[%s, %r, %c] : memref<?x?x?xf32>
    memref.store %x, %b[%p, %r, %c] : memref<?x?x?xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// CHECK-LABEL: obs.kernel @pairs
// CHECK: obs.items = 4 : i64
// Two iterations are one pair of numbers: 0, 0, 1, 1 are neighbours, too.
obs.kernel @pairs(%a: memref<?x2xf32>, %b: memref<?x2xf32>, %n: index) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.forall (%i) in (%n) {
    %p = arith.divui %i, %c2 : index
    %k = arith.remui %i, %c2 : index
    %other = arith.subi %c1, %k : index
    %x = memref.load %a[%p, %other] : memref<?x2xf32>
    memref.store %x, %b[%p, %k] : memref<?x2xf32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}
