// The form of the programs. Their results are tested by convert-linalg-to-obs.test.
//
// RUN: obs-opt --convert-linalg-to-obs --split-input-file %s | FileCheck %s

// The example of the description. `outs` gives the extents only.
// CHECK-LABEL: func @main(
// CHECK-SAME: %[[X:.*]]: !obs.pull<? x f32>) -> !obs.pull<? x f32>
// CHECK-NEXT: %[[Y:.*]] = obs.map { math.exp } %[[X]] : !obs.pull<? x f32>
// CHECK-NEXT: %[[R:.*]] = obs.force %[[Y]]
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Elementwise operations of linalg and arith are one kernel. The extents of
// different arrays are compared once.
// CHECK-LABEL: func @fused(
// CHECK-COUNT-1: obs.assert {{.*}} "the extents of 'linalg.add' do not fit"
// CHECK-NOT: obs.assert
// CHECK-COUNT-1: obs.force
// CHECK-NOT: obs.force
func.func @fused(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %q = arith.mulf %s, %s : tensor<?xf32>
  %r = linalg.map { math.sqrt } ins(%q : tensor<?xf32>) outs(%e : tensor<?xf32>)
  return %r : tensor<?xf32>
}

// -----

// Index maps: a permutation, a projection, sums of dimensions.
// CHECK-LABEL: func @maps(
// CHECK-SAME: %[[X:.*]]: !obs.pull<4 x 3 x f32>, %[[Y:.*]]: !obs.pull<3 x f32>, %[[Z:.*]]: !obs.pull<8 x f32>
// CHECK-DAG: obs.transpose %[[X]] [1, 0]
// CHECK-DAG: obs.reindex (%{{.*}}, %{{.*}}) = %[[Y]]
// CHECK-DAG: obs.reindex (%[[I:.*]], %[[J:.*]]) = %[[Z]] {
// CHECK: obs.map
// CHECK-COUNT-1: obs.force
func.func @maps(%x: tensor<4x3xf32>, %y: tensor<3xf32>, %z: tensor<8xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0 * 2 + d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y, %z : tensor<4x3xf32>, tensor<3xf32>, tensor<8xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// The extents choose the level of each reduction.
// CHECK-LABEL: func @levels(
// CHECK: obs.distribute thread in grid
// CHECK: obs.distribute warp in grid
// CHECK: obs.distribute block in grid
// CHECK: obs.reduce grid { arith.addi }
func.func @levels(%a: tensor<9x7xi32>, %b: tensor<9x700xi32>, %c: tensor<9x7000xi32>, %d: tensor<1000xi32>)
    -> (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<i32>) {
  %z = arith.constant dense<0> : tensor<9xi32>
  %z0 = arith.constant dense<0> : tensor<i32>
  %r0 = linalg.reduce { arith.addi } ins(%a : tensor<9x7xi32>) outs(%z : tensor<9xi32>) dimensions = [1]
  %r1 = linalg.reduce { arith.addi } ins(%b : tensor<9x700xi32>) outs(%z : tensor<9xi32>) dimensions = [1]
  %r2 = linalg.reduce { arith.addi } ins(%c : tensor<9x7000xi32>) outs(%z : tensor<9xi32>) dimensions = [1]
  %r3 = linalg.reduce { arith.addi } ins(%d : tensor<1000xi32>) outs(%z0 : tensor<i32>) dimensions = [0]
  return %r0, %r1, %r2, %r3 : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<i32>
}

// -----

// The initial value of the result is combined once, by the kernel of the reduction.
// CHECK-LABEL: func @onto(
// CHECK-SAME: %{{.*}}: !obs.pull<9 x 70 x f32>, %[[INIT:.*]]: !obs.pull<9 x f32>
// CHECK: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: obs.reduce { arith.addf } %{{.*}} init %[[NONE]]
// CHECK: obs.map { arith.addf } %[[INIT]]
// CHECK-COUNT-1: obs.force
// CHECK-NOT: obs.force
func.func @onto(%a: tensor<9x70xf32>, %init: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.reduce { arith.addf } ins(%a : tensor<9x70xf32>) outs(%init : tensor<9xf32>) dimensions = [1]
  return %r : tensor<9xf32>
}

// -----

// The largest element and its place: warps combine pairs. A choice that keeps
// the last of equal elements would not be associative with the first value.
// CHECK-LABEL: func @choice(
// CHECK: obs.distribute warp
// CHECK: obs.reduce
// CHECK: arith.cmpf ogt
// CHECK: scf.for
// CHECK: arith.cmpf oge
func.func @choice(%a: tensor<9x70xf32>) -> (tensor<9xf32>, tensor<9xi32>, tensor<9xf32>) {
  %z = arith.constant dense<0.0> : tensor<9xf32>
  %k = arith.constant dense<-1> : tensor<9xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<9x70xf32>) outs(%z, %k : tensor<9xf32>, tensor<9xi32>) {
  ^bb0(%x: f32, %m: f32, %p: i32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %x, %m : f32
    %n = arith.select %c, %x, %m : f32
    %q = arith.select %c, %j, %p : i32
    linalg.yield %n, %q : f32, i32
  } -> (tensor<9xf32>, tensor<9xi32>)
  %s = linalg.reduce ins(%a : tensor<9x70xf32>) outs(%z : tensor<9xf32>) dimensions = [1]
    (%x: f32, %m: f32) {
      %c = arith.cmpf oge, %x, %m : f32
      %n = arith.select %c, %x, %m : f32
      linalg.yield %n : f32
    }
  return %r#0, %r#1, %s : tensor<9xf32>, tensor<9xi32>, tensor<9xf32>
}

// -----

// No associative operator: a thread executes the loop of a result.
// CHECK-LABEL: func @in_order(
// CHECK: obs.generate (%{{.*}}) {
// CHECK: scf.for
// CHECK: arith.divf
func.func @in_order(%a: tensor<9x70xf32>, %init: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.reduce ins(%a : tensor<9x70xf32>) outs(%init : tensor<9xf32>) dimensions = [1]
    (%x: f32, %o: f32) {
      %q = arith.divf %o, %x : f32
      linalg.yield %q : f32
    }
  return %r : tensor<9xf32>
}

// -----

// A product of matrices is one, named or generic, and with conversions of its operands. It adds in order.
// CHECK-LABEL: func @product(
// CHECK-NOT: arith.extf
// CHECK: obs.matmul %{{.*}}, %{{.*}} init %{{.*}} {strategy = "registers"} : !obs.pull<1 x 64 x 48 x f16>, !obs.pull<1 x 48 x 80 x f16> -> !obs.push<grid, 1 x 64 x 80 x f32>
func.func @product(%a: tensor<64x48xf16>, %b: tensor<48x80xf16>) -> tensor<64x80xf32> {
  %z = arith.constant dense<0.0> : tensor<64x80xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x48xf16>, tensor<48x80xf16>) outs(%z : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// -----

// Products that are rounded before they are added are none of matrices.
// CHECK-LABEL: func @rounded(
// CHECK-NOT: obs.matmul
// CHECK: arith.truncf
// CHECK: return
func.func @rounded(%a: tensor<64x48xf32>, %b: tensor<48x80xf32>) -> tensor<64x80xf16> {
  %z = arith.constant dense<0.0> : tensor<64x80xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x48xf32>, tensor<48x80xf32>) outs(%z : tensor<64x80xf16>) {
  ^bb0(%x: f32, %y: f32, %o: f16):
    %p = arith.mulf %x, %y : f32
    %t = arith.truncf %p : f32 to f16
    %s = arith.addf %o, %t : f16
    linalg.yield %s : f16
  } -> tensor<64x80xf16>
  return %r : tensor<64x80xf16>
}

// -----

// Private functions are inlined; others without tensors stay.
// CHECK-LABEL: func private @twice(%{{.*}}: i32) -> i32
// CHECK-NOT: @square
// CHECK-LABEL: func @caller(
// CHECK-DAG: call @twice
// CHECK-DAG: arith.mulf
func.func private @twice(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func private @square(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.mulf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @caller(%x: tensor<?xf32>, %n: i32) -> (tensor<?xf32>, i32) {
  %y = call @square(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %m = call @twice(%n) : (i32) -> i32
  return %y, %m : tensor<?xf32>, i32
}

// -----

// In memory, each operation is a kernel. It writes where it has read before, and
// the next one reads what it has written. A matrix of equal elements is not read.
// CHECK-LABEL: func @memory(
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32>, %[[S:.*]]: memref<?xf32>, %[[O:.*]]: memref<1xf32>)
// CHECK: %[[V:.*]] = obs.view %[[A]]
// CHECK: %[[E:.*]] = obs.map { math.exp } %[[V]]
// CHECK: %[[F:.*]] = obs.force %[[E]] into %[[A]]
// CHECK: obs.force %{{.*}} into %[[S]]
// CHECK: obs.reshape %[[F]]
// CHECK: obs.reduce { arith.addf }
// CHECK-NOT: obs.map
// CHECK: %[[SUMS:.*]] = obs.force %{{.*}} into %[[S]]
// CHECK: obs.force %{{.*}} into %[[O]]
// CHECK-NEXT: return
func.func @memory(%a: memref<?x8xf32>, %s: memref<?xf32>, %o: memref<f32>) {
  %c = arith.constant 0.0 : f32
  linalg.exp ins(%a : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  linalg.fill ins(%c : f32) outs(%s : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<?x8xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%c : f32) outs(%o : memref<f32>)
  return
}

// -----

// Tensors between buffers, as bufferization writes them.
// CHECK-LABEL: func @buffers(
// CHECK-SAME: %[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>)
// CHECK: obs.view %[[A]]
// CHECK: obs.force %{{.*}} into %[[B]]
// CHECK-NEXT: return
func.func @buffers(%a: memref<8xf32>, %b: memref<8xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Operations of tensor store nothing before the end.
// CHECK-LABEL: func @moves(
// CHECK-NOT: obs.force
func.func @moves(%x: tensor<4x6xf32>, %p: tensor<5x1xi32>) -> (tensor<5x10xf32>, tensor<6x2xf32>, tensor<?xf32>) {
  // CHECK-DAG: obs.slice %{{.*}}[1, 0]
  %s = tensor.extract_slice %x[1, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %one = arith.constant 1.0 : f32
  // CHECK-DAG: scf.if
  %q = tensor.pad %s low[1, 2] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<2x6xf32> to tensor<5x10xf32>
  // CHECK-DAG: obs.splat %{{.*}} : !obs.pull<12 x f32>
  %t = tensor.splat %one : tensor<1x12xf32>
  // CHECK-DAG: obs.reshape
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
  %u = tensor.expand_shape %c [[0, 1]] output_shape [6, 2] : tensor<12xf32> into tensor<6x2xf32>
  // CHECK-DAG: obs.reindex
  %g = tensor.gather %x[%p] gather_dims([0]) : (tensor<4x6xf32>, tensor<5x1xi32>) -> tensor<5x1x6xf32>
  %h = tensor.collapse_shape %g [[0, 1, 2]] : tensor<5x1x6xf32> into tensor<30xf32>
  // CHECK: obs.concat
  %k = tensor.collapse_shape %t [[0, 1]] : tensor<1x12xf32> into tensor<12xf32>
  %v = tensor.concat dim(0) %h, %k : (tensor<30xf32>, tensor<12xf32>) -> tensor<42xf32>
  %w = tensor.cast %v : tensor<42xf32> to tensor<?xf32>
  // CHECK-NEXT: obs.force
  // CHECK-NEXT: return
  return %q, %u, %w : tensor<5x10xf32>, tensor<6x2xf32>, tensor<?xf32>
}
