// Whole steps, and one whose columns do not all exist.
func.func @halves(%a: !obs.pull<64 x 100 x f16>, %b: !obs.pull<100 x 32 x f16>) -> !obs.pull<1 x 64 x 32 x f32> {
  %zero = arith.constant 0.0 : f32
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %p = obs.matmul %a, %b init %zero : !obs.pull<64 x 100 x f16>, !obs.pull<100 x 32 x f16> -> !obs.push<block, 64 x 32 x f32>
    obs.yield %p : !obs.push<block, 64 x 32 x f32>
  }
  %r = obs.force %c {kernel = "halves"} : !obs.push<grid, 1 x 64 x 32 x f32>
  return %r : !obs.pull<1 x 64 x 32 x f32>
}

func.func @columns(%a: !obs.pull<100 x 48 x bf16>, %b: !obs.pull<16 x 100 x bf16>, %x: f32) -> !obs.pull<1 x 48 x 16 x f32> {
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %l = obs.transpose %a [1, 0] : !obs.pull<100 x 48 x bf16>
    %m = obs.transpose %b [1, 0] : !obs.pull<16 x 100 x bf16>
    %p = obs.matmul %l, %m init %x : !obs.pull<48 x 100 x bf16>, !obs.pull<100 x 16 x bf16> -> !obs.push<block, 48 x 16 x f32>
    obs.yield %p : !obs.push<block, 48 x 16 x f32>
  }
  %r = obs.force %c {kernel = "columns"} : !obs.push<grid, 1 x 48 x 16 x f32>
  return %r : !obs.pull<1 x 48 x 16 x f32>
}

// A number of steps that is known at run time.
func.func @unknown(%a: !obs.pull<? x 16 x bf16>, %b: !obs.pull<8 x ? x bf16>, %x: f32) -> !obs.pull<1 x 16 x 8 x f32> {
  %one = obs.iota : !obs.pull<1 x index>
  %c = obs.distribute block in grid (%i = %one : !obs.pull<1 x index>) {
    %l = obs.transpose %a [1, 0] : !obs.pull<? x 16 x bf16>
    %m = obs.transpose %b [1, 0] : !obs.pull<8 x ? x bf16>
    %p = obs.matmul %l, %m init %x : !obs.pull<16 x ? x bf16>, !obs.pull<? x 8 x bf16> -> !obs.push<block, 16 x 8 x f32>
    obs.yield %p : !obs.push<block, 16 x 8 x f32>
  }
  %r = obs.force %c {kernel = "unknown"} : !obs.push<grid, 1 x 16 x 8 x f32>
  return %r : !obs.pull<1 x 16 x 8 x f32>
}
