// RUN: %python %S/check.py obs-run %s main mandelbrot 0 1 24
// RUN: obs-run %s --device=emulate --report 24 2>&1 --out=%t.out | FileCheck %s

// The Mandelbrot set on n x n bytes, genRect of Obsidian: x from -2 to 1.2, y from
// 1.2 at the top to -1.2, at most 512 iterations; a byte is (iterations mod 16) 16. A
// block takes a row; each thread has a loop of its own, and nothing is stored.
// CHECK: shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=0 bytes-stored=576

func.func @main(%n: index) -> !obs.pull<? x i8> {
  %total = arith.muli %n, %n : index
  %rows = obs.iota [%n] : !obs.pull<? x index>
  %parts = obs.distribute block (%row = %rows : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x i8> {
    %g = obs.generate (%column) [%n] {
      %size32 = arith.index_cast %n : index to i32
      %row32 = arith.index_cast %row : index to i32
      %column32 = arith.index_cast %column : index to i32
      %size = arith.sitofp %size32 : i32 to f32
      %v = arith.sitofp %row32 : i32 to f32
      %u = arith.sitofp %column32 : i32 to f32
      %width = arith.constant 3.2 : f32
      %height = arith.constant 2.4 : f32
      %left = arith.constant -2.0 : f32
      %top = arith.constant 1.2 : f32
      %dx = arith.divf %width, %size : f32
      %dy = arith.divf %height, %size : f32
      %ox = arith.mulf %u, %dx : f32
      %oy = arith.mulf %v, %dy : f32
      %cx = arith.addf %left, %ox : f32
      %cy = arith.subf %top, %oy : f32
      %zero = arith.constant 0.0 : f32
      %four = arith.constant 4.0 : f32
      %one = arith.constant 1 : i32
      %most = arith.constant 512 : i32
      %x, %y, %rounds = scf.while (%a = %zero, %b = %zero, %k = %one) : (f32, f32, i32) -> (f32, f32, i32) {
        %aa = arith.mulf %a, %a : f32
        %bb = arith.mulf %b, %b : f32
        %r = arith.addf %aa, %bb : f32
        %near = arith.cmpf olt, %r, %four : f32
        %few = arith.cmpi slt, %k, %most : i32
        %on = arith.andi %near, %few : i1
        scf.condition(%on) %a, %b, %k : f32, f32, i32
      } do {
      ^bb0(%a: f32, %b: f32, %k: i32):
        %aa = arith.mulf %a, %a : f32
        %bb = arith.mulf %b, %b : f32
        %ab = arith.mulf %a, %b : f32
        %d = arith.subf %aa, %bb : f32
        %a2 = arith.addf %d, %cx : f32
        %ab2 = arith.addf %ab, %ab : f32
        %b2 = arith.addf %ab2, %cy : f32
        %k2 = arith.addi %k, %one : i32
        scf.yield %a2, %b2, %k2 : f32, f32, i32
      }
      %fifteen = arith.constant 15 : i32
      %shift = arith.constant 4 : i32
      %low = arith.andi %rounds, %fifteen : i32
      %scaled = arith.shli %low, %shift : i32
      %byte = arith.trunci %scaled : i32 to i8
      obs.yield %byte : i8
    } : !obs.pull<? x i8>
    %p = obs.push %g : !obs.pull<? x i8> -> !obs.push<block, ? x i8>
    obs.yield %p : !obs.push<block, ? x i8>
  }
  %flat = obs.join %parts to [%total] : !obs.push<grid, ? x ? x i8> -> !obs.push<grid, ? x i8>
  %r = obs.force %flat {kernel = "mandelbrot", threads = 256 : i64} : !obs.push<grid, ? x i8> -> !obs.pull<? x i8>
  return %r : !obs.pull<? x i8>
}
