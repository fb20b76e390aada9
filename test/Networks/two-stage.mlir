// RUN: %python %S/check.py obs-run %s main sums512 0 512 2048

// Sums of 512 elements in two stages (reduce2stage of Obsidian's slides): each of
// 16 warps of a block sums 32 elements, then the block sums the 16. The length
// of what the loops carry halves.

!part = !obs.pull<? x i32 bound [32]>

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c16 = arith.constant 16 : index
    %runs = obs.split %c by [32] : !obs.pull<512 x i32> -> !obs.pull<16 x !obs.pull<32 x i32>>
    %sums = obs.distribute warp (%w = %runs : !obs.pull<16 x !obs.pull<32 x i32>>) -> !obs.push<block, 16 x 1 x i32> {
      %c32 = arith.constant 32 : index
      %all = obs.take %w [%c32] : !obs.pull<32 x i32> -> !part
      %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%x = %all) -> !part {
        %n = obs.dim %x, 0 : !part
        %half = arith.shrui %n, %c1 : index
        %g = obs.generate (%i) [%half] {
          %j = arith.addi %i, %half : index
          %u = obs.get %x[%i] : !part
          %v = obs.get %x[%j] : !part
          %z = arith.addi %u, %v : i32
          obs.yield %z : i32
        } : !part
        %p = obs.push %g : !part -> !obs.push<warp, ? x i32 bound [32]>
        %f = obs.force %p : !obs.push<warp, ? x i32 bound [32]> -> !part
        scf.yield %f : !part
      }
      %one = obs.take %s [1] : !part -> !obs.pull<1 x i32>
      %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<warp, 1 x i32>
      obs.yield %q : !obs.push<warp, 1 x i32>
    }
    %line = obs.join %sums : !obs.push<block, 16 x 1 x i32> -> !obs.push<block, 16 x i32>
    %kept = obs.force %line : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %all = obs.take %kept [%c16] : !obs.pull<16 x i32> -> !part
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %all) -> !part {
      %n = obs.dim %x, 0 : !part
      %half = arith.shrui %n, %c1 : index
      %g = obs.generate (%i) [%half] {
        %j = arith.addi %i, %half : index
        %u = obs.get %x[%i] : !part
        %v = obs.get %x[%j] : !part
        %z = arith.addi %u, %v : i32
        obs.yield %z : i32
      } : !part
      %p = obs.push %g : !part -> !obs.push<block, ? x i32 bound [32]>
      %f = obs.force %p : !obs.push<block, ? x i32 bound [32]> -> !part
      scf.yield %f : !part
    }
    %one = obs.take %s [1] : !part -> !obs.pull<1 x i32>
    %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "two_stage", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
