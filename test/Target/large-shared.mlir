// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: %python -c "import array; n = 25600; array.array('i', list(range(n - 1, -1, -1)) + list(range(2 * n - 1, n - 1, -1))).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=more_than_48_kib --device=emulate iota:51200xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=more_than_48_kib --device=interpret iota:51200xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: %python -c "import array; n = 58112; array.array('i', range(n - 1, -1, -1)).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=all_227_kib --device=emulate iota:58112xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=all_227_kib --device=interpret iota:58112xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=more_than_48_kib --device=emulate iota:51200xi32
// RUN: obs-run %s --entry=all_227_kib --device=emulate iota:58112xi32
// RUN: not obs-opt %S/Inputs/over-227-kib.mlir --obs-to-gpu 2>&1 | FileCheck %s --check-prefix=OVER

// A block of sm_90 has up to 227 KiB of shared memory, of which more than 48 have
// to be asked for at run time: each array is turned around in it.
// CHECK: gpu.launch_func @kernels::@more_than_48_kib {{.*}} dynamic_shared_memory_size %c102400_i32
// CHECK: gpu.launch_func @kernels::@all_227_kib {{.*}} dynamic_shared_memory_size %c232448_i32

// One element more; the notes list the arrays and their lifetimes.
// OVER: over-227-kib.mlir:25:{{.*}}: error: 'obs.kernel' op [shared-limit] needs 232452 bytes of shared memory, but a block has 232448
// OVER: over-227-kib.mlir:8:{{.*}}: note: 232448 bytes at offset 0, used from over-227-kib.mlir:7:10 to over-227-kib.mlir:24:
// OVER: over-227-kib.mlir:11:{{.*}}: note: 4 bytes at offset 232448, used from over-227-kib.mlir:10:11 to over-227-kib.mlir:24:

!array = !obs.pull<? x i32>

func.func @more_than_48_kib(%a: !array) -> !array {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [25600] pad %zero : !array -> !obs.pull<? x !obs.pull<25600 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<25600 x i32>>) -> !obs.push<grid, ? x 25600 x i32> {
    %p = obs.push %c : !obs.pull<25600 x i32> -> !obs.push<block, 25600 x i32>
    %f = obs.force %p in shared : !obs.push<block, 25600 x i32> -> !obs.pull<25600 x i32>
    %r = obs.reverse %f : !obs.pull<25600 x i32>
    %q = obs.push %r : !obs.pull<25600 x i32> -> !obs.push<block, 25600 x i32>
    obs.yield %q : !obs.push<block, 25600 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 25600 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "more_than_48_kib", threads = 1024 : i64} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}

func.func @all_227_kib(%a: !array) -> !array {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [58112] pad %zero : !array -> !obs.pull<? x !obs.pull<58112 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<58112 x i32>>) -> !obs.push<grid, ? x 58112 x i32> {
    %p = obs.push %c : !obs.pull<58112 x i32> -> !obs.push<block, 58112 x i32>
    %f = obs.force %p in shared : !obs.push<block, 58112 x i32> -> !obs.pull<58112 x i32>
    %r = obs.reverse %f : !obs.pull<58112 x i32>
    %q = obs.push %r : !obs.pull<58112 x i32> -> !obs.push<block, 58112 x i32>
    obs.yield %q : !obs.push<block, 58112 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 58112 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "all_227_kib", threads = 1024 : i64} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}
