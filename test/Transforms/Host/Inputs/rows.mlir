// Softmax of rows of unknown length by blocks.
func.func @main(%x: !obs.pull<? x ? x f32> {obs.name = "x"}) -> (!obs.pull<? x ? x f32>) {
  %c0 = arith.constant 0xFF800000 : f32
  %c1 = arith.constant 0.0 : f32
  %1 = obs.dim %x, 0 : !obs.pull<? x ? x f32>
  %2 = obs.dim %x, 1 : !obs.pull<? x ? x f32>
  %3 = obs.nest %x dims 1 : !obs.pull<? x ? x f32>
  %23 = obs.distribute block in grid (%4 = %3 : !obs.pull<? x !obs.pull<? x f32>>) {
    %8 = obs.reduce { arith.maximumf } %4 init %c0 {commutative} : !obs.pull<? x f32>
    %11 = obs.map (%9 = %4 : !obs.pull<? x f32>) {
      %10 = arith.subf %9, %8 : f32
      obs.yield %10 : f32
    }
    %14 = obs.map { math.exp } %11 : !obs.pull<? x f32>
    %18 = obs.reduce { arith.addf } %14 init %c1 : !obs.pull<? x f32>
    %21 = obs.map (%19 = %14 : !obs.pull<? x f32>) {
      %20 = arith.divf %19, %18 : f32
      obs.yield %20 : f32
    }
    %22 = obs.push block %21 : !obs.pull<? x f32>
    obs.yield %22 : !obs.push<block, ? x f32>
  }
  %24 = obs.force %23 {kernel = "softmax"} : !obs.push<grid, ? x ? x f32>
  return %24 : !obs.pull<? x ? x f32>
}
