// A table in shared memory, to which each block copies it: the emulator finds no race, and the elements of the interpreter,
// also if a block has threads without work.
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-run %s random:1000xi32:1 > %t.1
// RUN: obs-run %s --device=emulate random:1000xi32:1 | diff %t.1 -
// RUN: obs-run %s --device=emulate --threads=40 --blocks=3 --schedule=random --seed=2 random:1000xi32:1 | diff %t.1 -
// RUN: obs-run %s --device=emulate --threads=1 random:1000xi32:1 | diff %t.1 -
// RUN: obs-run %s random:1xi32:1 > %t.2
// RUN: obs-run %s --device=emulate random:1xi32:1 | diff %t.2 -
// RUN: obs-run %s random:0xi32:1 > %t.3
// RUN: obs-run %s --device=emulate random:0xi32:1 | diff %t.3 -

// CHECK: memref.get_global
// CHECK: memref.store %{{.*}} : memref<16xi32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load %{{.*}} : memref<16xi32, #gpu.address_space<workgroup>>
// RACES: proved free of races
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c15 = arith.constant 15 : index
  %c4 = arith.constant 4 : i32
  %t = obs.constant dense<[7, 1, 12, 0, 3, 9, 14, 5, 2, 11, 6, 13, 10, 4, 8, 15]> : tensor<16xi32>
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %i = arith.index_castui %x : i32 to index
    %j = arith.andi %i, %c15 : index
    %y = obs.get %t[%j] : !obs.pull<16 x i32>
    %h = arith.shrui %x, %c4 : i32
    %k = arith.index_castui %h : i32 to index
    %l = arith.andi %k, %c15 : index
    %z = obs.get %t[%l] : !obs.pull<16 x i32>
    %s = arith.shli %z, %c4 : i32
    %r = arith.ori %y, %s : i32
    obs.yield %r : i32
  }
  %f = obs.force %b : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
