// Blocks compute tiles of a product by tensor cores.

// RUN: obs-opt %s --obs-expand-collectives --split-input-file -o - | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives=threads=64 --split-input-file -o - | FileCheck %s --check-prefix=THREADS
// RUN: obs-translate %s --obs-to-ptx --split-input-file | FileCheck %s --check-prefix=PTX

// Few threads would keep too many sums.
// THREADS-NOT: obs.mma

// All elements of the tiles exist: each load is a vector without a test.
// CHECK-LABEL: func.func @whole(
// CHECK:       %[[TILES:.*]] = obs.distribute block in grid ({{.*}} : !obs.pull<16 x 16 x index>)
// CHECK-NOT:     scf.if
// CHECK:         obs.mma
// CHECK:       obs.join %[[TILES]] to [2048, 4096] : !obs.push<grid, 16 x 16 x 128 x 256 x f32>
// PTX-LABEL: .entry whole(
// PTX-NOT:   ld.global{{.*}}.b16
// PTX:       mma.sync
// PTX-NOT:   ld.global{{.*}}.b16
// PTX:       ret
func.func @whole(%a: !obs.pull<2048 x 512 x bf16>, %b: !obs.pull<512 x 4096 x bf16>) -> !obs.pull<2048 x 4096 x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero : !obs.pull<2048 x 512 x bf16>, !obs.pull<512 x 4096 x bf16> -> !obs.push<grid, 2048 x 4096 x f32>
  %r = obs.force %p {kernel = "whole"} : !obs.push<grid, 2048 x 4096 x f32>
  return %r : !obs.pull<2048 x 4096 x f32>
}

// -----

// Lines of a multiple of 8 elements are loaded in vectors, also if their number is known only at run time.
// CHECK-LABEL: func.func @unknown(
// CHECK:       obs.distribute block in grid ({{.*}} : !obs.pull<? x ? x index>)
// CHECK:         obs.mma
// CHECK:       obs.join %{{.*}} to [%{{.*}}, %{{.*}}] : !obs.push<grid, ? x ? x 128 x 128 x f32>
// PTX-LABEL: .entry unknown(
// PTX-COUNT-16: ld.global.nc.v4.b32
// PTX:       mma.sync
func.func @unknown(%a: !obs.pull<? x ? x f16>, %b: !obs.pull<? x ? x f16>) -> !obs.pull<? x ? x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero : !obs.pull<? x ? x f16>, !obs.pull<? x ? x f16> -> !obs.push<grid, ? x ? x f32>
  %r = obs.force %p {kernel = "unknown"} : !obs.push<grid, ? x ? x f32>
  return %r : !obs.pull<? x ? x f32>
}

// -----

// Most of a tile would be unused.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:   obs.mma
// CHECK:       return
func.func @few(%a: !obs.pull<8 x ? x f16>, %b: !obs.pull<? x ? x f16>) -> !obs.pull<8 x ? x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero : !obs.pull<8 x ? x f16>, !obs.pull<? x ? x f16> -> !obs.push<grid, 8 x ? x f32>
  %r = obs.force %p : !obs.push<grid, 8 x ? x f32>
  return %r : !obs.pull<8 x ? x f32>
}
