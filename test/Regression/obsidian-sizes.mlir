// RUN: obs-run %s --entry=strided --device=interpret iota:10xi32 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --entry=strided --device=emulate iota:10xi32 | FileCheck %s --check-prefix=STRIDED
// RUN: obs-run %s --entry=bounded --device=interpret iota:7xi32 | FileCheck %s --check-prefix=BOUNDED
// RUN: obs-run %s --entry=bounded --device=emulate iota:7xi32 | FileCheck %s --check-prefix=BOUNDED
// RUN: obs-run %s --entry=bounded --device=interpret iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=bounded --device=emulate iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=odd --device=interpret | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=odd --device=emulate | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=odd --device=emulate --threads=32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=into --device=interpret iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=INTO
// RUN: obs-run %s --entry=into --device=emulate iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=INTO
// RUN: not obs-run %s --entry=into --device=interpret iota:5xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not obs-run %s --entry=into --device=emulate iota:5xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not obs-run %s --entry=put --device=interpret 3 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: not obs-run %s --entry=put --device=emulate 3 2>&1 | FileCheck %s --check-prefix=BOUNDS

// Extents that the first implementation got wrong: defects e, f, k and l of
// docs/FromObsidian.md.

!v = !obs.pull<? x i32>
!out = !obs.push<grid, ? x i32>

// e: writeTo compared the lengths in the wrong order.
// INTO: {{^}}[0, 1, 2, 3]{{$}}
// LONG: error: [R4-extents]
func.func @into(%a: !v, %m: memref<?xi32>) -> !v {
  %p = obs.push %a : !v -> !out
  %r = obs.force %p into %m : !out into memref<?xi32> -> !v
  return %r : !v
}

// e: and what is put at an offset may not stick out.
// PUT: error: writes index [6], outside of the extents [6]
// BOUNDS: error: assertion-failed: [R4-extents]
func.func @put(%offset: index) -> !obs.pull<6 x i32> {
  %zero = arith.constant 0 : i32
  %a = obs.iota : !obs.pull<4 x i32>
  %p = obs.push %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %q = obs.fill init %zero {
    obs.put %p at [%offset] : !obs.push<grid, 4 x i32>
  } : !obs.push<grid, 6 x i32>
  %r = obs.force %q : !obs.push<grid, 6 x i32> -> !obs.pull<6 x i32>
  return %r : !obs.pull<6 x i32>
}

// f: pUnCoalesce wrote out of range. Ten elements as 3 chunks of 4, two of which
// are padding: chunk i has i, i + 3, i + 6, i + 9; reversed, then joined.
// STRIDED: {{^}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]{{$}}
// STRIDED-NEXT: {{^}}[9, -1, -1, 6, 7, 8, 3, 4, 5, 0]{{$}}
func.func @strided(%a: !v) -> (!v, !v) {
  %pad = arith.constant -1 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a strided by [4] pad %pad : !v -> !obs.pull<? x !obs.pull<4 x i32>>
  %same, %turned = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) -> (!obs.push<grid, ? x 4 x i32>, !obs.push<grid, ? x 4 x i32>) {
    %p = obs.push %c : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    %back = obs.reverse %p : !obs.push<block, 4 x i32>
    obs.yield %p, %back : !obs.push<block, 4 x i32>, !obs.push<block, 4 x i32>
  }
  %x = obs.join %same strided to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %y = obs.join %turned strided to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r:2 = obs.force %x, %y : !out, !out -> (!v, !v)
  return %r#0, %r#1 : !v, !v
}

// k: loops of a length known at run time crashed the compiler at levels warp and
// block. Each of two warps reverses the live part of its half of a block's array.
// BOUNDED: {{^}}[3, 2, 1, 0, 6, 5, 4]{{$}}
// EMPTY: {{^}}[]{{$}}
func.func @bounded(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %up = arith.addi %n, %c1 : index
  %half = arith.shrui %up, %c1 : index
  %rest = arith.subi %n, %half : index
  %one = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32 bound [1, 64]> {
    %c0 = arith.constant 0 : index
    %all = obs.take %a [%n] : !v -> !obs.pull<? x i32 bound [64]>
    %p = obs.push %all : !obs.pull<? x i32 bound [64]> -> !obs.push<block, ? x i32 bound [64]>
    %s = obs.force %p : !obs.push<block, ? x i32 bound [64]> -> !obs.pull<? x i32 bound [64]>
    %q = obs.fill [%n] {
      %two = obs.iota : !obs.pull<2 x index>
      %warps = obs.distribute warp (%w = %two : !obs.pull<2 x index>) -> !obs.push<block, 2 x ? x i32 bound [2, 32]> {
        %first = arith.cmpi eq, %w, %c0 : index
        %m = arith.select %first, %half, %rest : index
        %o = arith.select %first, %c0, %half : index
        %x = obs.slice %s [%o] [%m] [1] : !obs.pull<? x i32 bound [64]> -> !obs.pull<? x i32 bound [32]>
        %g = obs.push %x : !obs.pull<? x i32 bound [32]> -> !obs.push<warp, ? x i32 bound [32]>
        %t = obs.force %g : !obs.push<warp, ? x i32 bound [32]> -> !obs.pull<? x i32 bound [32]>
        %back = obs.reverse %t : !obs.pull<? x i32 bound [32]>
        // Both warps yield the longer extent; the element that one lacks is dropped.
        %last = obs.splat %zero [%c1] : !obs.pull<? x i32 bound [32]>
        %long = obs.concat %back, %last : !obs.pull<? x i32 bound [32]>, !obs.pull<? x i32 bound [32]> -> !obs.pull<? x i32 bound [64]>
        %y = obs.take %long [%half] : !obs.pull<? x i32 bound [64]> -> !obs.pull<? x i32 bound [32]>
        %h = obs.push %y : !obs.pull<? x i32 bound [32]> -> !obs.push<warp, ? x i32 bound [32]>
        obs.yield %h : !obs.push<warp, ? x i32 bound [32]>
      }
      %flat = obs.join %warps to [%n] : !obs.push<block, 2 x ? x i32 bound [2, 32]> -> !obs.push<block, ? x i32 bound [64]>
      obs.put %flat at [%c0] : !obs.push<block, ? x i32 bound [64]>
    } : !obs.push<block, ? x i32 bound [64]>
    obs.yield %q : !obs.push<block, ? x i32 bound [64]>
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 64]> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// l: reductions by halves and by neighbours lost an element of every odd length, and
// red3 did not end for lengths that are no powers of two. 1 + ... + 7, 100 and 1.
// ODD: {{^}}[28, 5050, 1, 0]{{$}}
func.func @odd() -> !obs.pull<4 x i32> {
  %zero = arith.constant 0 : i32
  %lengths = obs.constant dense<[7, 100, 1, 0]> : tensor<4xindex>
  %parts = obs.distribute block (%n = %lengths : !obs.pull<4 x index>) -> !obs.push<grid, 4 x 1 x i32> {
    %a = obs.generate (%i) [%n] {
      %c1 = arith.constant 1 : index
      %j = arith.addi %i, %c1 : index
      %x = arith.index_cast %j : index to i32
      obs.yield %x : i32
    } : !obs.pull<? x i32 bound [128]>
    %s = obs.reduce (%x, %y) = %a init %zero {commutative, strategy = "halving_tree"} : !obs.pull<? x i32 bound [128]> -> i32 {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 4 x 1 x i32> -> !obs.push<grid, 4 x i32>
  %r = obs.force %flat : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
