// RUN: obs-translate %s --obs-to-launch-json --chip=sm_75 | FileCheck %s --check-prefixes=CHECK,LITTLE
// RUN: obs-translate %s --obs-to-launch-json --chip=sm_86 | FileCheck %s --check-prefixes=CHECK,LITTLE
// RUN: obs-translate %s --obs-to-launch-json --chip=sm_90 | FileCheck %s --check-prefixes=CHECK,MUCH
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=65536 | FileCheck %s --check-prefix=GPU
// RUN: obs-opt %s --obs-to-nvvm="chip=sm_80 format=nvvm libdevice=none" | FileCheck %s --check-prefix=NVVM
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=65535 | FileCheck %s --check-prefix=RANGES

// Copies of a result take as much shared memory as blocks of the chip have: those of 32768
// integers need 128 KiB; where a block has less, two blocks have a range each. The same
// holds for a copy that is asked for.
// CHECK: "entry": "counts"
// LITTLE: "sharedBytes": {{65536|101376}},
// MUCH: "sharedBytes": 131072
// CHECK: "entry": "asked"
// CHECK: "sharedBytes": 65536
// GPU: @kernels::@counts {{.*}} dynamic_shared_memory_size %c65536_i32
// NVVM: @kernels::@counts {{.*}} dynamic_shared_memory_size %c131072_i32
// RANGES: @kernels::@asked {{.*}} dynamic_shared_memory_size %c65532_i32
func.func @main(%keys: !obs.pull<? x i32>) -> (!obs.pull<32768 x i32>, !obs.pull<16384 x i32>) {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %keys at %keys init %zero reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32768 x i32>
  %r = obs.force %p {kernel = "counts"} : !obs.push<grid, 32768 x i32> -> !obs.pull<32768 x i32>
  %q = obs.scatter %keys at %keys init %zero reduce(addi) {strategy = "per_block"} : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16384 x i32>
  %s = obs.force %q {kernel = "asked"} : !obs.push<grid, 16384 x i32> -> !obs.pull<16384 x i32>
  return %r, %s : !obs.pull<32768 x i32>, !obs.pull<16384 x i32>
}
