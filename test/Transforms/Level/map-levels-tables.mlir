// RUN: obs-opt %s --obs-assign-layouts --obs-assign-homes --obs-map-levels | FileCheck %s --implicit-check-not=obs.constant
// RUN: obs-opt %s --obs-assign-layouts --obs-assign-homes | FileCheck %s --check-prefix=HOMES

// Tables that both kernels read well in constant memory, or that the program wants
// there, as long as there is room: 65536 bytes.

// CHECK: gpu.module @kernels
// CHECK-DAG: memref.global "private" constant @asked {{.*}} {obs.constant}
// CHECK-DAG: memref.global "private" constant @uniform {{.*}} {obs.constant}
// CHECK-DAG: memref.global "private" constant @mixed {{.*}} = dense<3>{{$}}
// CHECK-DAG: memref.global "private" constant @too_large {{.*}} = dense<4>{{$}}
memref.global "private" constant @asked : memref<8192xi32> = dense<1> {obs.constant}
memref.global "private" constant @uniform : memref<8x8xi32> = dense<2>
memref.global "private" constant @mixed : memref<8xi32> = dense<3>
memref.global "private" constant @too_large : memref<8192xi32> = dense<4>

// HOMES-LABEL: obs.kernel @one
// HOMES: memref.get_global @asked : memref<{{[^>]*}}>{{$}}
// HOMES: memref.get_global @uniform : memref<{{.*}}> {obs.constant}
// HOMES: memref.get_global @mixed : memref<{{.*}}> {obs.constant}
// HOMES: memref.get_global @too_large : memref<{{.*}}> {obs.constant}
obs.kernel @one(%out: memref<64xi32>, %k: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = memref.get_global @asked : memref<8192xi32>
  %u = memref.get_global @uniform : memref<8x8xi32>
  %m = memref.get_global @mixed : memref<8xi32>
  %l = memref.get_global @too_large : memref<8192xi32>
  scf.forall (%t) in (64) {
    %w = arith.shrui %t, %c5 : index
    %x0 = memref.load %a[%t] : memref<8192xi32>
    %x1 = memref.load %u[%w, %k] : memref<8x8xi32>
    %x2 = memref.load %m[%c1] : memref<8xi32>
    %x3 = scf.for %j = %c0 to %k step %c1 iter_args(%s = %x0) -> i32 {
      %y = memref.load %l[%j] : memref<8192xi32>
      %z = arith.addi %s, %y : i32
      scf.yield %z : i32
    }
    %y0 = arith.addi %x1, %x2 : i32
    %y1 = arith.addi %x3, %y0 : i32
    memref.store %y1, %out[%t] : memref<64xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// Iterations 0 and 48 are of one thread, but 31 and 32 of one warp and 0 and 16.
// HOMES-LABEL: obs.kernel @two
// HOMES: memref.get_global @mixed : memref<{{[^>]*}}>{{$}}
obs.kernel @two(%out: memref<64xi32>) attributes {threads = 48 : i64} {
  %c4 = arith.constant 4 : index
  %m = memref.get_global @mixed : memref<8xi32>
  scf.forall (%t) in (64) {
    %w = arith.shrui %t, %c4 : index
    %x = memref.load %m[%w] : memref<8xi32>
    memref.store %x, %out[%t] : memref<64xi32>
  } {mapping = [#obs.map<block, thread>]}
}

// Runs of neighbours: thread t has iterations 2 t and 2 t + 1, a warp 64 of them.
// HOMES-LABEL: obs.kernel @three
// HOMES: memref.get_global @uniform : memref<{{.*}}> {obs.constant}
// HOMES: memref.get_global @mixed : memref<{{[^>]*}}>{{$}}
obs.kernel @three(%out: memref<128xi32>) attributes {threads = 64 : i64} {
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %u = memref.get_global @uniform : memref<8x8xi32>
  %m = memref.get_global @mixed : memref<8xi32>
  scf.forall (%t) in (128) {
    %w = arith.shrui %t, %c6 : index
    %v = arith.shrui %t, %c5 : index
    %x = memref.load %u[%w, %w] : memref<8x8xi32>
    %y = memref.load %m[%v] : memref<8xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %out[%t] : memref<128xi32>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<blocked>}
}
