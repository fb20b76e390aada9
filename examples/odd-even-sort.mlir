// Odd-even transposition sort of up to 1024 elements in one block. The length is
// known at run time; in round k, element i meets its neighbour on the side that
// the parity of i + k says. n rounds sort n elements.
//
//   obs-run examples/odd-even-sort.mlir --device=emulate random:10xi32:7
//
// demo: --device=emulate random:10xi32:7

func.func @main(%a: !obs.pull<? x i32 bound [1024]>) -> !obs.pull<? x i32 bound [1024]> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32 bound [1024]>
  %whole = obs.generate (%i) {
    obs.yield %a : !obs.pull<? x i32 bound [1024]>
  } : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>
  %sorted = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 1024]> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c) -> !obs.pull<? x i32 bound [1024]> {
      %round = obs.generate (%i) [%n] {
        %sum = arith.addi %i, %k : index
        %parity = arith.andi %sum, %c1 : index
        %even = arith.cmpi eq, %parity, %c0 : index
        %up = arith.addi %i, %c1 : index
        %down = arith.subi %i, %c1 : index
        %partner = arith.select %even, %up, %down : index
        // Below 0 is above every length as an unsigned number.
        %meets = arith.cmpi ult, %partner, %n : index
        %other = arith.select %meets, %partner, %i : index
        %mine = obs.get %x[%i] : !obs.pull<? x i32 bound [1024]>
        %theirs = obs.get %x[%other] : !obs.pull<? x i32 bound [1024]>
        %min = arith.minsi %mine, %theirs : i32
        %max = arith.maxsi %mine, %theirs : i32
        %y = arith.select %even, %min, %max : i32
        obs.yield %y : i32
      } : !obs.pull<? x i32 bound [1024]>
      %p = obs.push %round : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
      %next = obs.force %p : !obs.push<block, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
      scf.yield %next : !obs.pull<? x i32 bound [1024]>
    }
    %q = obs.push %r : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    obs.yield %q : !obs.push<block, ? x i32 bound [1024]>
  }
  %flat = obs.join %sorted to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]> -> !obs.push<grid, ? x i32 bound [1024]>
  %r = obs.force %flat {kernel = "odd_even_sort", threads = 256 : i64} : !obs.push<grid, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
  return %r : !obs.pull<? x i32 bound [1024]>
}
