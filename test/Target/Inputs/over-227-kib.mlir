!array = !obs.pull<? x i32>
!chunk = !obs.pull<58112 x i32>
func.func @main(%a: !array) -> !array {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [58112] pad %zero : !array -> !obs.pull<? x !chunk>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 58112 x i32> {
    %p = obs.push %c : !chunk -> !obs.push<block, 58112 x i32>
    %f = obs.force %p in shared : !obs.push<block, 58112 x i32> -> !chunk
    %o = obs.slice %f [7] [1] [1] : !chunk -> !obs.pull<1 x i32>
    %po = obs.push %o : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    %fo = obs.force %po in shared : !obs.push<block, 1 x i32> -> !obs.pull<1 x i32>
    %g = obs.generate (%i) {
      %c0 = arith.constant 0 : index
      %c58111 = arith.constant 58111 : index
      %j = arith.subi %c58111, %i : index
      %x = obs.get %f[%j] : !chunk
      %y = obs.get %fo[%c0] : !obs.pull<1 x i32>
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    } : !chunk
    %q = obs.push %g : !chunk -> !obs.push<block, 58112 x i32>
    obs.yield %q : !obs.push<block, 58112 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 58112 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "over", threads = 1024 : i64} : !obs.push<grid, ? x i32> -> !array
  return %r : !array
}
