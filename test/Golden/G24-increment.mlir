// RUN: obs-opt %s --obs-to-gpu=threads=512 | FileCheck %s --check-prefix=ALL
// RUN: obs-opt %s --obs-to-gpu=threads=128 | FileCheck %s --check-prefix=QUARTER
// RUN: %python -c "import array; array.array('i', range(1, 1537)).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=inc --device=interpret  iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc --device=emulate --threads=128 --blocks=1 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc --device=emulate --threads=512 --blocks=2 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc --device=emulate --threads=17 --blocks=3 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=interpret  iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=128 --blocks=1 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=512 --blocks=2 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=inc_forced --device=emulate --threads=17 --blocks=3 iota:1536xi32 --out=%t.out
// RUN: cmp %t.out %t.want

// 512 elements for each block. 512 threads take one each; 128 threads take four,
// in a loop of exactly four steps with element i * 128 + thread.
// ALL: gpu.func @inc(
// ALL: scf.for %{{.*}} = %block_id_x
// ALL-NOT: scf.for
// ALL-NOT: gpu.barrier
// ALL: gpu.func @inc_forced
// QUARTER: gpu.func @inc(
// QUARTER: scf.for %{{.*}} = %block_id_x
// QUARTER: scf.for %[[I:.*]] = %c0 to %c4 step %c1
// QUARTER: %[[BASE:.*]] = arith.muli %[[I]], %c128
// QUARTER: arith.addi %[[BASE]], %thread_id_x
// QUARTER-NOT: gpu.barrier
// QUARTER: gpu.func @inc_forced

func.func @inc(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %e = obs.map (%x = %c : !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %q = obs.push %e : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "inc"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @inc_forced(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %e = obs.map (%x = %c : !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
      %k = arith.constant 1 : i32
      %z = arith.addi %x, %k : i32
      obs.yield %z : i32
    }
    %p_s = obs.push %e : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    %s = obs.force %p_s : !obs.push<block, 512 x i32> -> !obs.pull<512 x i32>
    %q = obs.push %s : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "inc_forced"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
