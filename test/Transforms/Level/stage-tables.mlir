// RUN: obs-opt %s --obs-assign-homes --obs-stage-tables | FileCheck %s
// RUN: obs-opt %s --obs-assign-homes --obs-stage-tables --obs-map-levels | FileCheck %s --check-prefix=MAPPED
// RUN: obs-opt %s --obs-assign-homes --obs-stage-tables=limit=1023 | FileCheck %s --check-prefix=LIMIT --implicit-check-not=obs.offset

// With less memory, there is room for the second one only.
// LIMIT: obs.kernel @often
// LIMIT: memref.get_global @second : memref<3xi8> {obs.offset = 0 : i64}
memref.global "private" constant @table : memref<256xi32> = dense<1>
memref.global "private" constant @second : memref<3xi8> = dense<2>
memref.global "private" constant @long : memref<1025xi32> = dense<3>
memref.global "private" constant @asked : memref<256xi32> = dense<4> {obs.constant}

// A thread reads four elements of the table for each of two iterations, so a block of 256 threads reads 8 elements for each
// of the table. The second table begins at a multiple of 16 bytes. The third one has more than 4096 bytes, and the program
// wants the last one in constant memory.
// CHECK-LABEL: obs.kernel @often
// CHECK-SAME: shared_bytes = 1027 : i64
// CHECK-NEXT: obs.barrier block {why = ["read after write of tables, which all threads copy and read"]}
// CHECK: memref.get_global @table : memref<256xi32> {obs.offset = 0 : i64}
// CHECK: memref.get_global @second : memref<3xi8> {obs.offset = 1024 : i64}
// CHECK: memref.get_global @long : memref<1025xi32>{{$}}
// CHECK: memref.get_global @asked : memref<256xi32>{{$}}

// MAPPED-LABEL: gpu.func @often
// MAPPED: %[[ARENA:.*]] = gpu.dynamic_shared_memory
// MAPPED: %[[FROM:.*]] = memref.get_global @table : memref<256xi32>
// MAPPED: %[[COPY:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi32, #gpu.address_space<workgroup>>
// MAPPED: scf.for %[[I:.*]] = %{{.*}} to %c256{{.*}} step %c256
// MAPPED: %[[X:.*]] = memref.load %[[FROM]][%[[I]]]
// MAPPED: memref.store %[[X]], %[[COPY]][%[[I]]]
// MAPPED: gpu.barrier
// MAPPED-NOT: gpu.barrier
// MAPPED: scf.for
// MAPPED: memref.load %{{.*}} : memref<256xi32, #gpu.address_space<workgroup>>
// MAPPED: memref.load %{{.*}} : memref<3xi8, #gpu.address_space<workgroup>>
// MAPPED: gpu.return
obs.kernel @often(%a: memref<?xi32>, %b: memref<?xi32>, %n: index) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c255 = arith.constant 255 : index
  %t = memref.get_global @table : memref<256xi32>
  %s = memref.get_global @second : memref<3xi8>
  %l = memref.get_global @long : memref<1025xi32>
  %q = memref.get_global @asked : memref<256xi32>
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xi32>
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%c = %x) -> i32 {
      %d = arith.index_cast %c : i32 to index
      %e = arith.andi %d, %c255 : index
      %y = memref.load %t[%e] : memref<256xi32>
      %u = memref.load %l[%e] : memref<1025xi32>
      %v = memref.load %q[%e] : memref<256xi32>
      %w = arith.addi %u, %v : i32
      %z = arith.xori %y, %w : i32
      scf.yield %z : i32
    }
    %d = arith.index_cast %r : i32 to index
    %m = arith.remui %d, %c3 : index
    %y = memref.load %s[%m] : memref<3xi8>
    %f = arith.extui %y : i8 to i32
    %g = arith.addi %r, %f : i32
    memref.store %g, %b[%i] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>, obs.items = 2 : i64}
}

// One element for each of the table and 4 of a thread; an index of neighbours; a block, which can store the table itself.
// CHECK-LABEL: obs.kernel @seldom
// CHECK-NOT: obs.barrier
// CHECK-NOT: obs.offset
obs.kernel @seldom(%a: memref<?xi32>, %b: memref<?xi32>, %n: index) attributes {threads = 256 : i64} {
  %c255 = arith.constant 255 : index
  %t = memref.get_global @table : memref<256xi32>
  scf.forall (%i) in (%n) {
    %x = memref.load %a[%i] : memref<?xi32>
    %d = arith.index_cast %x : i32 to index
    %e = arith.andi %d, %c255 : index
    %y = memref.load %t[%e] : memref<256xi32>
    memref.store %y, %b[%i] : memref<?xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>, obs.items = 4 : i64}
}
obs.kernel @neighbours(%a: memref<?xi8>, %b: memref<?xi8>, %n: index) attributes {threads = 256 : i64} {
  %c3 = arith.constant 3 : index
  %s = memref.get_global @second : memref<3xi8>
  scf.forall (%i) in (%n) {
    %e = arith.remui %i, %c3 : index
    %y = memref.load %s[%e] : memref<3xi8>
    memref.store %y, %b[%i] : memref<?xi8>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>, obs.items = 16 : i64}
}
obs.kernel @block(%a: memref<256xi8>, %b: memref<256xi8>) attributes {threads = 256 : i64} {
  %c3 = arith.constant 3 : index
  %s = memref.get_global @second : memref<3xi8>
  scf.forall (%i) in (256) {
    %x = memref.load %a[%i] : memref<256xi8>
    %d = arith.index_castui %x : i8 to index
    %e = arith.remui %d, %c3 : index
    %y = memref.load %s[%e] : memref<3xi8>
    memref.store %y, %b[%i] : memref<256xi8>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}
