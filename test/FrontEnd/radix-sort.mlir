// A long vector is sorted by the digits of keys, if the order compares the same integer function of both elements.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// DEFINE: %{entry} =
// DEFINE: %{args} = iota:40000xi32
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry}

// From the largest number to the smallest one.
// CHECK-LABEL: func.func @descending(
// CHECK:      scf.for
// CHECK:      obs.partition
// REDEFINE: %{entry} = descending
// RUN: %{check}
// descending: [39999, 39998, 39997, ..., 2, 1, 0]
"func.func"() <{function_type = (tensor<40000xi32>) -> tensor<40000xi32>, sym_name = "descending"}> ({
^bb0(%x: tensor<40000xi32>):
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<40000xi32>) -> tensor<40000xi32>
  "func.return"(%r) : (tensor<40000xi32>) -> ()
}) : () -> ()

// By the last 3 bits. Equal keys keep their order: 0, 8, 16, ..., 1, 9, ..., 7, 15, ...
// CHECK-LABEL: func.func @by_bits(
// CHECK:      obs.partition
// REDEFINE: %{entry} = by_bits
// RUN: %{check}
// by_bits: [0, 8, 16, ..., 39983, 39991, 39999]
"func.func"() <{function_type = (tensor<40000xi32>) -> tensor<40000xi32>, sym_name = "by_bits"}> ({
^bb0(%x: tensor<40000xi32>):
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %seven = "stablehlo.constant"() <{value = dense<7> : tensor<i32>}> : () -> tensor<i32>
    %p = "stablehlo.and"(%a, %seven) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %q = "stablehlo.and"(%b, %seven) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = "stablehlo.compare"(%p, %q) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<40000xi32>) -> tensor<40000xi32>
  "func.return"(%r) : (tensor<40000xi32>) -> ()
}) : () -> ()

// Two different functions of the elements: a + 1 < b is not an order by keys. The runs are merged.
// CHECK-LABEL: func.func @other_functions(
// CHECK-NOT:  obs.partition
// CHECK:      return
"func.func"() <{function_type = (tensor<40000xi32>) -> tensor<40000xi32>, sym_name = "other_functions"}> ({
^bb0(%x: tensor<40000xi32>):
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %p = "stablehlo.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = "stablehlo.compare"(%p, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<40000xi32>) -> tensor<40000xi32>
  "func.return"(%r) : (tensor<40000xi32>) -> ()
}) : () -> ()
