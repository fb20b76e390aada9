// Pictures of the Mandelbrot set and of Julia sets. The value of a pixel is the number
// of steps z -> z^2 + c until |z| > 2, at most %steps. In @mandelbrot, z starts from
// 0, and c is the pixel. In @julia, z starts from the pixel, and c is an argument.
//
// From: the examples of Obsidian (mandelbrot) and of Accelerate. Pixels are the points
// of a grid around (%x, %y), at distance %d. Products are rounded before sums, so all
// devices compute the same pictures, bit for bit.
//
// GPU: one kernel. Each thread computes one pixel. The number of iterations of its
// loop depends on the pixel: control flow of threads may be divergent.
//
// Run: obs-run examples/mandelbrot.mlir --entry=mandelbrot 20 30 -0.75 0.0 0.1 9
//      obs-run examples/mandelbrot.mlir --entry=julia --device=emulate --report 40 60 0.0 0.0 0.05 -0.8 0.156 50
// With --out=FILE.npy, scripts/picture.py FILE.npy FILE.pgm makes a picture.

!image = !obs.pull<? x ? x i32>

// The number of steps from z = (%zx, %zy), for c = (%cx, %cy).
func.func private @escape(%zx: f32, %zy: f32, %cx: f32, %cy: f32, %steps: i32) -> i32 attributes {obs.level = #obs.level<thread>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4.0 : f32
  %x, %y, %n = scf.while (%a = %zx, %b = %zy, %i = %zero) : (f32, f32, i32) -> (f32, f32, i32) {
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %square = arith.addf %aa, %bb : f32
    %near = arith.cmpf ole, %square, %four : f32
    %more = arith.cmpi slt, %i, %steps : i32
    %go = arith.andi %near, %more : i1
    scf.condition(%go) %a, %b, %i : f32, f32, i32
  } do {
  ^bb0(%a: f32, %b: f32, %i: i32):
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %difference = arith.subf %aa, %bb : f32
    %next_a = arith.addf %difference, %cx : f32
    %sum = arith.addf %a, %a : f32
    %product = arith.mulf %sum, %b : f32
    %next_b = arith.addf %product, %cy : f32
    %next_i = arith.addi %i, %one : i32
    scf.yield %next_a, %next_b, %next_i : f32, f32, i32
  }
  return %n : i32
}

// One coordinate of pixel %i of %n. Pixels have distance %d, around %m.
func.func private @point(%i: index, %n: index, %m: f32, %d: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %c2 = arith.constant 2 : index
  %half = arith.divui %n, %c2 : index
  %k = arith.subi %i, %half : index
  %ki = arith.index_cast %k : index to i32
  %kf = arith.sitofp %ki : i32 to f32
  %offset = arith.mulf %kf, %d : f32
  %r = arith.addf %m, %offset : f32
  return %r : f32
}

func.func @mandelbrot(%h: index, %w: index, %x: f32, %y: f32, %d: f32, %steps: i32) -> !image {
  %zero = arith.constant 0.0 : f32
  %image = obs.generate (%i, %j) [%h, %w] {
    %cy = func.call @point(%i, %h, %y, %d) : (index, index, f32, f32) -> f32
    %cx = func.call @point(%j, %w, %x, %d) : (index, index, f32, f32) -> f32
    %n = func.call @escape(%zero, %zero, %cx, %cy, %steps) : (f32, f32, f32, f32, i32) -> i32
    obs.yield %n : i32
  } : !image
  %r = obs.force %image {kernel = "mandelbrot"} : !image
  return %r : !image
}

func.func @julia(%h: index, %w: index, %x: f32, %y: f32, %d: f32, %cx: f32, %cy: f32, %steps: i32) -> !image {
  %image = obs.generate (%i, %j) [%h, %w] {
    %zy = func.call @point(%i, %h, %y, %d) : (index, index, f32, f32) -> f32
    %zx = func.call @point(%j, %w, %x, %d) : (index, index, f32, f32) -> f32
    %n = func.call @escape(%zx, %zy, %cx, %cy, %steps) : (f32, f32, f32, f32, i32) -> i32
    obs.yield %n : i32
  } : !image
  %r = obs.force %image {kernel = "julia"} : !image
  return %r : !image
}
