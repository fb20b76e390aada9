// RUN: obs-opt -pass-pipeline='builtin.module(obs.kernel(obs-assign-banks))' %s | FileCheck %s

// A column of 32 numbers of 4 bytes is in one bank; with 33 in each row it is in
// all of them.

// CHECK-LABEL: obs.kernel @columns
// CHECK: memref.alloc() : memref<32x33xi32, #obs.home<block, shared>>
// CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<32x33xi32
obs.kernel @columns(%out: memref<32xi32>) attributes {threads = 32 : i64, entry = "columns"} {
  %c3 = arith.constant 3 : index
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<32x32xi32, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    memref.store %v, %a[%c3, %i] : memref<32x32xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (32) {
    %x = memref.load %a[%i, %c3] : memref<32x32xi32, #obs.home<block, shared>>
    memref.store %x, %out[%i] : memref<32xi32>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// Rows alone do not conflict.

// CHECK-LABEL: obs.kernel @rows
// CHECK: memref.alloc() : memref<32x32xi32, #obs.home<block, shared>>
obs.kernel @rows(%out: memref<32xi32>) attributes {threads = 32 : i64, entry = "rows"} {
  %c3 = arith.constant 3 : index
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<32x32xi32, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    memref.store %v, %a[%c3, %i] : memref<32x32xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// One row, of which the lanes of a warp take every 32nd element: all in one
// bank. Element e moves to e xor (e / 32 mod 32).

// CHECK-LABEL: obs.kernel @strided
// CHECK: memref.alloc() : memref<1024xi32, #obs.home<block, shared>>
// CHECK: %[[E:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[ROW:.*]] = arith.divui %[[E]], %c32
// CHECK: %[[LOW:.*]] = arith.andi %[[ROW]], %c31
// CHECK: %[[TO:.*]] = arith.xori %[[E]], %[[LOW]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[TO]]] : memref<1024xi32
obs.kernel @strided(%out: memref<32xi32>) attributes {threads = 32 : i64, entry = "strided"} {
  %c32 = arith.constant 32 : index
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<1024xi32, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    %e = arith.muli %i, %c32 : index
    memref.store %v, %a[%e] : memref<1024xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// The last group of 128 bytes is whole, too.

// CHECK-LABEL: obs.kernel @part
// CHECK: memref.alloc() : memref<1024xi32, #obs.home<block, shared>>
// CHECK: arith.xori
obs.kernel @part(%out: memref<32xi32>) attributes {threads = 32 : i64, entry = "part"} {
  %c32 = arith.constant 32 : index
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<1000xi32, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    %e = arith.muli %i, %c32 : index
    memref.store %v, %a[%e] : memref<1000xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// There is no room for a longer row: a block can have 232448 bytes, and
// 1816 rows of 32 numbers take them all. The row's number is xored instead.

// CHECK-LABEL: obs.kernel @full
// CHECK: memref.alloc() : memref<1816x32xi32, #obs.home<block, shared>>
// CHECK: %[[LOW:.*]] = arith.andi %[[I:.*]], %c31
// CHECK: %[[TO:.*]] = arith.xori %c3{{.*}}, %[[LOW]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[TO]]] : memref<1816x32xi32
obs.kernel @full(%out: memref<32xi32>) attributes {threads = 32 : i64, entry = "full"} {
  %c3 = arith.constant 3 : index
  %v = arith.constant 7 : i32
  %a = memref.alloc() : memref<1816x32xi32, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    memref.store %v, %a[%i, %c3] : memref<1816x32xi32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// Four neighbours of a thread are one access if rows begin at a multiple of 16 bytes. Two elements of padding would have no
// conflicts, but each access of 16 bytes would be two: there are more of them than stores with conflicts.

// CHECK-LABEL: obs.kernel @neighbours
// CHECK: memref.alloc() : memref<16x68xf32, #obs.home<block, shared>>
obs.kernel @neighbours(%out: memref<16xf32>) attributes {threads = 128 : i64, entry = "neighbours"} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant 7.0 : f32
  %a = memref.alloc() : memref<16x64xf32, #obs.home<block, shared>>
  scf.forall (%i) in (128) {
    %column = arith.divui %i, %c16 : index
    %row = arith.remui %i, %c16 : index
    memref.store %v, %a[%row, %column] : memref<16x64xf32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (128) {
    %group = arith.divui %i, %c16 : index
    %c = arith.muli %group, %c4 : index
    %d = arith.addi %c, %c1 : index
    %e = arith.addi %c, %c2 : index
    %f = arith.addi %c, %c3 : index
    %x = memref.load %a[%c1, %c] : memref<16x64xf32, #obs.home<block, shared>>
    %y = memref.load %a[%c1, %d] : memref<16x64xf32, #obs.home<block, shared>>
    %z = memref.load %a[%c1, %e] : memref<16x64xf32, #obs.home<block, shared>>
    %w = memref.load %a[%c1, %f] : memref<16x64xf32, #obs.home<block, shared>>
    %x2 = memref.load %a[%c2, %c] : memref<16x64xf32, #obs.home<block, shared>>
    %y2 = memref.load %a[%c2, %d] : memref<16x64xf32, #obs.home<block, shared>>
    %z2 = memref.load %a[%c2, %e] : memref<16x64xf32, #obs.home<block, shared>>
    %w2 = memref.load %a[%c2, %f] : memref<16x64xf32, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// A thread stores eight neighbours of 2 bytes by one access, so that rows of 40 elements, 80 bytes, are whole accesses. Lanes
// then load from 8 rows without conflicts. Padding by fewer elements would divide the stores.

// CHECK-LABEL: obs.kernel @halves
// CHECK: memref.alloc() : memref<32x40xf16, #obs.home<block, shared>>
obs.kernel @halves(%out: memref<16xf32>) attributes {threads = 128 : i64, entry = "halves"} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 7.0 : f16
  %a = memref.alloc() : memref<32x32xf16, #obs.home<block, shared>>
  scf.forall (%i) in (128) {
    %row = arith.divui %i, %c4 : index
    %part = arith.remui %i, %c4 : index
    %k0 = arith.muli %part, %c8 : index
    %k1 = arith.addi %k0, %c1 : index
    %k2 = arith.addi %k0, %c2 : index
    %k3 = arith.addi %k0, %c3 : index
    %k4 = arith.addi %k0, %c4 : index
    %k5 = arith.addi %k0, %c5 : index
    %k6 = arith.addi %k0, %c6 : index
    %k7 = arith.addi %k0, %c7 : index
    memref.store %v, %a[%row, %k0] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k1] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k2] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k3] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k4] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k5] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k6] : memref<32x32xf16, #obs.home<block, shared>>
    memref.store %v, %a[%row, %k7] : memref<32x32xf16, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (128) {
    %row = arith.divui %i, %c4 : index
    %part = arith.remui %i, %c4 : index
    %k = arith.muli %part, %c2 : index
    %x = memref.load %a[%row, %k] : memref<32x32xf16, #obs.home<block, shared>>
    %other = arith.addi %k, %c8 : index
    %y = memref.load %a[%row, %other] : memref<32x32xf16, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}

// Four neighbours of 2 bytes are one access of 8 bytes, which has two phases of 16 lanes. In each phase, the lanes of four
// rows are in other banks with 16 more elements in each row.

// CHECK-LABEL: obs.kernel @quads_of_halves
// CHECK: memref.alloc() : memref<8x80xbf16, #obs.home<block, shared>>
obs.kernel @quads_of_halves(%out: memref<32x4xbf16>) attributes {threads = 32 : i64, entry = "quads_of_halves"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 7.0 : bf16
  %a = memref.alloc() : memref<8x64xbf16, #obs.home<block, shared>>
  scf.forall (%i) in (32) {
    memref.store %v, %a[%c0, %i] : memref<8x64xbf16, #obs.home<block, shared>>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (32) {
    %row = arith.divui %i, %c4 : index
    %part = arith.remui %i, %c4 : index
    %k0 = arith.muli %part, %c4 : index
    %k1 = arith.addi %k0, %c1 : index
    %k2 = arith.addi %k0, %c2 : index
    %k3 = arith.addi %k0, %c3 : index
    %x0 = memref.load %a[%row, %k0] : memref<8x64xbf16, #obs.home<block, shared>>
    %x1 = memref.load %a[%row, %k1] : memref<8x64xbf16, #obs.home<block, shared>>
    %x2 = memref.load %a[%row, %k2] : memref<8x64xbf16, #obs.home<block, shared>>
    %x3 = memref.load %a[%row, %k3] : memref<8x64xbf16, #obs.home<block, shared>>
    memref.store %x0, %out[%i, %c0] : memref<32x4xbf16>
    memref.store %x1, %out[%i, %c1] : memref<32x4xbf16>
    memref.store %x2, %out[%i, %c2] : memref<32x4xbf16>
    memref.store %x3, %out[%i, %c3] : memref<32x4xbf16>
  } {mapping = [#obs.map<block, thread>], obs.distribution = #obs.distribution<striped>}
}
