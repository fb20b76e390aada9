// Launches with 2^31 and 2^32 units of work, and with none: one iteration for each worker, and at least one block, but
// no more than a grid can have.
// RUN: obs-opt --obs-set-launch --canonicalize %s | FileCheck %s

obs.kernel @k(%m: memref<?xi8>) attributes {threads = 256 : i64} {
}

// CHECK-LABEL: func.func @launch(
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// 2^31 / 256, 2^32 / 256, and 2^31 / 8, since a block has eight warps.
// CHECK-DAG: %[[THREADS31:.*]] = arith.constant 8388608 : index
// CHECK-DAG: %[[THREADS32:.*]] = arith.constant 16777216 : index
// CHECK-DAG: %[[WARPS31:.*]] = arith.constant 268435456 : index
// CHECK-DAG: %[[MOST:.*]] = arith.constant 2147483647 : index
// CHECK:      obs.launch @k blocks %[[ONE]] args
// CHECK-NEXT: obs.launch @k blocks %[[THREADS31]] args
// CHECK-NEXT: obs.launch @k blocks %[[THREADS32]] args
// CHECK-NEXT: obs.launch @k blocks %[[WARPS31]] args
// CHECK-NEXT: obs.launch @k blocks %[[MOST]] args
// CHECK-NEXT: obs.launch @k blocks %[[MOST]] args
// CHECK-NEXT: obs.launch @k blocks %[[MOST]] args
func.func @launch(%m: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n31 = arith.constant 2147483648 : index
  %n32 = arith.constant 4294967296 : index
  %n48 = arith.constant 281474976710656 : index
  obs.launch @k work [%c0] [thread] args(%m) : memref<?xi8>
  obs.launch @k work [%n31] [thread] args(%m) : memref<?xi8>
  obs.launch @k work [%n32] [thread] args(%m) : memref<?xi8>
  obs.launch @k work [%n31] [warp] args(%m) : memref<?xi8>
  obs.launch @k work [%n31] [block] args(%m) : memref<?xi8>
  obs.launch @k work [%n32] [block] args(%m) : memref<?xi8>
  obs.launch @k work [%n48] [thread] args(%m) : memref<?xi8>
  return
}
