// Odd-even transposition sort with a kernel for each iteration.
func.func @main(%a: !obs.pull<? x i32> {obs.name = "numbers"}) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a) -> !obs.pull<? x i32> {
    %round = obs.generate (%i) [%n] {
      %sum = arith.addi %i, %k : index
      %parity = arith.andi %sum, %c1 : index
      %even = arith.cmpi eq, %parity, %c0 : index
      %up = arith.addi %i, %c1 : index
      %down = arith.subi %i, %c1 : index
      %partner = arith.select %even, %up, %down : index
      %meets = arith.cmpi ult, %partner, %n : index
      %other = arith.select %meets, %partner, %i : index
      %mine = obs.get %x[%i] : !obs.pull<? x i32>
      %theirs = obs.get %x[%other] : !obs.pull<? x i32>
      %min = arith.minsi %mine, %theirs : i32
      %max = arith.maxsi %mine, %theirs : i32
      %y = arith.select %even, %min, %max : i32
      obs.yield %y : i32
    } : !obs.pull<? x i32>
    %p = obs.push %round : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "round"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}
