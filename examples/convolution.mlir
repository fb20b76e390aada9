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
// any odd extents. @tiled forces the tile that 16 x 16 results need, so each pixel is
// loaded about once. Each entry combines a rule and a convolution.
//
// GPU: one kernel. In the tiled form, each block processes a tile of 20 x 20 pixels in
// shared memory. There is a barrier before the sums.
//
// Run: obs-run examples/convolution.mlir --entry=clamp_direct iota:4x5xi32 iota:3x3xi32
//      obs-run examples/convolution.mlir --entry=mirror_tiled --device=emulate --report iota:33x50xi32 iota:5x5xi32
//      obs-run examples/convolution.mlir --entry=wrap_tiled --device=emulate --report iota:33x50xi32 iota:3x3xi32
//      obs-run examples/convolution.mlir --entry=constant_tiled iota:4x5xi32 iota:3x3xi32 7
//      obs-run examples/convolution.mlir --entry=function_tiled iota:4x5xi32 iota:5x5xi32

!image = !obs.pull<? x ? x i32>
!tile = !obs.pull<20 x 20 x i32>

// The extent of an image with its border, for weights of extent %k. Without the border,
// it is a multiple of 16. A tile has a border of 4 in any case. @direct and the tiles
// read only elements in this extent. An empty image has no border.
func.func private @extent(%n: index, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %rest = arith.subi %k, %c1 : index
  %border = arith.maxsi %rest, %c4 : index
  %chunks = arith.ceildivui %n, %c16 : index
  %inner = arith.muli %chunks, %c16 : index
  %sum = arith.addi %inner, %border : index
  %is_empty = arith.cmpi eq, %n, %c0 : index
  %r = arith.select %is_empty, %c0, %sum : index
  return %r : index
}

// The extents of an image with its border, and the radius of the weights.
func.func private @extents(%a: !image, %weights: !image) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !image
  %m = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %h = func.call @extent(%n, %kh) : (index, index) -> index
  %w = func.call @extent(%m, %kw) : (index, index) -> index
  %r = arith.shrui %kh, %c1 : index
  return %h, %w, %r : index, index, index
}

// Functions from an index to another one, from 0 to %n - 1.

func.func private @nearest(%i: index, %n: index) -> index attributes {obs.level = #obs.level<thread>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  %above = arith.maxsi %i, %c0 : index
  %r = arith.minsi %above, %last : index
  return %r : index
}

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

// The rules. Element (i, j) of the result is element (i - %r, j - %r) of %a, or past the
// border the value that the rule defines.

func.func private @clamp(%a: !image, %weights: !image) -> !image {
  %n = obs.dim %a, 0 : !image
  %m = obs.dim %a, 1 : !image
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i = func.call @nearest(%i0, %n) : (index, index) -> index
    %j = func.call @nearest(%j0, %m) : (index, index) -> index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @mirror(%a: !image, %weights: !image) -> !image {
  %n = obs.dim %a, 0 : !image
  %m = obs.dim %a, 1 : !image
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i = func.call @reflect(%i0, %n) : (index, index) -> index
    %j = func.call @reflect(%j0, %m) : (index, index) -> index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @wrap(%a: !image, %weights: !image) -> !image {
  %n = obs.dim %a, 0 : !image
  %m = obs.dim %a, 1 : !image
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %b = obs.generate (%y, %x) [%h, %w] {
    %i0 = arith.subi %y, %r : index
    %j0 = arith.subi %x, %r : index
    %i = func.call @modulo(%i0, %n) : (index, index) -> index
    %j = func.call @modulo(%j0, %m) : (index, index) -> index
    %v = obs.get %a[%i, %j] : !image
    obs.yield %v : i32
  } : !image
  return %b : !image
}

// Past the border, the value is that of %past, which has the extents of the result.
func.func private @past(%a: !image, %weights: !image, %past: !image) -> !image {
  %n = obs.dim %a, 0 : !image
  %m = obs.dim %a, 1 : !image
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %b = obs.generate (%y, %x) [%h, %w] {
    // As an unsigned number, an index below 0 is larger than each extent.
    %i = arith.subi %y, %r : index
    %j = arith.subi %x, %r : index
    %i_in = arith.cmpi ult, %i, %n : index
    %j_in = arith.cmpi ult, %j, %m : index
    %both = arith.andi %i_in, %j_in : i1
    %v = scf.if %both -> i32 {
      %p = obs.get %a[%i, %j] : !image
      scf.yield %p : i32
    } else {
      %p = obs.get %past[%y, %x] : !image
      scf.yield %p : i32
    }
    obs.yield %v : i32
  } : !image
  return %b : !image
}

func.func private @constant(%a: !image, %weights: !image, %k: i32) -> !image {
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %past = obs.splat %k [%h, %w] : !image
  %b = func.call @past(%a, %weights, %past) : (!image, !image, !image) -> !image
  return %b : !image
}

func.func private @function(%a: !image, %weights: !image) -> !image {
  %c100 = arith.constant 100 : index
  %h, %w, %r = func.call @extents(%a, %weights) : (!image, !image) -> (index, index, index)
  %past = obs.generate (%y, %x) [%h, %w] {
    %i = arith.subi %y, %r : index
    %j = arith.subi %x, %r : index
    %row = arith.muli %i, %c100 : index
    %f = arith.addi %row, %j : index
    %v = arith.index_cast %f : index to i32
    obs.yield %v : i32
  } : !image
  %b = func.call @past(%a, %weights, %past) : (!image, !image, !image) -> !image
  return %b : !image
}

// The convolutions. %b is the image %a with its border.

// The sum at (%i, %j).
func.func private @sum(%b: !image, %weights: !image, %i: index, %j: index) -> i32 attributes {obs.level = #obs.level<thread>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
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
  return %s : i32
}

func.func private @direct(%a: !image, %b: !image, %weights: !image) -> !image {
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %sums = obs.generate (%i, %j) [%h, %w] {
    %s = func.call @sum(%b, %weights, %i, %j) : (!image, !image, index, index) -> i32
    obs.yield %s : i32
  } : !image
  %r = obs.force %sums {kernel = "convolution"} : !image
  return %r : !image
}

// Each block forces the tile that 16 x 16 results need. The weights have at most 5 x 5
// elements.
func.func private @tiled(%a: !image, %b: !image, %weights: !image) -> !image {
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %kh = obs.dim %weights, 0 : !image
  %kw = obs.dim %weights, 1 : !image
  %k = arith.maxsi %kh, %kw : index
  %few = arith.cmpi sle, %k, %c5 : index
  obs.assert %few, "there are at most 5 x 5 weights"
  %th = arith.ceildivui %h, %c16 : index
  %tw = arith.ceildivui %w, %c16 : index
  %corners = obs.generate (%ti, %tj) [%th, %tw] {
    %i0 = arith.muli %ti, %c16 : index
    %j0 = arith.muli %tj, %c16 : index
    obs.yield %i0, %j0 : index, index
  } : !obs.pull<? x ? x index, index>
  %sums = obs.distribute block in grid (%i0, %j0 = %corners : !obs.pull<? x ? x index, index>) {
    %tile = obs.slice %b [%i0, %j0] [20, 20] [1, 1] : !image
    %halo = obs.force %tile in shared : !tile
    // The same elements as an array of any extents, as @sum has it.
    %all = obs.slice %halo [0, 0] [20, 20] [1, 1] : !tile -> !image
    %box = obs.generate (%i, %j) {
      %s = func.call @sum(%all, %weights, %i, %j) : (!image, !image, index, index) -> i32
      obs.yield %s : i32
    } : !obs.pull<16 x 16 x i32>
    %q = obs.push block %box : !obs.pull<16 x 16 x i32>
    obs.yield %q : !obs.push<block, 16 x 16 x i32>
  }
  %flat = obs.join %sums to [%h, %w] : !obs.push<grid, ? x ? x 16 x 16 x i32>
  %r = obs.force %flat {kernel = "convolution_tiled"} : !obs.push<grid, ? x ? x i32>
  return %r : !image
}

// The entries.

func.func @clamp_direct(%a: !image, %weights: !image) -> !image {
  %b = func.call @clamp(%a, %weights) : (!image, !image) -> !image
  %r = func.call @direct(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @clamp_tiled(%a: !image, %weights: !image) -> !image {
  %b = func.call @clamp(%a, %weights) : (!image, !image) -> !image
  %r = func.call @tiled(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @mirror_direct(%a: !image, %weights: !image) -> !image {
  %b = func.call @mirror(%a, %weights) : (!image, !image) -> !image
  %r = func.call @direct(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @mirror_tiled(%a: !image, %weights: !image) -> !image {
  %b = func.call @mirror(%a, %weights) : (!image, !image) -> !image
  %r = func.call @tiled(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @wrap_direct(%a: !image, %weights: !image) -> !image {
  %b = func.call @wrap(%a, %weights) : (!image, !image) -> !image
  %r = func.call @direct(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @wrap_tiled(%a: !image, %weights: !image) -> !image {
  %b = func.call @wrap(%a, %weights) : (!image, !image) -> !image
  %r = func.call @tiled(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @constant_direct(%a: !image, %weights: !image, %k: i32) -> !image {
  %b = func.call @constant(%a, %weights, %k) : (!image, !image, i32) -> !image
  %r = func.call @direct(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @constant_tiled(%a: !image, %weights: !image, %k: i32) -> !image {
  %b = func.call @constant(%a, %weights, %k) : (!image, !image, i32) -> !image
  %r = func.call @tiled(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @function_direct(%a: !image, %weights: !image) -> !image {
  %b = func.call @function(%a, %weights) : (!image, !image) -> !image
  %r = func.call @direct(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}

func.func @function_tiled(%a: !image, %weights: !image) -> !image {
  %b = func.call @function(%a, %weights) : (!image, !image) -> !image
  %r = func.call @tiled(%a, %b, %weights) : (!image, !image, !image) -> !image
  return %r : !image
}
