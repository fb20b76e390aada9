// The code of an element has the location of the operation whose function it is,
// because the report on costs counts the operations of one location together.
//
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo --mlir-print-debuginfo \
// RUN:   --mlir-print-local-scope %s | FileCheck %s

// CHECK: arith.negf {{.*}} loc("sorted")
// CHECK: arith.cmpf {{.*}} loc("sorted")
// CHECK-NOT: loc("inner")
"func.func"() <{function_type = (tensor<9xf32>) -> tensor<9xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<9xf32>):
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = "stablehlo.negate"(%a) : (tensor<f32>) -> tensor<f32> loc("inner")
    %l = "stablehlo.compare"(%n, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1> loc("inner")
    "stablehlo.return"(%l) : (tensor<i1>) -> ()
  }) : (tensor<9xf32>) -> tensor<9xf32> loc("sorted")
  "func.return"(%r) : (tensor<9xf32>) -> ()
}) : () -> ()
