// Indices in the PTX of whole programs: 64 bits where an array needs them, 32 where they are enough.
// RUN: obs-translate --no-tiles --obs-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --check-prefix=LONG --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=ANY --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=QUOTIENT --input-file=%t.ptx

// More elements than 32 bits count.
// LONG-LABEL: .entry long(
// LONG: [[FIRST:%rd[0-9]+]], 8589934591;
// LONG: ld.global.b8
// LONG: setp.lt.u64 {{.*}}, 8589934592;
// LONG: ret;
func.func @long(%a: !obs.pull<8589934592 x i8>) -> !obs.pull<8589934592 x i8> {
  %r = obs.reverse %a : !obs.pull<8589934592 x i8>
  %p = obs.push %r : !obs.pull<8589934592 x i8> -> !obs.push<grid, 8589934592 x i8>
  %f = obs.force %p {kernel = "long"} : !obs.push<grid, 8589934592 x i8> -> !obs.pull<8589934592 x i8>
  return %f : !obs.pull<8589934592 x i8>
}

// As many elements as there are.
// ANY-LABEL: .entry any(
// ANY: ld.param.b64 [[N:%rd[0-9]+]], [any_param_1];
// ANY: mul.wide.u32 {{.*}}, 256;
// ANY: setp.ge.s64 {{.*}}, [[N]];
// ANY: setp.lt.s64 {{.*}}, [[N]];
// ANY: ret;
func.func @any(%a: !obs.pull<? x i8>) -> !obs.pull<? x i8> {
  %r = obs.reverse %a : !obs.pull<? x i8>
  %p = obs.push %r : !obs.pull<? x i8> -> !obs.push<grid, ? x i8>
  %f = obs.force %p {kernel = "any"} : !obs.push<grid, ? x i8> -> !obs.pull<? x i8>
  return %f : !obs.pull<? x i8>
}

// Tiles of a matrix of known size: their numbers and all that is computed from them.
// TILES-LABEL: .entry tiles(
// TILES-NOT: {{(div|rem|mul.lo|mul.hi|setp.*)\.[us]64}}
// TILES: bar.sync
// TILES-NOT: {{(div|rem|mul.lo|mul.hi|setp.*)\.[us]64}}
// TILES: ret;
func.func @tiles(%a: !obs.pull<1000 x 990 x i32>) -> !obs.pull<990 x 1000 x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.split %a by [32, 32] pad %zero : !obs.pull<1000 x 990 x i32> -> !obs.pull<32 x 31 x !obs.pull<32 x 32 x i32>>
  %tiles = obs.transpose %rows [1, 0] : !obs.pull<32 x 31 x !obs.pull<32 x 32 x i32>>
  %done = obs.distribute block (%tile = %tiles : !obs.pull<31 x 32 x !obs.pull<32 x 32 x i32>>) -> !obs.push<grid, 31 x 32 x 32 x 32 x i32> {
    %p = obs.push %tile : !obs.pull<32 x 32 x i32> -> !obs.push<block, 32 x 32 x i32>
    %f = obs.force %p in shared : !obs.push<block, 32 x 32 x i32> -> !obs.pull<32 x 32 x i32>
    %t = obs.transpose %f [1, 0] : !obs.pull<32 x 32 x i32>
    %q = obs.push %t : !obs.pull<32 x 32 x i32> -> !obs.push<block, 32 x 32 x i32>
    obs.yield %q : !obs.push<block, 32 x 32 x i32>
  }
  %h = arith.constant 990 : index
  %w = arith.constant 1000 : index
  %flat = obs.join %done to [%h, %w] : !obs.push<grid, 31 x 32 x 32 x 32 x i32> -> !obs.push<grid, 990 x 1000 x i32>
  %r = obs.force %flat {kernel = "tiles", threads = 256 : i64} : !obs.push<grid, 990 x 1000 x i32> -> !obs.pull<990 x 1000 x i32>
  return %r : !obs.pull<990 x 1000 x i32>
}

// A quotient by a number that only the launch knows, but that is at most 100000.
// QUOTIENT-LABEL: .entry quotient(
// QUOTIENT-NOT: {{(div|rem)\.[us]64}}
// QUOTIENT: {{(div|rem)\.u32}}
// QUOTIENT-NOT: {{(div|rem)\.[us]64}}
// QUOTIENT: ret;
func.func @quotient(%a: !obs.pull<? x 256 x i32>, %k: index) -> !obs.pull<? x 256 x i32> {
  %one = arith.constant 1 : index
  %most = arith.constant 100000 : index
  %some = arith.maxui %k, %one : index
  %bounded = arith.minui %some, %most : index
  %n = obs.dim %a, 0 : !obs.pull<? x 256 x i32>
  %rows = obs.split %a by [1, 256] : !obs.pull<? x 256 x i32> -> !obs.pull<? x 1 x !obs.pull<1 x 256 x i32>>
  %done = obs.distribute block (%row = %rows : !obs.pull<? x 1 x !obs.pull<1 x 256 x i32>>) -> !obs.push<grid, ? x 1 x 1 x 256 x i32> {
    %g = obs.reindex (%i, %j) = %row {
      %m = arith.remui %j, %bounded : index
      obs.yield %i, %m : index, index
    } : !obs.pull<1 x 256 x i32> -> !obs.pull<1 x 256 x i32>
    %p = obs.push %g : !obs.pull<1 x 256 x i32> -> !obs.push<block, 1 x 256 x i32>
    obs.yield %p : !obs.push<block, 1 x 256 x i32>
  }
  %c256 = arith.constant 256 : index
  %flat = obs.join %done to [%n, %c256] : !obs.push<grid, ? x 1 x 1 x 256 x i32> -> !obs.push<grid, ? x 256 x i32>
  %r = obs.force %flat {kernel = "quotient", threads = 256 : i64} : !obs.push<grid, ? x 256 x i32> -> !obs.pull<? x 256 x i32>
  return %r : !obs.pull<? x 256 x i32>
}
