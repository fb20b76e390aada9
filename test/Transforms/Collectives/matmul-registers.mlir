// Blocks compute tiles of a product in registers.

// RUN: obs-opt %s --obs-expand-collectives --split-input-file -o - | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives=shared-bytes=8192 --split-input-file -o - | FileCheck %s --check-prefix=SMALL
// RUN: obs-opt %s --obs-expand-collectives=plain --split-input-file -o - | FileCheck %s --check-prefix=PLAIN
// RUN: obs-opt %S/Inputs/small-product.mlir --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-translate %s --split-input-file --obs-to-ptx | FileCheck %s --check-prefix=PTX

// Little shared memory has small tiles.
// SMALL-LABEL: func.func @whole(
// SMALL:       in shared : !obs.push<block, 16 x 16 x f32>, !obs.pull<16 x 16 x f32>

// One thread computes each sum.
// PLAIN-LABEL: func.func @whole(
// PLAIN-NOT:   in shared
// PLAIN-LABEL: func.func @parts(

// RACES: kernel 'small' is proved free of races

// Each of 128 threads has 8 x 8 sums, whose products it contracts with them, and reads 16 elements for 64 products.
// CHECK-LABEL: func.func @whole(
// CHECK:       %[[TILES:.*]] = obs.distribute block in grid ({{.*}} : !obs.pull<32 x 16 x index>)
// CHECK:         obs.force {{.*}} in shared : !obs.push<block, 16 x 64 x f32>, !obs.pull<16 x 128 x f32>
// CHECK:         scf.for
// CHECK-COUNT-64:  math.fma
// CHECK:       obs.join %[[TILES]] to [2048, 2048] : !obs.push<grid, 32 x 16 x 64 x 128 x f32>
// CHECK:       obs.force %{{.*}} {kernel = "whole", threads = 128 : i64}
// PTX-LABEL: .entry whole(
// PTX:       ld.global.nc.{{.*}}v4.b32
// PTX-COUNT-64: fma.rn.f32
// PTX:       st.global.v4.b32
func.func @whole(%a: !obs.pull<2048 x 512 x f32>, %b: !obs.pull<512 x 2048 x f32>) -> !obs.pull<2048 x 2048 x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero {contract} : !obs.pull<2048 x 512 x f32>, !obs.pull<512 x 2048 x f32> -> !obs.push<grid, 2048 x 2048 x f32>
  %r = obs.force %p {kernel = "whole"} : !obs.push<grid, 2048 x 2048 x f32>
  return %r : !obs.pull<2048 x 2048 x f32>
}

// -----

// Of unknown extents, there may be no step. If there are few tiles, blocks compute parts of sums, which a second kernel adds.
// CHECK-LABEL: func.func @unknown(
// CHECK:       arith.cmpi ult, %{{.*}}, %c132
// CHECK:       scf.if
// CHECK:         obs.split %{{.*}} by [64, 16] pad %{{.*}} : !obs.pull<? x ? x i8>
// CHECK:         obs.distribute block in grid ({{.*}} : !obs.pull<? x ? x ? x index>)
// CHECK:           arith.cmpi ult
// CHECK:           obs.force {{.*}} in shared : !obs.push<block, 16 x 64 x i8>, !obs.pull<16 x 128 x i8>
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:         %[[PARTS:.*]] = obs.force %{{.*}} {threads = 128 : i64} : !obs.push<grid, ? x ? x ? x i32>
// CHECK:         obs.generate
// CHECK:           obs.get %[[PARTS]]
// CHECK:         obs.force %{{.*}} {kernel = "unknown"}
// CHECK:       } else {
// CHECK:         obs.distribute block in grid ({{.*}} : !obs.pull<? x ? x index>)
// CHECK:         obs.force %{{.*}} {kernel = "unknown", threads = 128 : i64}
func.func @unknown(%a: !obs.pull<? x ? x i8>, %b: !obs.pull<? x ? x i8>) -> !obs.pull<? x ? x i32> {
  %c7 = arith.constant 7 : i32
  %p = obs.matmul %a, %b init %c7 : !obs.pull<? x ? x i8>, !obs.pull<? x ? x i8> -> !obs.push<grid, ? x ? x i32>
  %r = obs.force %p {kernel = "unknown"} : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// -----

// The blocks of a batch have a dimension of their own. Without `contract`, there are two roundings.
// CHECK-LABEL: func.func @batches(
// CHECK:       obs.distribute block in grid ({{.*}} : !obs.pull<512 x 2 x 1 x index>)
// CHECK-NOT:     math.fma
// CHECK:         arith.addf
// CHECK:         obs.reshape %{{.*}} : !obs.push<block, 64 x 128 x f32> -> !obs.push<block, 1 x 64 x 128 x f32>
// CHECK:       obs.join %{{.*}} to [512, 128, 128]
func.func @batches(%a: !obs.pull<512 x 128 x 64 x f32>, %b: !obs.pull<512 x 64 x 128 x f32>) -> !obs.pull<512 x 128 x 128 x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero : !obs.pull<512 x 128 x 64 x f32>, !obs.pull<512 x 64 x 128 x f32> -> !obs.push<grid, 512 x 128 x 128 x f32>
  %r = obs.force %p : !obs.push<grid, 512 x 128 x 128 x f32>
  return %r : !obs.pull<512 x 128 x 128 x f32>
}

// -----

// Few long sums have parts, which a second kernel adds to the initial value. With a named strategy, there are none: the order is
// that of the program.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:  %{{.*}}, %{{.*}}, %[[INIT:[^ ]*]]: f32)
// CHECK:       obs.join %{{.*}} to [{{[0-9]+}}, 64, 64]
// CHECK:       %[[STORED:.*]] = obs.force
// CHECK:       obs.generate (%[[I:.*]], %[[J:.*]]) {
// CHECK:         scf.for %[[K:[^ ]*]] = {{.*}} iter_args(%{{.*}} = %[[INIT]])
// CHECK:           obs.get %[[STORED]][%[[K]], %[[I]], %[[J]]]
// CHECK:       obs.force
// CHECK:       obs.join %{{.*}} to [64, 64]
func.func @parts(%a: !obs.pull<64 x 8192 x f32>, %b: !obs.pull<8192 x 64 x f32>, %x: f32) -> (!obs.pull<64 x 64 x f32>, !obs.pull<64 x 64 x f32>) {
  %p = obs.matmul %a, %b init %x : !obs.pull<64 x 8192 x f32>, !obs.pull<8192 x 64 x f32> -> !obs.push<grid, 64 x 64 x f32>
  %r = obs.force %p : !obs.push<grid, 64 x 64 x f32>
  %q = obs.matmul %a, %b init %x {strategy = "registers"} : !obs.pull<64 x 8192 x f32>, !obs.pull<8192 x 64 x f32> -> !obs.push<grid, 64 x 64 x f32>
  %s = obs.force %q : !obs.push<grid, 64 x 64 x f32>
  return %r, %s : !obs.pull<64 x 64 x f32>, !obs.pull<64 x 64 x f32>
}

// -----

// Most of a tile would be unused.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:   in shared
// CHECK:       return
func.func @few(%a: !obs.pull<8 x ? x f32>, %b: !obs.pull<? x ? x f32>) -> !obs.pull<8 x ? x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero : !obs.pull<8 x ? x f32>, !obs.pull<? x ? x f32> -> !obs.push<grid, 8 x ? x f32>
  %r = obs.force %p : !obs.push<grid, 8 x ? x f32>
  return %r : !obs.pull<8 x ? x f32>
}
