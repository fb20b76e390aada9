// Convolution of an image with 3 x 3 or 5 x 5 weights. A rule defines the pixels past the
// border of the image. There are five rules: the nearest pixel (clamp), the mirror image
// (mirror), the image again (wrap), a constant, and a function of the index (here 100
// times the row, plus the column). Up to rounding, a convolution is
//   r[i, j] = sum of weights[u, v] * a[i + u - radius, j + v - radius].
//
// From: the convolutions of Accelerate (stencil, which has four of the rules) and of the
// Obsidian slides. A rule is a function from an image to a larger image. The larger image
// is a pull array that is never stored, so the convolutions do not depend on the rules.
// There are two forms. @direct reads the larger image where it needs it, for weights of
// any odd extents. @tiled3 and @tiled5 force the tile that 16 x 16 results need, so each
// pixel is loaded about once. Each entry combines a rule and a convolution.
//
// GPU: one kernel. In the tiled forms, each block processes a tile of 18 x 18 or 20 x 20
// pixels in shared memory. There is a barrier before the sums.
//
// Run: obs-run examples/convolution.mlir --entry=clamp_direct iota:4x5xi32 iota:3x3xi32
//      obs-run examples/convolution.mlir --entry=mirror_tiled5 --device=emulate --report iota:33x50xi32 iota:5x5xi32
//      obs-run examples/convolution.mlir --entry=wrap_tiled3 --device=emulate --report iota:33x50xi32 iota:3x3xi32
//      obs-run examples/convolution.mlir --entry=constant_tiled3 iota:4x5xi32 iota:3x3xi32 7
//      obs-run examples/convolution.mlir --entry=function_tiled5 iota:4x5xi32 iota:5x5xi32

!image = !obs.pull<? x ? x i32>
!tile = !obs.pull<16 x 16 x i32>
!done = !obs.push<grid, ? x ? x 16 x 16 x i32>
!out = !obs.push<grid, ? x ? x i32>

// The rules. The result has %h rows and %w columns. Its element (i, j) is element
// (i - %r, j - %r) of %a, or past the border the value that the rule defines.

func.func private @clamp(%a: !image, %r: index, %h: index, %w: index) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ah = obs.dim %a, 0 : !image
  %aw = obs.dim %a, 1 : !image
  %ilast = arith.subi %ah, %c1 : index
  %jlast = arith.subi %aw, %c1 : index
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i1 = arith.maxsi %i0, %c0 : index
    %j1 = arith.maxsi %j0, %c0 : index
    %i = arith.minsi %i1, %ilast : index
    %j = arith.minsi %j1, %jlast : index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

// %i modulo %n, from 0 to %n - 1.
func.func private @modulo(%i: index, %n: index) -> index attributes {obs.level = #obs.level<thread>} {
  %m0 = arith.remsi %i, %n : index
  %m1 = arith.addi %m0, %n : index
  %m = arith.remsi %m1, %n : index
  return %m : index
}

// Images and mirror images alternate, so the period is twice the extent.
func.func private @reflect(%i: index, %n: index) -> index attributes {obs.level = #obs.level<thread>} {
  %c1 = arith.constant 1 : index
  %period = arith.addi %n, %n : index
  %k = func.call @modulo(%i, %period) : (index, index) -> index
  %last = arith.subi %period, %c1 : index
  %back = arith.subi %last, %k : index
  %m = arith.minsi %k, %back : index
  return %m : index
}

func.func private @mirror(%a: !image, %r: index, %h: index, %w: index) -> !image {
  %ah = obs.dim %a, 0 : !image
  %aw = obs.dim %a, 1 : !image
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i = func.call @reflect(%i0, %ah) : (index, index) -> index
    %j = func.call @reflect(%j0, %aw) : (index, index) -> index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @wrap(%a: !image, %r: index, %h: index, %w: index) -> !image {
  %ah = obs.dim %a, 0 : !image
  %aw = obs.dim %a, 1 : !image
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i = func.call @modulo(%i0, %ah) : (index, index) -> index
    %j = func.call @modulo(%j0, %aw) : (index, index) -> index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @constant(%a: !image, %k: i32, %r: index, %h: index, %w: index) -> !image {
  %ah = obs.dim %a, 0 : !image
  %aw = obs.dim %a, 1 : !image
  %b = obs.generate (%y, %x) [%h, %w] {
    // As an unsigned number, an index below 0 is larger than each extent.
    %i = arith.subi %y, %r : index
    %j = arith.subi %x, %r : index
    %i_in = arith.cmpi ult, %i, %ah : index
    %j_in = arith.cmpi ult, %j, %aw : index
    %both = arith.andi %i_in, %j_in : i1
    %v = scf.if %both -> i32 {
      %p = obs.get %a[%i, %j] : !image
      scf.yield %p : i32
    } else {
      scf.yield %k : i32
    }
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @function(%a: !image, %r: index, %h: index, %w: index) -> !image {
  %c100 = arith.constant 100 : index
  %ah = obs.dim %a, 0 : !image
  %aw = obs.dim %a, 1 : !image
  %b = obs.generate (%y, %x) [%h, %w] {
    %i = arith.subi %y, %r : index
    %j = arith.subi %x, %r : index
    %i_in = arith.cmpi ult, %i, %ah : index
    %j_in = arith.cmpi ult, %j, %aw : index
    %both = arith.andi %i_in, %j_in : i1
    %v = scf.if %both -> i32 {
      %p = obs.get %a[%i, %j] : !image
      scf.yield %p : i32
    } else {
      %row = arith.muli %i, %c100 : index
      %f = arith.addi %row, %j : index
      %fi = arith.index_cast %f : index to i32
      scf.yield %fi : i32
    }
    obs.yield %v : i32
  } : !image
  return %b : !image
}

// The extent of the image with its border, for weights of extent %k. Without the border,
// it is a multiple of 16. @direct and the tiles read only elements in this extent. An
// empty image has no border.
func.func private @extent(%n: index, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %border = arith.subi %k, %c1 : index
  %chunks = arith.ceildivui %n, %c16 : index
  %inner = arith.muli %chunks, %c16 : index
  %sum = arith.addi %inner, %border : index
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %r = arith.select %is_empty, %c0, %sum : index
  return %r : index
}

// The convolutions. %b is an image with its border.
// The result has %h rows and %w columns.

func.func private @direct(%b: !image, %weights: !image, %h: index, %w: index) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %sums = obs.generate (%i, %j) [%h, %w] {
    %s = scf.for %u = %c0 to %kh step %c1 iter_args(%outer = %zero) -> i32 {
      %row = scf.for %v = %c0 to %kw step %c1 iter_args(%sum = %outer) -> i32 {
        %y = arith.addi %i, %u : index
        %x = arith.addi %j, %v : index
        %p = obs.get %b[%y, %x] : !image
        %q = obs.get %weights[%u, %v] : !image
        %m = arith.muli %p, %q : i32
        %next = arith.addi %sum, %m : i32
        scf.yield %next : i32
      }
      scf.yield %row : i32
    }
    obs.yield %s : i32
  } : !image
  %r = obs.force %sums {kernel = "convolution", threads = 256} : !image
  return %r : !image
}

func.func private @tiled3(%b: !image, %weights: !image, %h: index, %w: index) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %th = arith.ceildivui %h, %c16 : index
  %tw = arith.ceildivui %w, %c16 : index
  %tiles = obs.generate (%ti, %tj) [%th, %tw] {
    %i0 = arith.muli %ti, %c16 : index
    %j0 = arith.muli %tj, %c16 : index
    %tile = obs.slice %b [%i0, %j0] [18, 18] [1, 1] : !image
    obs.yield %tile : !obs.pull<18 x 18 x i32>
  } : !obs.pull<? x ? x !obs.pull<18 x 18 x i32>>
  %sums = obs.distribute block in grid (%tile = %tiles : !obs.pull<? x ? x !obs.pull<18 x 18 x i32>>) {
    %halo = obs.force %tile in shared : !obs.pull<18 x 18 x i32>
    %box = obs.generate (%i, %j) {
      %s = scf.for %u = %c0 to %c3 step %c1 iter_args(%outer = %zero) -> i32 {
        %row = scf.for %v = %c0 to %c3 step %c1 iter_args(%sum = %outer) -> i32 {
          %y = arith.addi %i, %u : index
          %x = arith.addi %j, %v : index
          %p1 = obs.get %halo[%y, %x] : !obs.pull<18 x 18 x i32>
          %q = obs.get %weights[%u, %v] : !image
          %m = arith.muli %p1, %q : i32
          %next = arith.addi %sum, %m : i32
          scf.yield %next : i32
        }
        scf.yield %row : i32
      }
      obs.yield %s : i32
    } : !tile
    %q = obs.push block %box : !tile
    obs.yield %q : !obs.push<block, 16 x 16 x i32>
  }
  %flat = obs.join %sums to [%h, %w] : !done
  %r = obs.force %flat {kernel = "convolution_tiled3", threads = 256} : !out
  return %r : !image
}

func.func private @tiled5(%b: !image, %weights: !image, %h: index, %w: index) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %th = arith.ceildivui %h, %c16 : index
  %tw = arith.ceildivui %w, %c16 : index
  %tiles = obs.generate (%ti, %tj) [%th, %tw] {
    %i0 = arith.muli %ti, %c16 : index
    %j0 = arith.muli %tj, %c16 : index
    %tile = obs.slice %b [%i0, %j0] [20, 20] [1, 1] : !image
    obs.yield %tile : !obs.pull<20 x 20 x i32>
  } : !obs.pull<? x ? x !obs.pull<20 x 20 x i32>>
  %sums = obs.distribute block in grid (%tile = %tiles : !obs.pull<? x ? x !obs.pull<20 x 20 x i32>>) {
    %halo = obs.force %tile in shared : !obs.pull<20 x 20 x i32>
    %box = obs.generate (%i, %j) {
      %s = scf.for %u = %c0 to %c5 step %c1 iter_args(%outer = %zero) -> i32 {
        %row = scf.for %v = %c0 to %c5 step %c1 iter_args(%sum = %outer) -> i32 {
          %y = arith.addi %i, %u : index
          %x = arith.addi %j, %v : index
          %p1 = obs.get %halo[%y, %x] : !obs.pull<20 x 20 x i32>
          %q = obs.get %weights[%u, %v] : !image
          %m = arith.muli %p1, %q : i32
          %next = arith.addi %sum, %m : i32
          scf.yield %next : i32
        }
        scf.yield %row : i32
      }
      obs.yield %s : i32
    } : !tile
    %q = obs.push block %box : !tile
    obs.yield %q : !obs.push<block, 16 x 16 x i32>
  }
  %flat = obs.join %sums to [%h, %w] : !done
  %r = obs.force %flat {kernel = "convolution_tiled5", threads = 256} : !out
  return %r : !image
}

// The entries.

func.func @clamp_direct(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @clamp(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @direct(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @clamp_tiled3(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @clamp(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled3(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @clamp_tiled5(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @clamp(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled5(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @mirror_direct(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @mirror(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @direct(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @mirror_tiled3(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @mirror(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled3(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @mirror_tiled5(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @mirror(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled5(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @wrap_direct(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @wrap(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @direct(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @wrap_tiled3(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @wrap(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled3(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @wrap_tiled5(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @wrap(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled5(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @constant_direct(%a: !image, %weights: !image, %k: i32) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @constant(%a, %k, %radius, %bh, %bw) : (!image, i32, index, index, index) -> !image
  %r = func.call @direct(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @constant_tiled3(%a: !image, %weights: !image, %k: i32) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @constant(%a, %k, %radius, %bh, %bw) : (!image, i32, index, index, index) -> !image
  %r = func.call @tiled3(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @constant_tiled5(%a: !image, %weights: !image, %k: i32) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @constant(%a, %k, %radius, %bh, %bw) : (!image, i32, index, index, index) -> !image
  %r = func.call @tiled5(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @function_direct(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @function(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @direct(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @function_tiled3(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @function(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled3(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}

func.func @function_tiled5(%a: !image, %weights: !image) -> !image {
  %c1 = arith.constant 1 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %radius = arith.shrui %kh, %c1 : index
  %bh = func.call @extent(%h, %kh) : (index, index) -> index
  %bw = func.call @extent(%w, %kw) : (index, index) -> index
  %b = func.call @function(%a, %radius, %bh, %bw) : (!image, index, index, index) -> !image
  %r = func.call @tiled5(%b, %weights, %h, %w) : (!image, !image, index, index) -> !image
  return %r : !image
}
