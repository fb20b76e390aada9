// The first element becomes 7, the others stay.
func.func @main(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %p = obs.fill onto %a : !obs.pull<4 x i32> par (%i) in (%one) {
    obs.write %seven at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p {kernel = "first"} : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
