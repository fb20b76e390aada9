// Odd-even transposition sort of n <= 1024 numbers. From: N. Habermann, Parallel neighbor-sort, 1972.
//
// There are n stages. In stage k, each element i is compared with one neighbour. The parity of i + k
// determines the side of this neighbour. The lower element of the pair becomes the minimum, and the
// upper one becomes the maximum. The loop carries the array: each iteration reads the array of the
// iteration before, and forces a new one. The length is known at run time only, and `bound`
// determines the size of the buffers.
//
// GPU: one kernel of one block. Each stage is a loop over its threads. The array is in shared memory,
// in two slots that are used alternately, with one barrier for each stage.
//
// Run: obs-run examples/odd-even-sort.mlir random:20xi32:1
//      obs-run examples/odd-even-sort.mlir --device=emulate --report random:1000xi32:1

!row = !obs.pull<? x i32 bound [1024]>

func.func @main(%a: !row) -> !row {
  %n = obs.dim %a, 0 : !row
  %whole = obs.generate (%i) {
    obs.yield %a : !row
  } : !obs.pull<1 x !row>
  %sorted = obs.distribute block in grid (%c = %whole : !obs.pull<1 x !row>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c) -> !row {
      %round = obs.generate (%i) [%n] {
        %sum = arith.addi %i, %k : index
        %parity = arith.andi %sum, %c1 : index
        %even = arith.cmpi eq, %parity, %c0 : index
        %up = arith.addi %i, %c1 : index
        %down = arith.subi %i, %c1 : index
        %partner = arith.select %even, %up, %down : index
        // As an unsigned number, an index below 0 is larger than each length.
        %meets = arith.cmpi ult, %partner, %n : index
        %other = arith.select %meets, %partner, %i : index
        %mine = obs.get %x[%i] : !row
        %theirs = obs.get %x[%other] : !row
        %min = arith.minsi %mine, %theirs : i32
        %max = arith.maxsi %mine, %theirs : i32
        %y = arith.select %even, %min, %max : i32
        obs.yield %y : i32
      } : !row
      %next = obs.force %round : !row
      scf.yield %next : !row
    }
    %q = obs.push block %r : !row
    obs.yield %q : !obs.push<block, ? x i32 bound [1024]>
  }
  %flat = obs.join %sorted to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]>
  %r = obs.force %flat {kernel = "odd_even_sort"} : !obs.push<grid, ? x i32 bound [1024]>
  return %r : !row
}
