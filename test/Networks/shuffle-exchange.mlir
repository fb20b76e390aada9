// RUN: %python %S/check.py obs-run %s shex bitonic 1 2 16 256 2048

// The shuffle-exchange network of Obsidian's thesis (shex), which merges a bitonic
// sequence of 2^k elements, 2^k <= 4096. A riffle rotates the bits of an index.

!array = !obs.pull<? x i32>
!chunk = !obs.pull<? x i32 bound [4096]>
!chunks = !obs.pull<? x !obs.pull<? x i32 bound [4096]>>
!column = !obs.push<block, ? x i32 bound [4096]>
!parts = !obs.push<grid, ? x ? x i32 bound [?, 4096]>
!result = !obs.push<grid, ? x i32>

func.func private @exchange(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %right = arith.subi %k, %c1 : index
  %riffled = obs.reindex (%i) = %x [%n] {
    %j = obs.bit.rotate %i, %right, %k : index
    obs.yield %j : index
  } : !chunk -> !chunk
  %a = obs.generate (%i) [%n] {
    %j = obs.bit.flip %i, %c0 : index
    %u = obs.get %riffled[%i] : !chunk
    %v = obs.get %riffled[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %side = arith.andi %i, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %a : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

// k times a riffle and a comparison of neighbours.
func.func @shex(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @exchange(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "shex"} : !result -> !array
  return %r : !array
}
