func.func @main(%a: !obs.pull<4 x f32>, %w: f32) -> (!obs.pull<4 x f32>, f16) {
  %p = obs.push %a : !obs.pull<4 x f32> -> !obs.push<grid, 4 x f32>
  %f = obs.force %p : !obs.push<grid, 4 x f32> -> !obs.pull<4 x f32>
  %h = arith.truncf %w : f32 to f16
  %g = arith.addf %h, %h : f16
  return %f, %g : !obs.pull<4 x f32>, f16
}
