// Programs with control flow over arrays at several levels: the emulator, at
// launch shapes that do and do not fit, gives what the interpreter gives.
//
// RUN: obs-run %s --entry=while --device=interpret iota:16xi32 --out=%t.want
// RUN: obs-run %s --entry=while --device=emulate --threads=17 iota:16xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=while --device=emulate --threads=96 --blocks=2 iota:16xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=while --device=emulate --threads=1024 --blocks=100 iota:16xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=while --device=emulate --threads=1 --schedule=random --seed=3 iota:16xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=ifs --device=interpret iota:50xi32 --out=%t.want
// RUN: obs-run %s --entry=ifs --device=emulate --threads=17 iota:50xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=ifs --device=emulate --threads=96 --blocks=2 iota:50xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=ifs --device=emulate --threads=1024 --blocks=100 iota:50xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=ifs --device=emulate --threads=1 --schedule=random --seed=3 iota:50xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=all --device=interpret iota:300xi32 --out=%t.want
// RUN: obs-run %s --entry=all --device=emulate --threads=17 iota:300xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=all --device=emulate --threads=96 --blocks=2 iota:300xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=all --device=emulate --threads=1024 --blocks=100 iota:300xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=all --device=emulate --threads=1 --schedule=random --seed=3 iota:300xi32 --out=%t.got
// RUN: cmp %t.got %t.want
// RUN: obs-run %s --entry=warploop --device=interpret iota:200xi32 --out=%t.want --out=%t.wantf
// RUN: obs-run %s --entry=warploop --device=emulate --threads=17 iota:200xi32 --out=%t.got --out=%t.gotf
// RUN: cmp %t.got %t.want
// RUN: cmp %t.gotf %t.wantf
// RUN: obs-run %s --entry=warploop --device=emulate --threads=96 --blocks=2 iota:200xi32 --out=%t.got --out=%t.gotf
// RUN: cmp %t.got %t.want
// RUN: cmp %t.gotf %t.wantf
// RUN: obs-run %s --entry=warploop --device=emulate --threads=1024 --blocks=100 iota:200xi32 --out=%t.got --out=%t.gotf
// RUN: cmp %t.got %t.want
// RUN: cmp %t.gotf %t.wantf
// RUN: obs-run %s --entry=while --device=emulate iota:16xi32 | FileCheck %s --check-prefix=WHILE
// RUN: obs-run %s --entry=ifs --device=emulate --threads=17 iota:16xi32 | FileCheck %s --check-prefix=IFS

// The first element and the number of iterations n add up to 0 + 0, then 15 - 1 + 1:
// one iteration, reversed and less one.
// WHILE: {{^}}[14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1]{{$}}
// Three iterations add one, two reverse: i + 3.
// IFS: {{^}}[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]{{$}}

// scf.while at block level carrying an array, condition from a uniform read
func.func @while(%a: !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
  %w = obs.split %a by [16] : !obs.pull<16 x i32> -> !obs.pull<1 x !obs.pull<16 x i32>>
  %d = obs.distribute block (%c = %w : !obs.pull<1 x !obs.pull<16 x i32>>) -> !obs.push<grid, 1 x 16 x i32> {
    %c0 = arith.constant 0 : index
    %lim = arith.constant 5 : i32
    %one = arith.constant 1 : i32
    %z = arith.constant 0 : i32
    %r, %n = scf.while (%x = %c, %k = %z) : (!obs.pull<16 x i32>, i32) -> (!obs.pull<16 x i32>, i32) {
      %v = obs.get %x[%c0] : !obs.pull<16 x i32>
      %s = arith.addi %v, %k : i32
      %go = arith.cmpi slt, %s, %lim : i32
      scf.condition(%go) %x, %k : !obs.pull<16 x i32>, i32
    } do {
    ^bb0(%x: !obs.pull<16 x i32>, %k: i32):
      %rev = obs.reverse %x : !obs.pull<16 x i32>
      %m = obs.map (%e = %rev : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
        %y = arith.subi %e, %one : i32
        obs.yield %y : i32
      }
      %p = obs.push %m : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
      %f = obs.force %p : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
      %k1 = arith.addi %k, %one : i32
      scf.yield %f, %k1 : !obs.pull<16 x i32>, i32
    }
    %q = obs.push %r : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %j = obs.join %d : !obs.push<grid, 1 x 16 x i32> -> !obs.push<grid, 16 x i32>
  %f = obs.force %j : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %f : !obs.pull<16 x i32>
}
// scf.if with forces in its arms at block level, inside a loop
func.func @ifs(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %w = obs.split %a by [16] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %d = obs.distribute block (%c = %w : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %c) -> !obs.pull<16 x i32> {
      %par = arith.remui %i, %c2 : index
      %odd = arith.cmpi eq, %par, %c1 : index
      %y = scf.if %odd -> !obs.pull<16 x i32> {
        %rev = obs.reverse %x : !obs.pull<16 x i32>
        %p = obs.push %rev : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
        %f = obs.force %p : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
        scf.yield %f : !obs.pull<16 x i32>
      } else {
        %m = obs.map (%e = %x : !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
          %one = arith.constant 1 : i32
          %u = arith.addi %e, %one : i32
          obs.yield %u : i32
        }
        scf.yield %m : !obs.pull<16 x i32>
      }
      scf.yield %y : !obs.pull<16 x i32>
    }
    %q = obs.push %r : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %j : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
// warps carrying arrays in a loop; pairs of element types; same level in a warp
func.func @warploop(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x f32>) {
  %z = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %w = obs.split %a by [64] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<64 x i32>>
  %d = obs.distribute warp (%c = %w : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x 64 x i32, f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %fl = obs.map (%e = %c : !obs.pull<64 x i32>) -> !obs.pull<64 x i32, f32> {
      %y = arith.sitofp %e : i32 to f32
      obs.yield %e, %y : i32, f32
    }
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %fl) -> !obs.pull<64 x i32, f32> {
      %h = obs.split %x by [16] : !obs.pull<64 x i32, f32> -> !obs.pull<4 x !obs.pull<16 x i32, f32>>
      %t = obs.distribute warp (%s = %h : !obs.pull<4 x !obs.pull<16 x i32, f32>>) -> !obs.push<warp, 4 x 16 x i32, f32> {
        %v = obs.reverse %s : !obs.pull<16 x i32, f32>
        %p = obs.push %v : !obs.pull<16 x i32, f32> -> !obs.push<warp, 16 x i32, f32>
        %f = obs.force %p : !obs.push<warp, 16 x i32, f32> -> !obs.pull<16 x i32, f32>
        %m = obs.map (%e, %g = %f : !obs.pull<16 x i32, f32>) -> !obs.pull<16 x i32, f32> {
          %u = arith.addi %e, %e : i32
          %k = arith.addf %g, %g : f32
          obs.yield %u, %k : i32, f32
        }
        %o = obs.push %m : !obs.pull<16 x i32, f32> -> !obs.push<warp, 16 x i32, f32>
        obs.yield %o : !obs.push<warp, 16 x i32, f32>
      }
      %j = obs.join %t strided : !obs.push<warp, 4 x 16 x i32, f32> -> !obs.push<warp, 64 x i32, f32>
      %f = obs.force %j : !obs.push<warp, 64 x i32, f32> -> !obs.pull<64 x i32, f32>
      scf.yield %f : !obs.pull<64 x i32, f32>
    }
    %q = obs.push %r : !obs.pull<64 x i32, f32> -> !obs.push<warp, 64 x i32, f32>
    obs.yield %q : !obs.push<warp, 64 x i32, f32>
  }
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 64 x i32, f32> -> !obs.push<grid, ? x i32, f32>
  %f = obs.force %j : !obs.push<grid, ? x i32, f32> -> !obs.pull<? x i32, f32>
  %x, %y = obs.unzip %f : !obs.pull<? x i32, f32>
  return %x, %y : !obs.pull<? x i32>, !obs.pull<? x f32>
}
// all levels nested: grid over block over warp over thread, forces at each
func.func @all(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %w = obs.split %a by [128] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<128 x i32>>
  %d = obs.distribute block (%c = %w : !obs.pull<? x !obs.pull<128 x i32>>) -> !obs.push<grid, ? x 128 x i32> {
    %wc = obs.split %c by [32] : !obs.pull<128 x i32> -> !obs.pull<4 x !obs.pull<32 x i32>>
    %dw = obs.distribute warp (%cw = %wc : !obs.pull<4 x !obs.pull<32 x i32>>) -> !obs.push<block, 4 x 32 x i32> {
      %tc = obs.split %cw strided by [4] : !obs.pull<32 x i32> -> !obs.pull<8 x !obs.pull<4 x i32>>
      %dt = obs.distribute thread (%ct = %tc : !obs.pull<8 x !obs.pull<4 x i32>>) -> !obs.push<warp, 8 x 4 x i32> {
        %v = obs.reverse %ct : !obs.pull<4 x i32>
        %p = obs.push %v : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
        %f = obs.force %p : !obs.push<thread, 4 x i32> -> !obs.pull<4 x i32>
        %v2 = obs.reverse %f : !obs.pull<4 x i32>
        %s = obs.map (%x = %f : !obs.pull<4 x i32>, %y = %v2 : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
          %u = arith.subi %x, %y : i32
          obs.yield %u : i32
        }
        %q = obs.push %s : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
        obs.yield %q : !obs.push<thread, 4 x i32>
      }
      %jt = obs.join %dt : !obs.push<warp, 8 x 4 x i32> -> !obs.push<warp, 32 x i32>
      %ft = obs.force %jt : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
      %rt = obs.reverse %ft : !obs.pull<32 x i32>
      %qt = obs.push %rt : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
      obs.yield %qt : !obs.push<warp, 32 x i32>
    }
    %jw = obs.join %dw : !obs.push<block, 4 x 32 x i32> -> !obs.push<block, 128 x i32>
    %fw = obs.force %jw : !obs.push<block, 128 x i32> -> !obs.pull<128 x i32>
    %rw = obs.reverse %fw : !obs.pull<128 x i32>
    %qw = obs.push %rw : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %qw : !obs.push<block, 128 x i32>
  }
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 128 x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %j : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
