// Arrays of three dimensions have the same elements on the emulator, which executes tiles, as in the interpreter: with
// rows that are multiples of four or not, of one element, of two halves of different lengths, and without elements.
// RUN: obs-run %s random:3x5x8xi32:1 random:33x3xi32:2 > %t.1
// RUN: obs-run %s --device=emulate --threads=32 --blocks=2 random:3x5x8xi32:1 random:33x3xi32:2 | diff %t.1 -
// RUN: obs-run %s random:4x6x40xi32:3 random:300x3xi32:4 > %t.2
// RUN: obs-run %s --device=emulate --threads=32 random:4x6x40xi32:3 random:300x3xi32:4 | diff %t.2 -
// RUN: obs-run %s random:5x7x66xi32:5 random:256x3xi32:6 > %t.3
// RUN: obs-run %s --device=emulate --threads=32 --blocks=3 random:5x7x66xi32:5 random:256x3xi32:6 | diff %t.3 -
// RUN: obs-run %s random:9x3x1xi32:7 random:1x3xi32:8 > %t.4
// RUN: obs-run %s --device=emulate --threads=32 random:9x3x1xi32:7 random:1x3xi32:8 | diff %t.4 -
// RUN: obs-run %s random:6x0x8xi32:9 random:0x3xi32:10 > %t.5
// RUN: obs-run %s --device=emulate --threads=32 random:6x0x8xi32:9 random:0x3xi32:10 | diff %t.5 -
//
// There are 280 tiles of four rows, enough for tiles of a stencil.
// RUN: obs-run %s random:4x37x896xi32:11 random:8x3xi32:12 --out=%t.a --out=%t.b --out=%t.c --out=%t.d
// RUN: obs-run %s --device=emulate --threads=32 random:4x37x896xi32:11 random:8x3xi32:12 --out=%t.e --out=%t.f --out=%t.g --out=%t.h
// RUN: cmp %t.a %t.e
// RUN: cmp %t.b %t.f
// RUN: cmp %t.c %t.g
// RUN: cmp %t.d %t.h
func.func @main(%a: !obs.pull<? x ? x ? x i32>, %s: !obs.pull<? x 3 x i32>) -> (!obs.pull<? x ? x ? x i32>, !obs.pull<? x ? x ? x i32>, !obs.pull<? x ? x ? x i32>, !obs.pull<? x 3 x i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %d = obs.dim %a, 0 : !obs.pull<? x ? x ? x i32>
  %h = obs.dim %a, 1 : !obs.pull<? x ? x ? x i32>
  %w = obs.dim %a, 2 : !obs.pull<? x ? x ? x i32>

  // The other half of the row.
  %half = arith.divui %w, %c2 : index
  %halves = obs.generate (%z, %y, %x) [%d, %h, %w] {
    %low = arith.cmpi ult, %x, %half : index
    %v = scf.if %low -> i32 {
      %o = arith.addi %x, %half : index
      %u = obs.get %a[%z, %y, %o] : !obs.pull<? x ? x ? x i32>
      scf.yield %u : i32
    } else {
      %o = arith.subi %x, %half : index
      %u = obs.get %a[%z, %y, %o] : !obs.pull<? x ? x ? x i32>
      %m = arith.subi %zero, %u : i32
      scf.yield %m : i32
    }
    obs.yield %v : i32
  } : !obs.pull<? x ? x ? x i32>
  %r0 = obs.force %halves : !obs.pull<? x ? x ? x i32>

  // The even element of each pair of columns.
  %pairs = obs.generate (%z, %y, %x) [%d, %h, %w] {
    %p = arith.divui %x, %c2 : index
    %e = arith.muli %p, %c2 : index
    %part = arith.remui %x, %c2 : index
    %k = arith.index_cast %part : index to i32
    %u = obs.get %a[%z, %y, %e] : !obs.pull<? x ? x ? x i32>
    %v = arith.addi %u, %k : i32
    obs.yield %v : i32
  } : !obs.pull<? x ? x ? x i32>
  %r1 = obs.force %pairs : !obs.pull<? x ? x ? x i32>

  %lastz = arith.subi %d, %c1 : index
  %lasty = arith.subi %h, %c1 : index
  %lastx = arith.subi %w, %c1 : index
  %stencil = obs.generate (%z, %y, %x) [%d, %h, %w] {
    %z1 = arith.addi %z, %c1 : index
    %z2 = arith.minsi %z1, %lastz : index
    %y1 = arith.subi %y, %c1 : index
    %y2 = arith.maxsi %y1, %c0 : index
    %y3 = arith.addi %y, %c1 : index
    %y4 = arith.minsi %y3, %lasty : index
    %x1 = arith.addi %x, %c1 : index
    %x2 = arith.minsi %x1, %lastx : index
    %u0 = obs.get %a[%z2, %y, %x] : !obs.pull<? x ? x ? x i32>
    %u1 = obs.get %a[%z, %y2, %x] : !obs.pull<? x ? x ? x i32>
    %u2 = obs.get %a[%z, %y4, %x] : !obs.pull<? x ? x ? x i32>
    %u3 = obs.get %a[%z, %y, %x2] : !obs.pull<? x ? x ? x i32>
    %s0 = arith.addi %u0, %u1 : i32
    %s1 = arith.subi %u2, %u3 : i32
    %v = arith.xori %s0, %s1 : i32
    obs.yield %v : i32
  } : !obs.pull<? x ? x ? x i32>
  %r2 = obs.force %stencil : !obs.pull<? x ? x ? x i32>

  // Structures of three numbers, turned around.
  %n = obs.dim %s, 0 : !obs.pull<? x 3 x i32>
  %turned = obs.fill [%n] {
    obs.par (%i) in (%n) {
      %u0 = obs.get %s[%i, %c0] : !obs.pull<? x 3 x i32>
      %u1 = obs.get %s[%i, %c1] : !obs.pull<? x 3 x i32>
      %u2 = obs.get %s[%i, %c2] : !obs.pull<? x 3 x i32>
      obs.write %u2 at [%i, %c0] : i32
      obs.write %u0 at [%i, %c1] : i32
      obs.write %u1 at [%i, %c2] : i32
    }
  } : !obs.push<grid, ? x 3 x i32>
  %r3 = obs.force %turned : !obs.push<grid, ? x 3 x i32>
  return %r0, %r1, %r2, %r3 : !obs.pull<? x ? x ? x i32>, !obs.pull<? x ? x ? x i32>, !obs.pull<? x ? x ? x i32>, !obs.pull<? x 3 x i32>
}
