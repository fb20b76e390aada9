func.func @main(%a: memref<2x2x2x2x2x2x2x2x2xi32>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<2x2x2x2x2x2x2x2x2xi32>
  return %n : index
}
