// RUN: obs-opt %s --obs-assign-layouts | FileCheck %s

// Striped unless something else was asked for.
// CHECK-LABEL: obs.kernel @layouts
obs.kernel @layouts(%n: index) {
  // CHECK: mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>]}
  // CHECK: obs.distribution = #obs.distribution<blocked>
  scf.forall (%i) in (%n) {
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<blocked>}
}

// A thread uses a run of four neighbours, which the program wants in registers;
// the other array stays in its place.
// CHECK-LABEL: obs.kernel @runs
// CHECK: memref.store {{.*}}memref<64xf32, #obs.home<block, registers>>
// CHECK-NEXT: obs.distribution = #obs.distribution<blocked>
// CHECK: memref.load {{.*}}memref<64xf32, #obs.home<block, registers>>
// CHECK: obs.distribution = #obs.distribution<blocked>
// CHECK: memref.store {{.*}}memref<64xf32, #obs.home<block, auto>>
// CHECK-NEXT: obs.distribution = #obs.distribution<striped>
obs.kernel @runs(%x: f32, %out: memref<32xf32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %e = arith.shli %t, %c1 : index
    %f = arith.addi %e, %c1 : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, registers>>
    %z = memref.load %a[%f] : memref<64xf32, #obs.home<block, registers>>
    %s = arith.addf %y, %z : f32
    memref.store %s, %out[%t] : memref<32xf32>
  } {mapping = [#obs.map<block, thread>]}
  %b = memref.alloc() : memref<64xf32, #obs.home<block, auto>>
  scf.forall (%t) in (64) {
    memref.store %x, %b[%t] : memref<64xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
}

// A blocked distribution does not help: the layout stays as it is.
// CHECK-LABEL: obs.kernel @reversed
// CHECK-NOT: blocked
obs.kernel @reversed(%x: f32) attributes {threads = 32 : i64} {
  %c63 = arith.constant 63 : index
  %a = memref.alloc() : memref<64xf32, #obs.home<block, registers>>
  scf.forall (%t) in (64) {
    memref.store %x, %a[%t] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (64) {
    %e = arith.subi %c63, %t : index
    %y = memref.load %a[%e] : memref<64xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// Warps combine the array by rows: lane l of warp w has 4 l to 4 l + 3 of each of two rows. So the loop over the
// elements has the same order, and each element belongs to one thread. The last row of the last warp has 104 elements.
// CHECK-LABEL: obs.kernel @rows
// CHECK: scf.forall (%[[T:.*]]) in (128) {
// CHECK-DAG: %[[W:.*]] = arith.divui %[[T]], %c32{{.*}} :
// CHECK-DAG: %[[L:.*]] = arith.remui %[[T]], %c32{{.*}} :
// CHECK-DAG: %[[WARP:.*]] = arith.muli %[[W]], %c256{{.*}} :
// CHECK-DAG: %[[LANE:.*]] = arith.muli %[[L]], %c4{{.*}} :
// CHECK-DAG: %[[FIRST:.*]] = arith.addi %[[WARP]], %[[LANE]]
// CHECK-DAG: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1{{(_[0-9]+)?}} :
// CHECK-DAG: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %c128{{.*}} :
// CHECK-DAG: memref.store {{.*}}[%[[FIRST]]] : memref<1000xf32
// CHECK-DAG: memref.store {{.*}}[%[[SECOND]]] : memref<1000xf32
// CHECK-COUNT-2: memref.store
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[BEHIND]], %c1000
// CHECK: scf.if %[[EXISTS]]
// CHECK-COUNT-4: memref.store
// CHECK-NOT: memref.store
// CHECK: mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>
obs.kernel @rows(%x: memref<1000xf32>, %out: memref<128xf32>) attributes {threads = 128 : i64} {
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  %a = memref.alloc() : memref<1000xf32, #obs.home<block, auto>>
  scf.forall (%i) in (1000) {
    %v = memref.load %x[%i] : memref<1000xf32>
    memref.store %v, %a[%i] : memref<1000xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.for %k = %w to %c4 step %ws {
    %begin = arith.muli %k, %c256 : index
    scf.forall (%l) in (32) {
      %mine = arith.muli %l, %c4 : index
      %first = arith.addi %begin, %mine : index
      %second = arith.addi %first, %c128 : index
      %c1000 = arith.constant 1000 : index
      %u = memref.load %a[%first] : memref<1000xf32, #obs.home<block, auto>>
      %exists = arith.cmpi slt, %second, %c1000 : index
      %sum = scf.if %exists -> f32 {
        %v = memref.load %a[%second] : memref<1000xf32, #obs.home<block, auto>>
        %s = arith.addf %u, %v : f32
        scf.yield %s : f32
      } else {
        scf.yield %u : f32
      }
      %t0 = arith.muli %k, %c32 : index
      %t = arith.addi %t0, %l : index
      memref.store %sum, %out[%t] : memref<128xf32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}

// Nor does the order of rows help where a loop accesses another element, or with fewer threads than lanes of the warps.
// CHECK-LABEL: obs.kernel @other_order
// CHECK: scf.forall (%{{.*}}) in (128)
// CHECK: memref.store {{.*}} : memref<128xf32, #obs.home<block, auto>>
// CHECK-NEXT: } {mapping
// CHECK-LABEL: obs.kernel @few_threads
// CHECK: scf.forall (%{{.*}}) in (256)
obs.kernel @other_order(%x: f32, %out: memref<32xf32>) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c127 = arith.constant 127 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  %a = memref.alloc() : memref<128xf32, #obs.home<block, auto>>
  scf.forall (%i) in (128) {
    %r = arith.subi %c127, %i : index
    memref.store %x, %a[%r] : memref<128xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.for %k = %w to %c1 step %ws {
    scf.forall (%l) in (32) {
      %mine = arith.muli %l, %c4 : index
      %u = memref.load %a[%mine] : memref<128xf32, #obs.home<block, auto>>
      memref.store %u, %out[%l] : memref<32xf32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}
obs.kernel @few_threads(%x: f32, %out: memref<64xf32>) attributes {threads = 32 : i64} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %w = obs.worker_id <block, warp>
  %ws = obs.worker_count <block, warp>
  %a = memref.alloc() : memref<256xf32, #obs.home<block, auto>>
  scf.forall (%i) in (256) {
    memref.store %x, %a[%i] : memref<256xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>]}
  scf.for %k = %w to %c2 step %ws {
    %begin = arith.muli %k, %c128 : index
    %place = arith.muli %k, %c32 : index
    scf.forall (%l) in (32) {
      %mine = arith.muli %l, %c4 : index
      %first = arith.addi %begin, %mine : index
      %u = memref.load %a[%first] : memref<256xf32, #obs.home<block, auto>>
      %t = arith.addi %place, %l : index
      memref.store %u, %out[%t] : memref<64xf32>
    } {mapping = [#obs.map<warp, thread>]}
  } {obs.map = #obs.map<block, warp>}
}

// A loop with `obs.items` copies rows with accesses of four neighbours, so thread t has elements 4 t to 4 t + 3 in all loops
// over the array. Neighbours have one row, and columns that follow each other.
// CHECK-LABEL: obs.kernel @copied
// CHECK: scf.forall (%[[T:.*]]) in (256)
// CHECK: %[[W:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[P:.*]] = arith.muli %[[W]], %c128
// CHECK: %[[L:.*]] = arith.remui %[[T]], %c32
// CHECK: %[[Q:.*]] = arith.muli %[[L]], %c4
// CHECK: %[[E:.*]] = arith.addi %[[P]], %[[Q]]
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[E]], %c16
// CHECK-DAG: %[[C0:.*]] = arith.remui %[[E]], %c16
// CHECK-DAG: %[[C1:.*]] = arith.addi %[[C0]], %c1
// CHECK-DAG: %[[C3:.*]] = arith.addi %[[C0]], %c3
// CHECK: memref.load %{{.*}}[%[[ROW]], %[[C0]]]
// CHECK-NEXT: memref.load %{{.*}}[%[[ROW]], %[[C1]]]
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.load %{{.*}}[%[[ROW]], %[[C3]]]
// CHECK-NOT: obs.items
// CHECK: scf.forall (%{{.*}}) in (256)
obs.kernel @copied(%a: memref<?x16xf32>) attributes {threads = 128 : i64} {
  %c16 = arith.constant 16 : index
  %b = memref.alloc() : memref<64x16xf32, #obs.home<block, auto>>
  %s = memref.alloc() : memref<16x64xf32, #obs.home<block, shared>>
  scf.forall (%t) in (1024) {
    %column = arith.remui %t, %c16 : index
    %row = arith.divui %t, %c16 : index
    %x = memref.load %a[%row, %column] : memref<?x16xf32>
    memref.store %x, %b[%row, %column] : memref<64x16xf32, #obs.home<block, auto>>
  } {mapping = [#obs.map<block, thread>], obs.items = 4 : i64}
  scf.forall (%t) in (1024) {
    %column = arith.remui %t, %c16 : index
    %row = arith.divui %t, %c16 : index
    %x = memref.load %b[%row, %column] : memref<64x16xf32, #obs.home<block, auto>>
    memref.store %x, %s[%column, %row] : memref<16x64xf32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>]}
}
