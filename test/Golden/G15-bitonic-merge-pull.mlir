// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=BARRIERS
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=SELECTS
// RUN: obs-run %s --entry=merge --device=interpret iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=1 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=17 --blocks=2 iota:16xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=merge --device=emulate --threads=128 iota:16xi32 | FileCheck %s --check-prefix=RESULT

// Four columns of comparators on 16 threads; partner t ^ 8, 4, 2, 1; one select on
// the data of each column; two arrays of 64 bytes.
// CHECK: dynamic_shared_memory_size %c128_i32
// CHECK: gpu.func @merge
// SELECTS: gpu.func @merge
// SELECTS-COUNT-4: arith.select {{.*}} : i32
// SELECTS-NOT: arith.select {{.*}} : i32
// BARRIERS-COUNT-3: {{^ *}}gpu.barrier
// BARRIERS-NOT: gpu.barrier

// RESULT: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]{{$}}
func.func @merge(%a: !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
  %whole = obs.split %a by [16] : !obs.pull<16 x i32> -> !obs.pull<1 x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<16 x i32>>) -> !obs.push<grid, 1 x 16 x i32> {
    %bitonic = obs.generate (%i) {
      %c8 = arith.constant 8 : index
      %c1 = arith.constant 1 : index
      %c31 = arith.constant 31 : index
      %twice = arith.addi %i, %i : index
      %down = arith.subi %c31, %twice : index
      %up = arith.cmpi ult, %i, %c8 : index
      %j = arith.select %up, %twice, %down : index
      %x = obs.get %c[%j] : !obs.pull<16 x i32>
      obs.yield %x : i32
    } : !obs.pull<16 x i32>
    %g0 = obs.generate (%i) {
      %bit = arith.constant 3 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %bitonic[%i] : !obs.pull<16 x i32>
      %y = obs.get %bitonic[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      %shifted = arith.shrui %i, %bit : index
      %high = arith.andi %shifted, %one : index
      %isLow = arith.cmpi eq, %high, %zero : index
      %z = arith.select %isLow, %min, %max : i32
      obs.yield %z : i32
    } : !obs.pull<16 x i32>
    %p_s0 = obs.push %g0 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %s0 = obs.force %p_s0 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %g1 = obs.generate (%i) {
      %bit = arith.constant 2 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %s0[%i] : !obs.pull<16 x i32>
      %y = obs.get %s0[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      %shifted = arith.shrui %i, %bit : index
      %high = arith.andi %shifted, %one : index
      %isLow = arith.cmpi eq, %high, %zero : index
      %z = arith.select %isLow, %min, %max : i32
      obs.yield %z : i32
    } : !obs.pull<16 x i32>
    %p_s1 = obs.push %g1 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %s1 = obs.force %p_s1 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %g2 = obs.generate (%i) {
      %bit = arith.constant 1 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %s1[%i] : !obs.pull<16 x i32>
      %y = obs.get %s1[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      %shifted = arith.shrui %i, %bit : index
      %high = arith.andi %shifted, %one : index
      %isLow = arith.cmpi eq, %high, %zero : index
      %z = arith.select %isLow, %min, %max : i32
      obs.yield %z : i32
    } : !obs.pull<16 x i32>
    %p_s2 = obs.push %g2 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %s2 = obs.force %p_s2 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %g3 = obs.generate (%i) {
      %bit = arith.constant 0 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %s2[%i] : !obs.pull<16 x i32>
      %y = obs.get %s2[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      %shifted = arith.shrui %i, %bit : index
      %high = arith.andi %shifted, %one : index
      %isLow = arith.cmpi eq, %high, %zero : index
      %z = arith.select %isLow, %min, %max : i32
      obs.yield %z : i32
    } : !obs.pull<16 x i32>
    %p_s3 = obs.push %g3 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %s3 = obs.force %p_s3 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %q = obs.push %s3 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 16 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %flat {kernel = "merge", threads = 16 : i64} : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}
