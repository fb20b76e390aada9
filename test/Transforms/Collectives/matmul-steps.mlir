// The columns of a step of a product by tensor cores fit into the shared memory of the GPU.

// RUN: obs-opt %s --obs-expand-collectives -o - | FileCheck %s
// RUN: obs-translate %s --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-translate %s --obs-to-ptx --chip=sm_89 | FileCheck %s --check-prefix=SMALL

// PTX-LABEL: .entry wide(
// PTX-COUNT-128: mma.sync
// PTX-NOT: mma.sync

// With 99 KiB of shared memory, steps have 32 columns.
// SMALL-LABEL: .entry wide(
// SMALL-COUNT-64: mma.sync
// SMALL-NOT: mma.sync

// Eight warps have tiles of 64 x 64.
// CHECK-LABEL: func.func @wide(
// CHECK:         obs.force {{.*}} in shared : !obs.push<block, 64 x 128 x f16>, !obs.push<block, 128 x 128 x f16>
func.func @wide(%a: !obs.pull<128 x 1024 x f16>, %b: !obs.pull<1024 x 256 x f16>) -> !obs.pull<1 x 128 x 256 x f32> {
  %zero = arith.constant 0.0 : f32
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %p = obs.matmul %a, %b init %zero : !obs.pull<128 x 1024 x f16>, !obs.pull<1024 x 256 x f16> -> !obs.push<block, 128 x 256 x f32>
    obs.yield %p : !obs.push<block, 128 x 256 x f32>
  }
  %r = obs.force %c {kernel = "wide"} : !obs.push<grid, 1 x 128 x 256 x f32>
  return %r : !obs.pull<1 x 128 x 256 x f32>
}
