// Sums of chunks of 512, each by a tree: 512 numbers, 256 sums, 128, ..., 1. From: the Obsidian papers.
//
// Every stage adds the upper half of an array to its lower half and forces the
// result, so the next stage finds it in memory. What is not forced is fused:
// the first stage reads straight from the input.
//
// GPU: one kernel. A block takes a chunk; a stage is a loop over the block's
// threads; stages are kept in shared memory, with barriers between them. The
// last chunk is padded with zeros.
//
// Run: obs-run examples/sum-chunks.mlir iota:1025xi32
//      obs-run examples/sum-chunks.mlir --device=emulate --report iota:1025xi32

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %sums = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %lo256 = obs.slice %c [0] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
    %hi256 = obs.slice %c [256] [256] [1] : !obs.pull<512 x i32> -> !obs.pull<256 x i32>
    %add256 = obs.map (%x = %lo256 : !obs.pull<256 x i32>, %y = %hi256 : !obs.pull<256 x i32>) -> !obs.pull<256 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p256 = obs.push %add256 : !obs.pull<256 x i32> -> !obs.push<block, 256 x i32>
    %s256 = obs.force %p256 : !obs.push<block, 256 x i32> -> !obs.pull<256 x i32>

    %lo128 = obs.slice %s256 [0] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
    %hi128 = obs.slice %s256 [128] [128] [1] : !obs.pull<256 x i32> -> !obs.pull<128 x i32>
    %add128 = obs.map (%x = %lo128 : !obs.pull<128 x i32>, %y = %hi128 : !obs.pull<128 x i32>) -> !obs.pull<128 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p128 = obs.push %add128 : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    %s128 = obs.force %p128 : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>

    %lo64 = obs.slice %s128 [0] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
    %hi64 = obs.slice %s128 [64] [64] [1] : !obs.pull<128 x i32> -> !obs.pull<64 x i32>
    %add64 = obs.map (%x = %lo64 : !obs.pull<64 x i32>, %y = %hi64 : !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p64 = obs.push %add64 : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    %s64 = obs.force %p64 : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>

    %lo32 = obs.slice %s64 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
    %hi32 = obs.slice %s64 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
    %add32 = obs.map (%x = %lo32 : !obs.pull<32 x i32>, %y = %hi32 : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p32 = obs.push %add32 : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %s32 = obs.force %p32 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>

    %lo16 = obs.slice %s32 [0] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
    %hi16 = obs.slice %s32 [16] [16] [1] : !obs.pull<32 x i32> -> !obs.pull<16 x i32>
    %add16 = obs.map (%x = %lo16 : !obs.pull<16 x i32>, %y = %hi16 : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p16 = obs.push %add16 : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    %s16 = obs.force %p16 : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>

    %lo8 = obs.slice %s16 [0] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
    %hi8 = obs.slice %s16 [8] [8] [1] : !obs.pull<16 x i32> -> !obs.pull<8 x i32>
    %add8 = obs.map (%x = %lo8 : !obs.pull<8 x i32>, %y = %hi8 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p8 = obs.push %add8 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    %s8 = obs.force %p8 : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>

    %lo4 = obs.slice %s8 [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
    %hi4 = obs.slice %s8 [4] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
    %add4 = obs.map (%x = %lo4 : !obs.pull<4 x i32>, %y = %hi4 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p4 = obs.push %add4 : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    %s4 = obs.force %p4 : !obs.push<block, 4 x i32> -> !obs.pull<4 x i32>

    %lo2 = obs.slice %s4 [0] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %hi2 = obs.slice %s4 [2] [2] [1] : !obs.pull<4 x i32> -> !obs.pull<2 x i32>
    %add2 = obs.map (%x = %lo2 : !obs.pull<2 x i32>, %y = %hi2 : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p2 = obs.push %add2 : !obs.pull<2 x i32> -> !obs.push<block, 2 x i32>
    %s2 = obs.force %p2 : !obs.push<block, 2 x i32> -> !obs.pull<2 x i32>

    %lo1 = obs.slice %s2 [0] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %hi1 = obs.slice %s2 [1] [1] [1] : !obs.pull<2 x i32> -> !obs.pull<1 x i32>
    %add1 = obs.map (%x = %lo1 : !obs.pull<1 x i32>, %y = %hi1 : !obs.pull<1 x i32>) -> !obs.pull<1 x i32> {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %p = obs.push %add1 : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "sum_chunks", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
