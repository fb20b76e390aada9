// RUN: obs-opt --obs-to-gpu %s | FileCheck %s --check-prefixes=CHECK,ROOM
// RUN: obs-opt --obs-to-gpu=shared-bytes=65536 %s | FileCheck %s --check-prefixes=CHECK,FULL
// RUN: obs-translate --obs-to-launch-json --chip=sm_75 %s | FileCheck %s --check-prefix=CHIP

// Columns are read: rows are padded by one element where a block has 512 bytes
// more. A block of sm_75 has 64 KiB, which the array fills.
// CHECK-LABEL: func.func @main
// ROOM: dynamic_shared_memory_size %c66048_i32
// FULL: dynamic_shared_memory_size %c65536_i32
// CHECK-LABEL: gpu.func @tile
// ROOM: to memref<128x129xf32, #gpu.address_space<workgroup>>
// FULL: to memref<128x128xf32, #gpu.address_space<workgroup>>
// CHIP: "sharedBytes": 65536
func.func @main(%a: !obs.pull<128 x 128 x f32>) -> !obs.pull<1 x 128 x 128 x f32> {
  %it = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %it : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 128 x 128 x f32> {
    %q = obs.push %a : !obs.pull<128 x 128 x f32> -> !obs.push<block, 128 x 128 x f32>
    %f = obs.force %q in shared : !obs.push<block, 128 x 128 x f32> -> !obs.pull<128 x 128 x f32>
    %t = obs.transpose %f [1, 0] : !obs.pull<128 x 128 x f32>
    %o = obs.push %t : !obs.pull<128 x 128 x f32> -> !obs.push<block, 128 x 128 x f32>
    obs.yield %o : !obs.push<block, 128 x 128 x f32>
  }
  %r = obs.force %p {kernel = "tile"} : !obs.push<grid, 1 x 128 x 128 x f32> -> !obs.pull<1 x 128 x 128 x f32>
  return %r : !obs.pull<1 x 128 x 128 x f32>
}
