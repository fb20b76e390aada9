// RUN: obs-opt --convert-linalg-to-obs --split-input-file --verify-diagnostics %s

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.insert' op has no counterpart in obs: rewrite it by linalg.generic and operations of tensor}}
  %r = tensor.insert %c into %x[%c0] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has a value of a type that obs does not have: 'tensor<4xcomplex<f32>>'}}
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}

// -----

// expected-error @+1 {{'func.func' op has a value without a rank: cast it to a ranked type}}
func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

// -----

// expected-error @+1 {{'func.func' op has memory whose elements are not in row-major order in the default memory space: copy it to such memory first}}
func.func @main(%x: memref<4xf32, strided<[2]>>) -> tensor<4xf32> {
  %r = bufferization.to_tensor %x restrict : memref<4xf32, strided<[2]>> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op needs a body of one block}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op calls a function that calls itself: write a loop instead}}
  %r = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @outside(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op calls a function without a body of one block}}
  %r = func.call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' op has the index map affine_map<(d0) -> (d0 floordiv 2)>, which is no sum of multiples of dimensions: compute the index in the body and read by tensor.extract}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // expected-error @+1 {{'linalg.generic' op has a result with the index map affine_map<(d0, d1) -> (d0, 0)>, which is no permutation of the parallel dimensions: reshape the result after the operation}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x5xf32>) outs(%y : tensor<4x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'linalg.generic' op writes a result at an index of the reduction dimension d0: make an operation of its own for this result}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<4xf32>) outs(%y, %z : tensor<4xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s, %s : f32, f32
  } -> (tensor<4xf32>, tensor<f32>)
  return %r#1 : tensor<f32>
}

// -----

func.func private @scale(f32) -> f32
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{'func.call' op is not supported in the function of elements of 'linalg.generic': compute it by an operation on tensors before}}
    %s = func.call @scale(%a) : (f32) -> f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{'arith.constant' op in the function of elements of 'linalg.generic' has a value that is no element: 'vector<2xf32>'}}
    %s = arith.constant dense<0.0> : vector<2xf32>
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32>, %s: index) -> tensor<2xf32> {
  // expected-error @+1 {{'tensor.extract_slice' op has a stride that is not known, or less than 1: write it as a linalg.generic with tensor.extract}}
  %r = tensor.extract_slice %x[0] [2] [%s] : tensor<?xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32>, %d: index) -> index {
  // expected-error @+1 {{'tensor.dim' op needs a constant dimension of the array}}
  %r = tensor.dim %x, %d : tensor<?x?xf32>
  return %r : index
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.softmax' op has no counterpart in obs: rewrite it by linalg.generic and operations of tensor}}
  %r = linalg.softmax dimension(0) ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: memref<4xf32>) -> tensor<4xf32> {
  %t = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  %r = math.exp %t : tensor<4xf32>
  %c = arith.constant 0.0 : f32
  // expected-note @+1 {{the force is here}}
  linalg.fill ins(%c : f32) outs(%x : memref<4xf32>)
  // expected-error @+2 {{[R8-after] uses an array that reads memory which a force has overwritten}}
  // expected-note @+1 {{in the program of linalg: copy the memory by memref.copy before an operation writes to it}}
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: memref<8xf32>) {
  // expected-error @+1 {{'memref.subview' op has memory whose elements are not in row-major order}}
  %s = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %c = arith.constant 0.0 : f32
  linalg.fill ins(%c : f32) outs(%s : memref<4xf32, strided<[1], offset: 4>>)
  return
}

// -----

func.func @pad(%a: tensor<?xi32>) -> tensor<?xi32> {
  %z = arith.constant 0 : i32
  // expected-error@+1 {{has a width of the pad without an operand}}
  %p = tensor.pad %a low[0] high[-9223372036854775808] {
  ^bb0(%i: index):
    tensor.yield %z : i32
  } : tensor<?xi32> to tensor<?xi32>
  return %p : tensor<?xi32>
}

// -----

func.func @collapse(%a: tensor<?x?xi32>) -> tensor<?xi32> {
  // expected-error@+1 {{names a dimension that the source does not have}}
  %f = tensor.collapse_shape %a [[-4294967296, 1]] : tensor<?x?xi32> into tensor<?xi32>
  return %f : tensor<?xi32>
}
