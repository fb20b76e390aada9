// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=IR
// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s

// Erratum 5: offsets in shared memory are in bytes. 64 elements of i8 and then 64 of i32
// start at bytes 0 and 64, not at element 64 of i32, which is byte 256.

// IR: dynamic_shared_memory_size %c320_i32
// IR: memref.view %{{.*}}[%c0][] : memref<?xi8, {{.*}}> to memref<64xi8
// IR: memref.view %{{.*}}[%c64][] : memref<?xi8, {{.*}}> to memref<64xi32
// IR: gpu.return

// Element i is (63 - i) + 2 (63 - i).
// CHECK: {{^}}[189, 186, 183, {{.*}}, 6, 3, 0]{{$}}
func.func @main() -> !obs.pull<64 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %c0 = arith.constant 0 : index
    %bytes = obs.iota : !obs.pull<64 x i8>
    %words = obs.generate (%i) {
      %j = arith.addi %i, %i : index
      %x = arith.index_cast %j : index to i32
      obs.yield %x : i32
    } : !obs.pull<64 x i32>
    %p = obs.push %bytes : !obs.pull<64 x i8> -> !obs.push<block, 64 x i8>
    %q = obs.push %words : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    %s:2 = obs.force %p, %q : !obs.push<block, 64 x i8>, !obs.push<block, 64 x i32> -> (!obs.pull<64 x i8>, !obs.pull<64 x i32>)
    %sum = obs.map (%x = %s#0 : !obs.pull<64 x i8>, %y = %s#1 : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
      %z = arith.extui %x : i8 to i32
      %r = arith.addi %z, %y : i32
      obs.yield %r : i32
    }
    %back = obs.reverse %sum : !obs.pull<64 x i32>
    %t = obs.push %back : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %t : !obs.push<block, 64 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %flat : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}
