// The operations between the passes survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: obs.kernel @kernel(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[N:.*]]: index) attributes {threads = 128 : i64} {
obs.kernel @kernel(%m: memref<?xf32>, %n: index) attributes {threads = 128 : i64} {
  // CHECK-NEXT: obs.worker_id <grid, block>
  %b = obs.worker_id <grid, block>
  // CHECK-NEXT: obs.worker_count <block, warp>
  %w = obs.worker_count <block, warp>
  // CHECK-NEXT: obs.barrier block {why = ["read after write", "back edge"]}
  obs.barrier block {why = ["read after write", "back edge"]}
  // CHECK-NEXT: obs.barrier warp
  obs.barrier warp
  // Fused code may loop over units in the kernel itself.
  // CHECK-NEXT: obs.par block (%{{.*}}) in (%[[N]]) {
  obs.par block (%i) in (%n) {
  }
}

// CHECK-LABEL: obs.kernel @ticket(
// CHECK-SAME: %[[C:.*]]: memref<?xi32>, %[[ONE:.*]]: memref<i64>, %[[I:.*]]: index) {
obs.kernel @ticket(%counters: memref<?xi32>, %one: memref<i64>, %i: index) {
  // CHECK-NEXT: %[[CELL:.*]] = memref.alloc
  %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
  // CHECK-NEXT: obs.ticket %[[C]][%[[I]]] via %[[CELL]] : memref<?xi32>, memref<index, #obs.home<block, shared>>
  %n = obs.ticket %counters[%i] via %cell : memref<?xi32>, memref<index, #obs.home<block, shared>>
  // CHECK-NEXT: obs.ticket %[[ONE]][] via %[[CELL]] {tag} : memref<i64>, memref<index, #obs.home<block, shared>>
  %m = obs.ticket %one[] via %cell {tag} : memref<i64>, memref<index, #obs.home<block, shared>>
}

// CHECK-LABEL: obs.kernel @exchanges(
// CHECK-SAME: %[[C:.*]]: memref<?xi32>, %[[M:.*]]: memref<?xf64>, %[[W:.*]]: memref<?xi8>, %[[X:.*]]: f64, %[[Y:.*]]: i8, %[[I:.*]]: index, %[[S:.*]]: i32) {
obs.kernel @exchanges(%c: memref<?xi32>, %m: memref<?xf64>, %w: memref<?xi8>, %x: f64, %y: i8, %i: index, %s: i32) {
  // CHECK-NEXT: %[[CELL:.*]] = memref.alloc
  %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
  // CHECK-NEXT: obs.arrive %[[C]][%[[I]]] after %[[I]] : memref<?xi32>
  %a = obs.arrive %c[%i] after %i : memref<?xi32>
  // CHECK-NEXT: obs.arrive %[[C]][%[[I]]] after %[[I]] via %[[CELL]] {tag} : memref<?xi32>, memref<index, #obs.home<block, shared>>
  %b = obs.arrive %c[%i] after %i via %cell {tag} : memref<?xi32>, memref<index, #obs.home<block, shared>>
  // CHECK-NEXT: obs.publish %[[X]], %[[Y]] in %[[M]], %[[W]] flag %[[C]][%[[I]]] = 2 : f64, i8 in memref<?xf64>, memref<?xi8> flag memref<?xi32>
  obs.publish %x, %y in %m, %w flag %c[%i] = 2 : f64, i8 in memref<?xf64>, memref<?xi8> flag memref<?xi32>
  // CHECK-NEXT: %{{.*}}, %{{.*}}:2 = obs.await %[[M]], %[[W]] flag %[[C]][%[[I]]] >= %[[S]] : memref<?xf64>, memref<?xi8> flag memref<?xi32> -> f64, i8
  %f, %v:2 = obs.await %m, %w flag %c[%i] >= %s : memref<?xf64>, memref<?xi8> flag memref<?xi32> -> f64, i8
}

// CHECK-LABEL: obs.kernel @nothing(
// CHECK-SAME: %{{.*}}: i32) {
obs.kernel @nothing(%x: i32) {
}

// CHECK-LABEL: func.func @launch(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[X:.*]]: i32
func.func @launch(%m: memref<?xf32>, %n: index, %x: i32) {
  // CHECK: obs.launch @kernel work [%[[N]], %[[N]]] [block, thread] args(%[[M]], %[[N]]) : memref<?xf32>, index
  obs.launch @kernel work [%n, %n] [block, thread] args(%m, %n) : memref<?xf32>, index
  // CHECK: obs.launch @kernel blocks %[[N]] work [%[[N]]] [warp] args(%[[M]], %[[N]]) {name = "k"} : memref<?xf32>, index
  obs.launch @kernel blocks %n work [%n] [warp] args(%m, %n) {name = "k"} : memref<?xf32>, index
  // CHECK: obs.launch @nothing args(%[[X]]) : i32
  obs.launch @nothing args(%x) : i32
  return
}

// CHECK-LABEL: func.func @part(
// CHECK-SAME: %[[M:.*]]: memref<?x4xi32>, %[[I:.*]]: index, %[[N:.*]]: index
func.func @part(%m: memref<?x4xi32>, %i: index, %n: index) -> memref<2x4xi32> {
  // CHECK-NEXT: %[[P:.*]] = obs.part %[[M]] from %[[I]] extents(%[[N]]) : memref<?x4xi32> to memref<?xi32>
  %p = obs.part %m from %i extents(%n) : memref<?x4xi32> to memref<?xi32>
  // CHECK-NEXT: obs.part %[[P]] from %[[I]] : memref<?xi32> to memref<2x4xi32>
  %q = obs.part %p from %i : memref<?xi32> to memref<2x4xi32>
  return %q : memref<2x4xi32>
}
