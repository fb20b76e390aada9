// Rows that one block combines in chunks of 4096 elements, four neighbours of a thread at a time: after the chunks come
// full rows of 1024 elements, and a part of a row. The elements are 0, 1, 2, ..., so the sums are closed forms.
// RUN: obs-opt --obs-to-gpu %s | FileCheck %s --check-prefix=GPU
// RUN: obs-run %s --entry=sums_4096 iota:8192xi32 | FileCheck %s --check-prefix=SUMS4096
// RUN: obs-run %s --entry=sums_4096 --device=emulate iota:8192xi32 | FileCheck %s --check-prefix=SUMS4096
// RUN: obs-run %s --entry=sums_4100 iota:8200xi32 | FileCheck %s --check-prefix=SUMS4100
// RUN: obs-run %s --entry=sums_4100 --device=emulate iota:8200xi32 | FileCheck %s --check-prefix=SUMS4100
// RUN: obs-run %s --entry=sums_5120 iota:10240xi32 | FileCheck %s --check-prefix=SUMS5120
// RUN: obs-run %s --entry=sums_5120 --device=emulate iota:10240xi32 | FileCheck %s --check-prefix=SUMS5120
// RUN: obs-run %s --entry=sums_8188 iota:16376xi32 | FileCheck %s --check-prefix=SUMS8188
// RUN: obs-run %s --entry=sums_8188 --device=emulate iota:16376xi32 | FileCheck %s --check-prefix=SUMS8188
// SUMS4096: [8386560, 25163776]
// SUMS4096-NEXT: [4095, 8191]
// SUMS4100: [8402950, 25212950]
// SUMS4100-NEXT: [4099, 8199]
// SUMS5120: [13104640, 39319040]
// SUMS5120-NEXT: [5119, 10239]
// SUMS8188: [33517578, 100560922]
// SUMS8188-NEXT: [8187, 16375]

// No loop reads single elements.
// GPU-LABEL: gpu.func @row_8188
// GPU-NOT: step %c256
// GPU: gpu.return

func.func @sums_4096(%a: !obs.pull<8192 x i32>) -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %zero = arith.constant 0 : i32
  %matrix = obs.reshape %a : !obs.pull<8192 x i32> -> !obs.pull<2 x 4096 x i32>
  %rows = obs.nest %matrix dims 1 : !obs.pull<2 x 4096 x i32>
  %found = obs.distribute block in grid (%row = %rows : !obs.pull<2 x !obs.pull<4096 x i32>>) {
    %pairs = obs.map (%x = %row : !obs.pull<4096 x i32>) {
      obs.yield %x, %x : i32, i32
    }
    %sum, %most = obs.reduce (%a1, %b1, %a2, %b2) = %pairs init %zero, %zero {commutative, strategy = "block_stride"} : !obs.pull<4096 x i32, i32> {
      %s = arith.addi %a1, %a2 : i32
      %m = arith.maxsi %b1, %b2 : i32
      obs.yield %s, %m : i32, i32
    }
    %one = obs.splat %sum, %most : !obs.pull<1 x i32, i32>
    %pushed = obs.push block %one : !obs.pull<1 x i32, i32>
    obs.yield %pushed : !obs.push<block, 1 x i32, i32>
  }
  %flat = obs.reshape %found : !obs.push<grid, 2 x 1 x i32, i32> -> !obs.push<grid, 2 x i32, i32>
  %r = obs.force %flat {kernel = "row_4096"} : !obs.push<grid, 2 x i32, i32>
  %s, %m = obs.unzip %r : !obs.pull<2 x i32, i32>
  return %s, %m : !obs.pull<2 x i32>, !obs.pull<2 x i32>
}

func.func @sums_4100(%a: !obs.pull<8200 x i32>) -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %zero = arith.constant 0 : i32
  %matrix = obs.reshape %a : !obs.pull<8200 x i32> -> !obs.pull<2 x 4100 x i32>
  %rows = obs.nest %matrix dims 1 : !obs.pull<2 x 4100 x i32>
  %found = obs.distribute block in grid (%row = %rows : !obs.pull<2 x !obs.pull<4100 x i32>>) {
    %pairs = obs.map (%x = %row : !obs.pull<4100 x i32>) {
      obs.yield %x, %x : i32, i32
    }
    %sum, %most = obs.reduce (%a1, %b1, %a2, %b2) = %pairs init %zero, %zero {commutative, strategy = "block_stride"} : !obs.pull<4100 x i32, i32> {
      %s = arith.addi %a1, %a2 : i32
      %m = arith.maxsi %b1, %b2 : i32
      obs.yield %s, %m : i32, i32
    }
    %one = obs.splat %sum, %most : !obs.pull<1 x i32, i32>
    %pushed = obs.push block %one : !obs.pull<1 x i32, i32>
    obs.yield %pushed : !obs.push<block, 1 x i32, i32>
  }
  %flat = obs.reshape %found : !obs.push<grid, 2 x 1 x i32, i32> -> !obs.push<grid, 2 x i32, i32>
  %r = obs.force %flat {kernel = "row_4100"} : !obs.push<grid, 2 x i32, i32>
  %s, %m = obs.unzip %r : !obs.pull<2 x i32, i32>
  return %s, %m : !obs.pull<2 x i32>, !obs.pull<2 x i32>
}

func.func @sums_5120(%a: !obs.pull<10240 x i32>) -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %zero = arith.constant 0 : i32
  %matrix = obs.reshape %a : !obs.pull<10240 x i32> -> !obs.pull<2 x 5120 x i32>
  %rows = obs.nest %matrix dims 1 : !obs.pull<2 x 5120 x i32>
  %found = obs.distribute block in grid (%row = %rows : !obs.pull<2 x !obs.pull<5120 x i32>>) {
    %pairs = obs.map (%x = %row : !obs.pull<5120 x i32>) {
      obs.yield %x, %x : i32, i32
    }
    %sum, %most = obs.reduce (%a1, %b1, %a2, %b2) = %pairs init %zero, %zero {commutative, strategy = "block_stride"} : !obs.pull<5120 x i32, i32> {
      %s = arith.addi %a1, %a2 : i32
      %m = arith.maxsi %b1, %b2 : i32
      obs.yield %s, %m : i32, i32
    }
    %one = obs.splat %sum, %most : !obs.pull<1 x i32, i32>
    %pushed = obs.push block %one : !obs.pull<1 x i32, i32>
    obs.yield %pushed : !obs.push<block, 1 x i32, i32>
  }
  %flat = obs.reshape %found : !obs.push<grid, 2 x 1 x i32, i32> -> !obs.push<grid, 2 x i32, i32>
  %r = obs.force %flat {kernel = "row_5120"} : !obs.push<grid, 2 x i32, i32>
  %s, %m = obs.unzip %r : !obs.pull<2 x i32, i32>
  return %s, %m : !obs.pull<2 x i32>, !obs.pull<2 x i32>
}

func.func @sums_8188(%a: !obs.pull<16376 x i32>) -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %zero = arith.constant 0 : i32
  %matrix = obs.reshape %a : !obs.pull<16376 x i32> -> !obs.pull<2 x 8188 x i32>
  %rows = obs.nest %matrix dims 1 : !obs.pull<2 x 8188 x i32>
  %found = obs.distribute block in grid (%row = %rows : !obs.pull<2 x !obs.pull<8188 x i32>>) {
    %pairs = obs.map (%x = %row : !obs.pull<8188 x i32>) {
      obs.yield %x, %x : i32, i32
    }
    %sum, %most = obs.reduce (%a1, %b1, %a2, %b2) = %pairs init %zero, %zero {commutative, strategy = "block_stride"} : !obs.pull<8188 x i32, i32> {
      %s = arith.addi %a1, %a2 : i32
      %m = arith.maxsi %b1, %b2 : i32
      obs.yield %s, %m : i32, i32
    }
    %one = obs.splat %sum, %most : !obs.pull<1 x i32, i32>
    %pushed = obs.push block %one : !obs.pull<1 x i32, i32>
    obs.yield %pushed : !obs.push<block, 1 x i32, i32>
  }
  %flat = obs.reshape %found : !obs.push<grid, 2 x 1 x i32, i32> -> !obs.push<grid, 2 x i32, i32>
  %r = obs.force %flat {kernel = "row_8188"} : !obs.push<grid, 2 x i32, i32>
  %s, %m = obs.unzip %r : !obs.pull<2 x i32, i32>
  return %s, %m : !obs.pull<2 x i32>, !obs.pull<2 x i32>
}
