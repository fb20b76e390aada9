// Each step adds the elements in reverse. An array that is stored because its elements are read twice is not
// computed again for the reads at the same index.
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: obs-run %t.mlir iota:4xi32 | FileCheck %s --check-prefix=VALUES
// RUN: obs-run %t.mlir iota:4xi32 --device=emulate | FileCheck %s --check-prefix=VALUES

// CHECK: %[[STORED:.*]] = obs.force %[[ARRAY:[0-9]+]] :
// CHECK-NOT: %[[ARRAY]]{{[^0-9]}}
// CHECK: obs.map { arith.addi } %[[STORED]], %{{.*}} :
// CHECK-NOT: %[[ARRAY]]{{[^0-9]}}
// CHECK: return

// The sum of the first and the last element is 3, and twelve steps double it.
// VALUES: [12288, 12288, 12288, 12288]
"func.func"() <{function_type = (tensor<4xi32>) -> tensor<4xi32>, sym_name = "main"}> ({
^bb0(%x0: tensor<4xi32>):
  %r0 = "stablehlo.reverse"(%x0) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x1 = "stablehlo.add"(%x0, %r0) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r1 = "stablehlo.reverse"(%x1) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x2 = "stablehlo.add"(%x1, %r1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r2 = "stablehlo.reverse"(%x2) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x3 = "stablehlo.add"(%x2, %r2) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r3 = "stablehlo.reverse"(%x3) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x4 = "stablehlo.add"(%x3, %r3) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r4 = "stablehlo.reverse"(%x4) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x5 = "stablehlo.add"(%x4, %r4) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r5 = "stablehlo.reverse"(%x5) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x6 = "stablehlo.add"(%x5, %r5) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r6 = "stablehlo.reverse"(%x6) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x7 = "stablehlo.add"(%x6, %r6) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r7 = "stablehlo.reverse"(%x7) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x8 = "stablehlo.add"(%x7, %r7) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r8 = "stablehlo.reverse"(%x8) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x9 = "stablehlo.add"(%x8, %r8) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r9 = "stablehlo.reverse"(%x9) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x10 = "stablehlo.add"(%x9, %r9) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r10 = "stablehlo.reverse"(%x10) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x11 = "stablehlo.add"(%x10, %r10) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r11 = "stablehlo.reverse"(%x11) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x12 = "stablehlo.add"(%x11, %r11) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r12 = "stablehlo.reverse"(%x12) <{dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4xi32>
  %x13 = "stablehlo.add"(%x12, %r12) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  "func.return"(%x13) : (tensor<4xi32>) -> ()
}) : () -> ()
