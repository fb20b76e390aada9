// Each of 4 threads writes 8 elements in a loop, and each of 32 threads reads one. So the array is not in registers of
// threads: an element is read by another thread than the one that writes it.

// RUN: obs-run %s random:100xi32:1 > %t
// RUN: obs-run %s --device=emulate --check=all --threads=128 random:100xi32:1 | diff %t -
// RUN: obs-run %s --device=emulate --check=all --threads=17 random:100xi32:1 | diff %t -
// RUN: obs-run %s --device=emulate --check=all --threads=1024 --schedule=random --seed=3 random:100xi32:1 | diff %t -

func.func @main(%input: !obs.pull<? x i32>) -> (!obs.pull<? x i32>) {
  %v1 = arith.constant 0 : i32
  %v2 = obs.dim %input, 0 : !obs.pull<? x i32>
  %v3 = obs.split %input by [32] pad %v1 : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<32 x i32>>
  %v4 = obs.distribute block (%v5 = %v3 : !obs.pull<? x !obs.pull<32 x i32>>) -> !obs.push<grid, ? x 32 x i32> {
    %v6 = obs.reverse %v5 : !obs.pull<32 x i32>
    %v7 = obs.split %v6 strided by [8] : !obs.pull<32 x i32> -> !obs.pull<4 x !obs.pull<8 x i32>>
    %v8 = obs.distribute thread (%v9 = %v7 : !obs.pull<4 x !obs.pull<8 x i32>>) -> !obs.push<block, 4 x 8 x i32> {
      %v10 = obs.push %v9 : !obs.pull<8 x i32> -> !obs.push<thread, 8 x i32>
      obs.yield %v10 : !obs.push<thread, 8 x i32>
    }
    %v11 = obs.join %v8 strided : !obs.push<block, 4 x 8 x i32> -> !obs.push<block, 32 x i32>
    %v12 = obs.force %v11 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
    %v13 = obs.push %v12 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %v13 : !obs.push<block, 32 x i32>
  }
  %v14 = obs.join %v4 to [%v2] : !obs.push<grid, ? x 32 x i32> -> !obs.push<grid, ? x i32>
  %v15 = obs.force %v14 : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %v15 : !obs.pull<? x i32>
}

