!t = !obs.pull<? x i32 bound [2147483647]>
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [64] pad %zero : !obs.pull<? x i32>
  %sums = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<64 x i32>>) {
    %f = obs.force %c : !obs.pull<64 x i32>
    %first = obs.take %f [%c64] : !obs.pull<64 x i32> -> !t
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> !t {
      %half = arith.shrui %c64, %i : index
      %lo = obs.take %s [%half] : !t
      %hi = obs.slice %s [%half] [%half] [1] : !t
      %sum = obs.map { arith.addi } %lo, %hi : !t
      %g = obs.force %sum : !t
      scf.yield %g : !t
    } {obs.unroll}
    %one = obs.take %last [1] : !t
    %p = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat {kernel = "k"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
