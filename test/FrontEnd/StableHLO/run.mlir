// obs-run takes the program after its import.
// RUN: not obs-run %s iota:3xf32 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t && obs-run %t iota:3xf32 | FileCheck %s
// GENERIC: run.mlir:[[#@LINE+5]]:23: error: {{.*}}unregistered dialect
// GENERIC: note: obs-opt --allow-unregistered-dialect --obs-import-stablehlo makes a program for this tool from the generic form of StableHLO
// CHECK: [0.0, 2.0, 4.0]
"func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xf32>):
  %r = "stablehlo.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// The short form has no parser here.
// RUN: echo "func.func @main(%a: tensor<4xf32>) { %r = stablehlo.add %a, %a : tensor<4xf32> return }" > %t.short.mlir
// RUN: not obs-run %t.short.mlir iota:4xf32 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: short.mlir:1:{{[0-9]+}}: error: {{.*}}stablehlo
// SHORT: note: obs-opt --allow-unregistered-dialect --obs-import-stablehlo makes a program for this tool from the generic form of StableHLO
