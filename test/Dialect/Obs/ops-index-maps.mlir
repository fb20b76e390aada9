// Maps of elements and of indices survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: @map(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x f32>, %[[B:.*]]: !obs.pull<8 x i32, i1>
func.func @map(%a: !obs.pull<8 x f32>, %b: !obs.pull<8 x i32, i1>) {
  // CHECK: obs.map (%[[X:.*]] = %[[A]] : !obs.pull<8 x f32>, %[[Y:.*]], %[[Z:.*]] = %[[B]] : !obs.pull<8 x i32, i1>) {
  // CHECK-NEXT: obs.yield %[[Z]], %[[X]] : i1, f32
  %r = obs.map (%x = %a : !obs.pull<8 x f32>, %y, %z = %b : !obs.pull<8 x i32, i1>) -> !obs.pull<8 x i1, f32> {
    obs.yield %z, %x : i1, f32
  }
  return
}

// CHECK-LABEL: @map_push(
func.func @map_push(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>) {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  // CHECK: obs.map { arith.addi } %{{.*}}, %{{.*}} : !obs.push<grid, 8 x i32>, !obs.pull<8 x i32>{{$}}
  %r = obs.map (%x = %p : !obs.push<grid, 8 x i32>, %y = %b : !obs.pull<8 x i32>) -> !obs.push<grid, 8 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  return
}

// CHECK-LABEL: @reindex(
// CHECK-SAME: %[[A:.*]]: !obs.pull<4 x 4 x i32>, %[[P:.*]]: !obs.push<grid, ? x i32>, %[[N:.*]]: index
func.func @reindex(%a: !obs.pull<4 x 4 x i32>, %p: !obs.push<grid, ? x i32>, %n: index) {
  // CHECK: obs.reindex (%[[I:.*]]) = %[[A]] {
  // CHECK-NEXT: obs.yield %[[I]], %[[I]] : index, index
  // CHECK-NEXT: } : !obs.pull<4 x 4 x i32> -> !obs.pull<4 x i32>
  %r = obs.reindex (%i) = %a {
    obs.yield %i, %i : index, index
  } : !obs.pull<4 x 4 x i32> -> !obs.pull<4 x i32>
  // CHECK: obs.reindex (%{{.*}}) = %[[P]] [%[[N]]] unchecked {
  // CHECK: } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %q = obs.reindex (%i) = %p [%n] unchecked {
    %j = arith.addi %i, %n : index
    obs.yield %j : index
  } : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  return
}

// CHECK-LABEL: @reverse(
func.func @reverse(%a: !obs.pull<4 x ? x f32>, %p: !obs.push<warp, 4 x f32>) {
  // CHECK: obs.reverse %{{.*}} dim 1 : !obs.pull<4 x ? x f32>
  %r = obs.reverse %a dim 1 : !obs.pull<4 x ? x f32>
  // CHECK: obs.reverse %{{[^ ]*}} : !obs.push<warp, 4 x f32>
  %s = obs.reverse %p : !obs.push<warp, 4 x f32>
  return
}

// CHECK-LABEL: @slice(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x 16 x f32>, %[[N:.*]]: index
func.func @slice(%a: !obs.pull<? x 16 x f32>, %n: index) {
  // CHECK: obs.slice %[[A]] [%[[N]], 1] [%[[N]], 4] [2, %[[N]]] : !obs.pull<? x 16 x f32>
  %r = obs.slice %a [%n, 1] [%n, 4] [2, %n] : !obs.pull<? x 16 x f32> -> !obs.pull<? x 4 x f32>
  return
}

// CHECK-LABEL: @take(
func.func @take(%a: !obs.pull<? x 8 x f32>, %p: !obs.push<grid, 8 x f32>, %n: index) {
  // CHECK: obs.take %{{.*}} [%{{.*}}, 4] : !obs.pull<? x 8 x f32>
  %r = obs.take %a [%n, 4] : !obs.pull<? x 8 x f32> -> !obs.pull<? x 4 x f32>
  // CHECK: obs.take %{{.*}} [4] : !obs.push<grid, 8 x f32>
  %q = obs.take %p [4] : !obs.push<grid, 8 x f32> -> !obs.push<grid, 4 x f32>
  return
}

// CHECK-LABEL: @split(
// CHECK-SAME: %[[A:.*]]: !obs.pull<10 x i32, f32>, %{{.*}}: !obs.pull<? x ? x i32>, %[[N:.*]]: index, %[[Z:.*]]: i32, %[[W:.*]]: f32
func.func @split(%a: !obs.pull<10 x i32, f32>, %b: !obs.pull<? x ? x i32>, %n: index, %z: i32, %w: f32) {
  // CHECK: obs.split %[[A]] by [4] pad %[[Z]], %[[W]] : !obs.pull<10 x i32, f32>
  %r = obs.split %a by [4] pad %z, %w : !obs.pull<10 x i32, f32> -> !obs.pull<3 x !obs.pull<4 x i32, f32>>
  // CHECK: obs.split %{{.*}} strided by [%[[N]], 8] : !obs.pull<? x ? x i32>
  %s = obs.split %b strided by [%n, 8] : !obs.pull<? x ? x i32> -> !obs.pull<? x ? x !obs.pull<? x 8 x i32>>
  return
}

// CHECK-LABEL: @join(
func.func @join(%a: !obs.pull<? x !obs.pull<8 x i32>>, %p: !obs.push<grid, 2 x ? x 4 x 8 x i32>, %n: index) {
  // CHECK: obs.join %{{[^ ]*}} : !obs.pull<? x !obs.pull<8 x i32>>
  %r = obs.join %a : !obs.pull<? x !obs.pull<8 x i32>> -> !obs.pull<? x i32>
  // CHECK: obs.join %{{[^ ]*}} strided to [7, %{{.*}}] : !obs.push<grid, 2 x ? x 4 x 8 x i32>
  %q = obs.join %p strided to [7, %n] : !obs.push<grid, 2 x ? x 4 x 8 x i32> -> !obs.push<grid, 7 x ? x i32>
  return
}

// CHECK-LABEL: @transpose(
func.func @transpose(%a: !obs.pull<2 x ? x 4 x f32>, %p: !obs.push<block, 2 x 3 x f32>) -> !obs.push<block, 3 x 2 x f32> {
  // CHECK: obs.transpose %{{.*}} [2, 0, 1] : !obs.pull<2 x ? x 4 x f32>
  %r = obs.transpose %a [2, 0, 1] : !obs.pull<2 x ? x 4 x f32>
  // CHECK: obs.dim %{{.*}}, 0 : !obs.pull<4 x 2 x ? x f32>
  %n = obs.dim %r, 0 : !obs.pull<4 x 2 x ? x f32>
  // CHECK: obs.transpose %{{.*}} [1, 0] : !obs.push<block, 2 x 3 x f32>
  %q = obs.transpose %p [1, 0] : !obs.push<block, 2 x 3 x f32>
  return %q : !obs.push<block, 3 x 2 x f32>
}

// CHECK-LABEL: @reshape(
func.func @reshape(%a: !obs.pull<12 x f32>, %p: !obs.push<grid, ? x f32>, %n: index) {
  // CHECK: obs.reshape %{{.*}} : !obs.pull<12 x f32> -> !obs.pull<3 x 4 x f32>
  %r = obs.reshape %a : !obs.pull<12 x f32> -> !obs.pull<3 x 4 x f32>
  // CHECK: obs.reshape %{{.*}}[%{{.*}}, %{{.*}}] : !obs.push<grid, ? x f32> -> !obs.push<grid, ? x ? x f32>
  %q = obs.reshape %p [%n, %n] : !obs.push<grid, ? x f32> -> !obs.push<grid, ? x ? x f32>
  return
}

// CHECK-LABEL: @concat(
func.func @concat(%a: !obs.pull<4 x 1 x f32>, %b: !obs.pull<4 x ? x f32>, %p: !obs.push<grid, 4 x f32>) {
  // CHECK: obs.concat %{{.*}}, %{{.*}} dim 1 : !obs.pull<4 x 1 x f32>, !obs.pull<4 x ? x f32>{{$}}
  %r = obs.concat %a, %b dim 1 : !obs.pull<4 x 1 x f32>, !obs.pull<4 x ? x f32> -> !obs.pull<4 x ? x f32>
  // CHECK: obs.concat %{{.*}}, %{{[^ ]*}} : !obs.push<grid, 4 x f32>{{$}}
  %q = obs.concat %p, %p : !obs.push<grid, 4 x f32>, !obs.push<grid, 4 x f32> -> !obs.push<grid, 8 x f32>
  return
}

// CHECK-LABEL: @interleave(
func.func @interleave(%a: !obs.pull<? x f32>, %p: !obs.push<grid, 4 x f32>) {
  // CHECK: obs.interleave %{{.*}}, %{{.*}}, %{{.*}} : !obs.pull<? x f32>{{$}}
  %r = obs.interleave %a, %a, %a : !obs.pull<? x f32>, !obs.pull<? x f32>, !obs.pull<? x f32> -> !obs.pull<? x f32>
  // CHECK: obs.interleave %{{.*}}, %{{.*}} : !obs.push<grid, 4 x f32>{{$}}
  %q = obs.interleave %p, %p : !obs.push<grid, 4 x f32>, !obs.push<grid, 4 x f32> -> !obs.push<grid, 8 x f32>
  return
}

// CHECK-LABEL: @zip_unzip(
func.func @zip_unzip(%a: !obs.pull<? x f32>, %b: !obs.pull<8 x i32, i1>) -> !obs.pull<8 x i1> {
  // CHECK: %[[Z:.*]] = obs.zip %{{.*}}, %{{.*}} : !obs.pull<? x f32>, !obs.pull<8 x i32, i1>
  %z = obs.zip %a, %b : !obs.pull<? x f32>, !obs.pull<8 x i32, i1>
  // CHECK: %[[U:.*]]:3 = obs.unzip %[[Z]] : !obs.pull<8 x f32, i32, i1>
  %u:3 = obs.unzip %z : !obs.pull<8 x f32, i32, i1>
  // CHECK: return %[[U]]#2 : !obs.pull<8 x i1>
  return %u#2 : !obs.pull<8 x i1>
}

// CHECK-LABEL: @get(
func.func @get(%a: !obs.pull<? x 4 x f32, i32>, %b: !obs.pull<? x !obs.pull<8 x i32>>, %i: index) -> (f32, i32, i32) {
  // CHECK: %[[X:.*]]:2 = obs.get %{{.*}}[%{{.*}}, %{{.*}}] : !obs.pull<? x 4 x f32, i32>
  %x, %y = obs.get %a[%i, %i] : !obs.pull<? x 4 x f32, i32>
  // CHECK: %[[C:.*]] = obs.get %{{.*}}[%{{.*}}] : !obs.pull<? x !obs.pull<8 x i32>>
  %c = obs.get %b[%i] : !obs.pull<? x !obs.pull<8 x i32>>
  // CHECK: obs.get %[[C]][%{{.*}}] : !obs.pull<8 x i32>
  %z = obs.get %c[%i] : !obs.pull<8 x i32>
  return %x, %y, %z : f32, i32, i32
}

// CHECK-LABEL: @dim(
func.func @dim(%a: !obs.pull<? x 4 x f32>, %p: !obs.push<grid, 4 x ? x f32>) -> (index, index) {
  // CHECK: obs.dim %{{.*}}, 0 : !obs.pull<? x 4 x f32>
  %m = obs.dim %a, 0 : !obs.pull<? x 4 x f32>
  // CHECK: obs.dim %{{.*}}, 1 : !obs.push<grid, 4 x ? x f32>
  %n = obs.dim %p, 1 : !obs.push<grid, 4 x ? x f32>
  return %m, %n : index, index
}

// CHECK-LABEL: @bits(
func.func @bits(%t: index, %i: index, %u: i32, %j: i32) {
  // CHECK: obs.bit.insert_zero %{{.*}}, %{{.*}} : index
  %0 = obs.bit.insert_zero %t, %i : index
  // CHECK: obs.bit.flip %{{.*}}, %{{.*}} : i32
  %1 = obs.bit.flip %u, %j : i32
  // CHECK: obs.bit.flip_low %{{.*}}, %{{.*}} : i32
  %2 = obs.bit.flip_low %u, %j : i32
  // CHECK: obs.bit.rotate %{{.*}}, %{{.*}}, %{{.*}} : index
  %3 = obs.bit.rotate %t, %i, %i : index
  // CHECK: obs.bit.reverse %{{.*}}, %{{.*}} : index
  %4 = obs.bit.reverse %t, %i : index
  // CHECK: obs.bit.swap %{{.*}}, %{{.*}}, %{{.*}} : i32
  %5 = obs.bit.swap %u, %j, %j : i32
  return
}
