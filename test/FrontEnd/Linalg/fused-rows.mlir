// A kernel of rows leaves a result out whose extents are known only at run time.
//
// RUN: obs-run %s iota:3x2xi32 iota:5xi32 3 2 | FileCheck %s
// RUN: obs-run %s iota:3x2xi32 iota:5xi32 3 2 --device=emulate | FileCheck %s
// CHECK:      [-1, 0]
// CHECK-NEXT: [-3, -2]
// CHECK-NEXT: [-5, -4]
// CHECK-NEXT: [0, 1, 2]
// CHECK-NEXT: {{\[\[}}0],
// CHECK-NEXT: [1]]
func.func @main(%x: tensor<3x2xi32>, %y: tensor<?xi32>, %n: index, %m: index) -> (tensor<3x2xi32>, tensor<?xi32>, tensor<?x1xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %s = linalg.reduce { arith.addi } ins(%x : tensor<3x2xi32>) outs(%z : tensor<3xi32>) dimensions = [1]
  %f = tensor.empty() : tensor<3x2xi32>
  %b = linalg.broadcast ins(%s : tensor<3xi32>) outs(%f : tensor<3x2xi32>) dimensions = [1]
  %d = arith.subi %x, %b : tensor<3x2xi32>
  %p = tensor.extract_slice %y[0] [%n] [1] : tensor<?xi32> to tensor<?xi32>
  %q = tensor.extract_slice %y[0] [%m] [1] : tensor<?xi32> to tensor<?xi32>
  %r = tensor.expand_shape %q [[0, 1]] output_shape [%m, 1] : tensor<?xi32> into tensor<?x1xi32>
  return %d, %p, %r : tensor<3x2xi32>, tensor<?xi32>, tensor<?x1xi32>
}
