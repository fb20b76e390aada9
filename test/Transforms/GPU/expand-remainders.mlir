// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-expand-remainders)))' | FileCheck %s

gpu.module @kernels {
  // The numbers near the range are tested, and the division is in a branch.
  // CHECK-LABEL: gpu.func @near(
  // CHECK-SAME: %[[X:.*]]: index, %[[N:.*]]: index, %[[OUT:.*]]: memref<index>
  // CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[X]], %[[N]]
  // CHECK: %[[MINUS:.*]] = arith.subi %c0, %[[N]]
  // CHECK: %[[ABOVE:.*]] = arith.cmpi slt, %[[MINUS]], %[[X]]
  // CHECK: %[[REST:.*]] = arith.subi %[[X]], %[[N]]
  // CHECK-DAG: %[[POSITIVE:.*]] = arith.cmpi slt, %c0, %[[N]]
  // CHECK-DAG: %[[LESS:.*]] = arith.cmpi slt, %[[REST]], %[[N]]
  // CHECK: %[[SHORT:.*]] = arith.andi %[[POSITIVE]], %[[LESS]]
  // CHECK: %[[NEAR:.*]] = arith.select %[[BELOW]], %[[ABOVE]], %[[SHORT]]
  // CHECK: %[[R:.*]] = scf.if %[[NEAR]] -> (index) {
  // CHECK: %[[S:.*]] = arith.select %[[BELOW]], %[[X]], %[[REST]]
  // CHECK: scf.yield %[[S]]
  // CHECK: %[[D:.*]] = arith.remsi %[[X]], %[[N]]
  // CHECK: scf.yield %[[D]]
  // CHECK: memref.store %[[R]], %[[OUT]]
  gpu.func @near(%x: index, %n: index, %out: memref<index>) kernel {
    %r = arith.remsi %x, %n : index
    memref.store %r, %out[] : memref<index>
    gpu.return
  }

  // Divisors that are constants, unsigned remainders and data stay.
  // CHECK-LABEL: gpu.func @others(
  // CHECK-NOT: scf.if
  gpu.func @others(%x: index, %n: index, %k: i32, %out: memref<3xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %r = arith.remsi %x, %c7 : index
    %s = arith.remui %x, %n : index
    %t = arith.remsi %k, %k : i32
    %u = arith.index_cast %t : i32 to index
    memref.store %r, %out[%c0] : memref<3xindex>
    memref.store %s, %out[%c1] : memref<3xindex>
    memref.store %u, %out[%c2] : memref<3xindex>
    gpu.return
  }
}
