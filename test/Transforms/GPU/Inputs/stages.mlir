// One stage for arrays of different sizes.
func.func private @square(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> attributes {obs.level = #obs.level<grid>} {
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "square"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
func.func @main(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<2 x i32>) {
  %c = func.call @square(%a) : (!obs.pull<? x i32>) -> !obs.pull<? x i32>
  %d = func.call @square(%b) : (!obs.pull<? x i32>) -> !obs.pull<? x i32>
  %nine = arith.constant 9 : i32
  %e = obs.splat %nine : !obs.pull<2 x i32>
  %p = obs.push %e : !obs.pull<2 x i32> -> !obs.push<grid, 2 x i32>
  %f = obs.force %p {kernel = "square"} : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %c, %d, %f : !obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<2 x i32>
}
