func.func @low_digit(%a: !obs.pull<? x i32>, %starts: !obs.pull<16 x i32>) -> !obs.pull<? x i32> {
  %c15 = arith.constant 15 : i32
  %p = obs.partition (%x) = %a from %starts : !obs.pull<? x i32>, !obs.pull<16 x i32> -> !obs.push<grid, ? x i32> {
    %key = arith.andi %x, %c15 : i32
    obs.yield %key : i32
  }
  %r = obs.force %p : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
