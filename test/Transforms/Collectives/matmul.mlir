// Products of matrices: by one thread for each element, and by tensor cores.

// RUN: obs-opt %s --obs-expand-collectives --split-input-file -o - | FileCheck %s --check-prefixes=CHECK,CORES
// RUN: obs-opt %s --obs-expand-collectives=tensor-cores=false --split-input-file -o - | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: obs-opt %s --obs-expand-collectives=plain --split-input-file -o - | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: obs-translate %s --split-input-file --obs-to-ptx --chip=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: obs-translate %s --split-input-file --obs-to-ptx --chip=sm_75 | FileCheck %s --check-prefix=OLD
// RUN: obs-opt %S/Inputs/products-of-halves.mlir --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES

// PTX-LABEL: .entry halves(
// PTX:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-LABEL: .entry columns(
// PTX:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-LABEL: .entry integers(
// PTX-NOT:   mma.sync
// OLD-NOT:   mma.sync

// RACES: kernel 'halves' is proved free of races
// RACES: kernel 'columns' is proved free of races
// RACES: kernel 'unknown' is proved free of races

// Four warps have tiles of 32 x 16. The steps have 64 columns; the last one has 36.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:   obs.matmul
// CORES:       scf.for
// CORES:         obs.generate ({{.*}}) {
// CORES:           obs.mma
// CORES:         } : !obs.pull<128 x f32
// CORES:         obs.force {{.*}} in shared : !obs.push<block, 32 x 128 x f16>, !obs.push<block, 16 x 128 x f16>
// NONE-NOT:    obs.mma
// NONE:        par (%[[I:.*]], %[[J:.*]]) in
// NONE:          scf.for %[[K:[^ ]*]] =
// NONE-DAG:        obs.get %{{.*}}[%[[I]], %[[K]]]
// NONE-DAG:        obs.get %{{.*}}[%[[K]], %[[J]]]
// NONE:          obs.write %{{.*}} at [%[[I]], %[[J]]] : f32
func.func @halves(%a: !obs.pull<64 x 100 x f16>, %b: !obs.pull<100 x 32 x f16>) -> !obs.pull<1 x 64 x 32 x f32> {
  %zero = arith.constant 0.0 : f32
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %p = obs.matmul %a, %b init %zero : !obs.pull<64 x 100 x f16>, !obs.pull<100 x 32 x f16> -> !obs.push<block, 64 x 32 x f32>
    obs.yield %p : !obs.push<block, 64 x 32 x f32>
  }
  %r = obs.force %c {kernel = "halves"} : !obs.push<grid, 1 x 64 x 32 x f32>
  return %r : !obs.pull<1 x 64 x 32 x f32>
}

// -----

// The columns of the left operand and the rows of the right one are in memory one after the other, which their transposes
// say: threads load four of 8 lines each. The number of products is known at run time.
// CHECK-LABEL: func.func @columns(
// CORES:         obs.force {{.*}} in shared : !obs.push<block, 24 x 128 x bf16>, !obs.push<block, 8 x 128 x bf16>
func.func @columns(%a: !obs.pull<? x 48 x bf16>, %b: !obs.pull<16 x ? x bf16>, %x: f32) -> !obs.pull<1 x 48 x 16 x f32> {
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %l = obs.transpose %a [1, 0] : !obs.pull<? x 48 x bf16>
    %m = obs.transpose %b [1, 0] : !obs.pull<16 x ? x bf16>
    %p = obs.matmul %l, %m init %x : !obs.pull<48 x ? x bf16>, !obs.pull<? x 16 x bf16> -> !obs.push<block, 48 x 16 x f32>
    obs.yield %p : !obs.push<block, 48 x 16 x f32>
  }
  %r = obs.force %c {kernel = "columns"} : !obs.push<grid, 1 x 48 x 16 x f32>
  return %r : !obs.pull<1 x 48 x 16 x f32>
}

// -----

// CHECK-LABEL: func.func @integers(
// CHECK-NOT:   obs.mma
// CHECK-COUNT-2: arith.extsi %{{.*}} : i8 to i32
// CHECK:       return
func.func @integers(%a: !obs.pull<? x ? x i8>, %b: !obs.pull<? x ? x i8>) -> !obs.pull<? x ? x i32> {
  %c7 = arith.constant 7 : i32
  %p = obs.matmul %a, %b init %c7 {strategy = "sequential"} : !obs.pull<? x ? x i8>, !obs.pull<? x ? x i8> -> !obs.push<grid, ? x ? x i32>
  %r = obs.force %p {kernel = "integers"} : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}
