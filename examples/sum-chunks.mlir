// Sums of chunks of 512, each by a tree: 512 numbers, 256 sums, 128, ..., 1. From: the Obsidian papers.
//
// Each stage adds the upper half of an array to its lower half and forces the result, so the next stage
// reads it from memory. An array that is not forced is fused: the first stage reads directly from the
// input.
//
// GPU: one kernel. Each block processes one chunk. A stage is a loop over the threads of the block. The
// arrays of the stages are in shared memory (the first one is in registers), with barriers between
// stages. The last chunk is padded with zeros.
//
// Run: obs-run examples/sum-chunks.mlir iota:1025xi32
//      obs-run examples/sum-chunks.mlir --device=emulate --report iota:1025xi32

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32>
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) {
    %lo256 = obs.take %c [256] : !obs.pull<512 x i32>
    %hi256 = obs.slice %c [256] [256] [1] : !obs.pull<512 x i32>
    %add256 = obs.map { arith.addi } %lo256, %hi256 : !obs.pull<256 x i32>
    %s256 = obs.force %add256 : !obs.pull<256 x i32>

    %lo128 = obs.take %s256 [128] : !obs.pull<256 x i32>
    %hi128 = obs.slice %s256 [128] [128] [1] : !obs.pull<256 x i32>
    %add128 = obs.map { arith.addi } %lo128, %hi128 : !obs.pull<128 x i32>
    %s128 = obs.force %add128 : !obs.pull<128 x i32>

    %lo64 = obs.take %s128 [64] : !obs.pull<128 x i32>
    %hi64 = obs.slice %s128 [64] [64] [1] : !obs.pull<128 x i32>
    %add64 = obs.map { arith.addi } %lo64, %hi64 : !obs.pull<64 x i32>
    %s64 = obs.force %add64 : !obs.pull<64 x i32>

    %lo32 = obs.take %s64 [32] : !obs.pull<64 x i32>
    %hi32 = obs.slice %s64 [32] [32] [1] : !obs.pull<64 x i32>
    %add32 = obs.map { arith.addi } %lo32, %hi32 : !obs.pull<32 x i32>
    %s32 = obs.force %add32 : !obs.pull<32 x i32>

    %lo16 = obs.take %s32 [16] : !obs.pull<32 x i32>
    %hi16 = obs.slice %s32 [16] [16] [1] : !obs.pull<32 x i32>
    %add16 = obs.map { arith.addi } %lo16, %hi16 : !obs.pull<16 x i32>
    %s16 = obs.force %add16 : !obs.pull<16 x i32>

    %lo8 = obs.take %s16 [8] : !obs.pull<16 x i32>
    %hi8 = obs.slice %s16 [8] [8] [1] : !obs.pull<16 x i32>
    %add8 = obs.map { arith.addi } %lo8, %hi8 : !obs.pull<8 x i32>
    %s8 = obs.force %add8 : !obs.pull<8 x i32>

    %lo4 = obs.take %s8 [4] : !obs.pull<8 x i32>
    %hi4 = obs.slice %s8 [4] [4] [1] : !obs.pull<8 x i32>
    %add4 = obs.map { arith.addi } %lo4, %hi4 : !obs.pull<4 x i32>
    %s4 = obs.force %add4 : !obs.pull<4 x i32>

    %lo2 = obs.take %s4 [2] : !obs.pull<4 x i32>
    %hi2 = obs.slice %s4 [2] [2] [1] : !obs.pull<4 x i32>
    %add2 = obs.map { arith.addi } %lo2, %hi2 : !obs.pull<2 x i32>
    %s2 = obs.force %add2 : !obs.pull<2 x i32>

    %lo1 = obs.take %s2 [1] : !obs.pull<2 x i32>
    %hi1 = obs.slice %s2 [1] [1] [1] : !obs.pull<2 x i32>
    %add1 = obs.map { arith.addi } %lo1, %hi1 : !obs.pull<1 x i32>
    %p = obs.push block %add1 : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat {kernel = "sum_chunks", threads = 128} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
