func.func @small(%a: !obs.pull<20 x 40 x f32>, %b: !obs.pull<40 x 30 x f32>) -> !obs.pull<20 x 30 x f32> {
  %zero = arith.constant 0.0 : f32
  %p = obs.matmul %a, %b init %zero {contract} : !obs.pull<20 x 40 x f32>, !obs.pull<40 x 30 x f32> -> !obs.push<grid, 20 x 30 x f32>
  %r = obs.force %p {kernel = "small"} : !obs.push<grid, 20 x 30 x f32>
  return %r : !obs.pull<20 x 30 x f32>
}
