// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --report iota:8xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=two_rev_sync --device=interpret iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --threads=1 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --threads=17 --blocks=2 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --threads=32 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --threads=128 --blocks=3 iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=two_rev_sync --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:8xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %S/G02-two-reverse.mlir --device=interpret iota:8xi32 --out=%t.g02
// RUN: obs-run %s --device=interpret iota:8xi32 --out=%t.g03
// RUN: cmp %t.g02 %t.g03

// two (rev; sync): the sub-programs force. At the same level they run side by
// side and their forces are one force of both: one buffer of 8 elements, no
// barrier, since each thread copies out what it has stored (the only branch is
// that of the block), and the result of G02.
// CHECK: threads in (%c8, %c1, %c1) dynamic_shared_memory_size %c32_i32
// CHECK: gpu.func @two_rev_sync
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %block_id_x, %c0
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.load %{{[^#]*$}}
// CHECK: memref.store %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: memref.store %{{[^#]*$}}
// CHECK: gpu.return

// COST: threads=8 shared-bytes=32 block-barriers=0 warp-barriers=0 bytes-loaded=32 bytes-stored=32 atomics=0{{$}}

// RESULT: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}

func.func @two_rev_sync(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %whole = obs.split %a by [8] : !obs.pull<8 x i32> -> !obs.pull<1 x !obs.pull<8 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<8 x i32>>) -> !obs.push<grid, 1 x 8 x i32> {
    %h = obs.split %c by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x !obs.pull<4 x i32>>
    %t = obs.distribute block (%x = %h : !obs.pull<2 x !obs.pull<4 x i32>>) -> !obs.push<block, 2 x 4 x i32> {
      %v = obs.reverse %x : !obs.pull<4 x i32>
      %p = obs.push %v : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
      %s = obs.force %p : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>
      %o = obs.push %s : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
      obs.yield %o : !obs.push<block, 4 x i32>
    }
    %q = obs.join %t : !obs.push<block, 2 x 4 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %q : !obs.push<block, 8 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %flat {kernel = "two_rev_sync", threads = 8 : i64} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}
