// Operations whose result in memory has other dimensions than the loops: a product and a sum are added to
// their transposed places. [[10 13] [28 40]] is [[0 1 2] [3 4 5]] [[0 1] [2 3] [4 5]], and 3 and 12 are the
// sums of the rows, which an absolute value makes a loop of one thread. Then 10 m + n is added to [n, m].
//
// RUN: obs-run %s iota:2x3xi32 iota:3x2xi32 iota:2x2xi32 --device=interpret | FileCheck %s
// RUN: obs-run %s iota:2x3xi32 iota:3x2xi32 iota:2x2xi32 --device=emulate | FileCheck %s
// CHECK: {{\[\[}}13, 51],
// CHECK-NEXT: [19, 66]]
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#turned = affine_map<(m, n, k) -> (n, m)>
func.func @main(%a: memref<?x3xi32>, %b: memref<3x?xi32>, %c: memref<2x2xi32>) -> tensor<2x2xi32> {
  linalg.generic {indexing_maps = [#rows, #columns, #turned], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x3xi32>, memref<3x?xi32>) outs(%c : memref<2x2xi32>) {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  }
  linalg.generic {indexing_maps = [#rows, #turned], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a : memref<?x3xi32>) outs(%c : memref<2x2xi32>) {
  ^bb0(%x: i32, %sum: i32):
    %positive = math.absi %sum : i32
    %next = arith.addi %positive, %x : i32
    linalg.yield %next : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>], iterator_types = ["parallel", "parallel"]} outs(%c : memref<2x2xi32>) {
  ^bb0(%element: i32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %tens = arith.muli %m, %ten : index
    %more = arith.addi %tens, %n : index
    %number = arith.index_cast %more : index to i32
    %next = arith.addi %element, %number : i32
    linalg.yield %next : i32
  }
  %t = bufferization.to_tensor %c restrict : memref<2x2xi32> to tensor<2x2xi32>
  return %t : tensor<2x2xi32>
}
