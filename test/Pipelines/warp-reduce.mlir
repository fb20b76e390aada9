// RUN: obs-translate --obs-to-ptx %s | FileCheck %s
// RUN: obs-run %s --device=interpret iota:1000xi32 | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %s --device=emulate iota:1000xi32 | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %s --device=emulate --threads=17 --schedule=random --seed=2 iota:1000xi32 | FileCheck %s --check-prefix=SUMS

// Warps reduce 32 elements in registers: five shuffles, no barrier in between,
// no local memory; one element of each warp goes through shared memory.
// CHECK: .visible .entry sums(
// CHECK-NOT: .local
// CHECK-COUNT-5: shfl.sync
// CHECK-NOT: shfl.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK-COUNT-5: shfl.sync
// CHECK-NOT: shfl.sync

// 0 + ... + 127, 128 + ... + 255, ..., 896 + ... + 999.
// SUMS: [8128, 24512, 40896, 57280, 73664, 90048, 106432, 98540]
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [128] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<128 x i32>>
  %sums = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<128 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %s = obs.reduce (%x, %y) = %c init %zero {strategy = "warps"} : !obs.pull<128 x i32> -> i32 {
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "sums", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
