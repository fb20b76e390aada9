// Reductions of whole arrays that read the same array become one reduction of tuples.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=emulate --threads=17 --blocks=3 | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// The sum n (n - 1) / 2, the maximum n - 1 and the sum of squares (n - 1) n (2 n - 1) / 6 of 0, 1, ..., n - 1, modulo
// 2^32.
// CHECK-LABEL: func.func @three(
// CHECK:      obs.reduce grid {{.*}} {commutative} : !obs.pull<5000 x i32, i32, i32>
// CHECK:        arith.addi
// CHECK:        arith.maxsi
// CHECK:        arith.addi
// CHECK-NOT:  obs.reduce
// CHECK:      return
// REDEFINE: %{entry} = three
// REDEFINE: %{args} = iota:5000xi32
// RUN: %{check}
// three: [12497500]
// three: [4999]
// three: [-1295505460]
"func.func"() <{function_type = (tensor<5000xi32>) -> (tensor<i32>, tensor<i32>, tensor<i32>), sym_name = "three"}> ({
^bb0(%x: tensor<5000xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %low = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  %m = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  %y = "stablehlo.multiply"(%x, %x) : (tensor<5000xi32>, tensor<5000xi32>) -> tensor<5000xi32>
  %q = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%s, %m, %q) : (tensor<i32>, tensor<i32>, tensor<i32>) -> ()
}) : () -> ()

// The sum of x - (maximum of x) depends on the maximum; y is another array. The sum of x - 99 is 4950 - 9900.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: obs.reduce grid
// CHECK:      return
// REDEFINE: %{entry} = apart
// REDEFINE: %{args} = iota:100xi32 iota:100xi32
// RUN: %{check}
// apart: [-4950]
// apart: [99]
"func.func"() <{function_type = (tensor<100xi32>, tensor<100xi32>) -> (tensor<i32>, tensor<i32>), sym_name = "apart"}> ({
^bb0(%x: tensor<100xi32>, %y: tensor<100xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %m = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  %all = "stablehlo.broadcast_in_dim"(%m) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<100xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  %n = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%s, %n) : (tensor<i32>, tensor<i32>) -> ()
}) : () -> ()
