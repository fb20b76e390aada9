// Guards of indices at the borders of arrays: away from them, a group of neighbours is tested once. Results are those of
// the interpreter, for sizes around groups, warps and tiles, and for rows whose lengths are a multiple of four, and are not.

// DEFINE: %{line} = random:1xi32:1 random:31xi32:3 random:33xi32:4 random:100xi32:5 random:257xi32:6 random:1000xi32:7 random:1024xi32:9 random:1025xi32:10 random:4099xi32:12
// RUN: obs-run %s --entry=line %{line} > %t.line
// RUN: obs-run %s --entry=line --device=emulate --check=all %{line} | diff %t.line -
// RUN: obs-run %s --entry=line --device=emulate --check=all --threads=17 --blocks=3 %{line} | diff %t.line -
// RUN: obs-run %s --entry=line --device=emulate --check=all --threads=32 --schedule=random --seed=3 %{line} | diff %t.line -
// RUN: obs-run %s --entry=line --device=emulate --check=all --threads=96 --blocks=1 %{line} | diff %t.line -
// RUN: obs-run %s --entry=line --device=emulate --threads=1024 %{line} | diff %t.line -
// RUN: obs-run %s --entry=line --device=emulate --no-tiles %{line} | diff %t.line -

// DEFINE: %{images} = random:1x1xi32:1 random:1x4xi32:2 random:2x4xi32:2 random:31x33xi32:3 random:33x32xi32:4 random:1x1028xi32:5 random:1000x4xi32:6 random:7x1024xi32:7 random:64x12xi32:8
// RUN: obs-run %s --entry=images %{images} > %t.images
// RUN: obs-run %s --entry=images --device=emulate --check=all %{images} | diff %t.images -
// RUN: obs-run %s --entry=images --device=emulate --check=all --threads=17 --blocks=3 %{images} | diff %t.images -
// RUN: obs-run %s --entry=images --device=emulate --check=all --threads=32 --blocks=2 --schedule=random --seed=5 %{images} | diff %t.images -
// RUN: obs-run %s --entry=images --device=emulate --no-tiles %{images} | diff %t.images -

// An index that wraps around between two neighbours: the test of the group fails there.
// RUN: obs-run %s --entry=wrapped --threads=32 iota:1000xi32 9223372036854775805 > %t.wrapped
// RUN: obs-run %s --entry=wrapped --device=emulate --check=all --threads=32 iota:1000xi32 9223372036854775805 | diff %t.wrapped -
// RUN: FileCheck %s --check-prefix=WRAPPED < %t.wrapped
// WRAPPED: 999, 999, 999, 0, 0, 0

// RUN: obs-opt --obs-to-gpu --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-COUNT-3: is proved free of races
// RACES-NOT: error

// Away from the border, the three rows of neighbours are loaded once, by one access of 16 bytes and two of 4.
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// PTX: .entry image
// PTX-COUNT-4: ld.global.nc.v4
// PTX: .entry

!a = !obs.pull<? x i32>
!image = !obs.pull<? x ? x i32>

// The sum of both neighbours: the first and last element are their own, and beyond the last one is a constant.
func.func private @sum_line(%a: !a) -> !a {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %n = obs.dim %a, 0 : !a
  %r = obs.generate (%i) [%n] {
    %below = arith.subi %i, %c1 : index
    %left = arith.maxsi %below, %c0 : index
    %x = obs.get %a[%left] : !a
    %right = arith.addi %i, %c1 : index
    %is_in = arith.cmpi ult, %right, %n : index
    %y = scf.if %is_in -> i32 {
      %e = obs.get %a[%right] : !a
      scf.yield %e : i32
    } else {
      scf.yield %c7 : i32
    }
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  } : !a
  %f = obs.force %r {kernel = "line"} : !a
  return %f : !a
}

func.func @line(%a: !a, %b: !a, %c: !a, %d: !a, %e: !a, %f: !a, %g: !a, %h: !a, %i: !a) -> (!a, !a, !a, !a, !a, !a, !a, !a, !a) {
  %ra = func.call @sum_line(%a) : (!a) -> !a
  %rb = func.call @sum_line(%b) : (!a) -> !a
  %rc = func.call @sum_line(%c) : (!a) -> !a
  %rd = func.call @sum_line(%d) : (!a) -> !a
  %re = func.call @sum_line(%e) : (!a) -> !a
  %rf = func.call @sum_line(%f) : (!a) -> !a
  %rg = func.call @sum_line(%g) : (!a) -> !a
  %rh = func.call @sum_line(%h) : (!a) -> !a
  %ri = func.call @sum_line(%i) : (!a) -> !a
  return %ra, %rb, %rc, %rd, %re, %rf, %rg, %rh, %ri : !a, !a, !a, !a, !a, !a, !a, !a, !a
}

// A sum of 3 x 3 pixels. Rows are limited to the image; columns wrap around.
func.func private @sum_image(%a: !image) -> !image {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %h = obs.dim %a, 0 : !image
  %w = obs.dim %a, 1 : !image
  %last = arith.subi %h, %c1 : index
  %r = obs.generate (%i, %j) [%h, %w] {
    %s = scf.for %u = %c0 to %c3 step %c1 iter_args(%outer = %zero) -> i32 {
      %y0 = arith.addi %i, %u : index
      %y1 = arith.subi %y0, %c1 : index
      %y2 = arith.maxsi %y1, %c0 : index
      %y = arith.minsi %y2, %last : index
      %row = scf.for %v = %c0 to %c3 step %c1 iter_args(%sum = %outer) -> i32 {
        %x0 = arith.addi %j, %v : index
        %x1 = arith.subi %x0, %c1 : index
        %x2 = arith.remsi %x1, %w : index
        %is_below = arith.cmpi slt, %x2, %c0 : index
        %x3 = arith.addi %x2, %w : index
        %x = arith.select %is_below, %x3, %x2 : index
        %p = obs.get %a[%y, %x] : !image
        // Neighbours are no mirror images of each other.
        %t = arith.addi %sum, %sum : i32
        %next = arith.addi %t, %p : i32
        scf.yield %next : i32
      }
      scf.yield %row : i32
    }
    obs.yield %s : i32
  } : !image
  %f = obs.force %r {kernel = "image"} : !image
  return %f : !image
}

func.func @images(%a: !image, %b: !image, %c: !image, %d: !image, %e: !image, %f: !image, %g: !image, %h: !image, %i: !image) -> (!image, !image, !image, !image, !image, !image, !image, !image, !image) {
  %ra = func.call @sum_image(%a) : (!image) -> !image
  %rb = func.call @sum_image(%b) : (!image) -> !image
  %rc = func.call @sum_image(%c) : (!image) -> !image
  %rd = func.call @sum_image(%d) : (!image) -> !image
  %re = func.call @sum_image(%e) : (!image) -> !image
  %rf = func.call @sum_image(%f) : (!image) -> !image
  %rg = func.call @sum_image(%g) : (!image) -> !image
  %rh = func.call @sum_image(%h) : (!image) -> !image
  %ri = func.call @sum_image(%i) : (!image) -> !image
  return %ra, %rb, %rc, %rd, %re, %rf, %rg, %rh, %ri : !image, !image, !image, !image, !image, !image, !image, !image, !image
}

func.func @wrapped(%a: !a, %offset: index) -> !a {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !a
  %last = arith.subi %n, %c1 : index
  %r = obs.generate (%i) [%n] {
    %far = arith.addi %i, %offset : index
    %x = arith.maxsi %far, %c0 : index
    %y = arith.minsi %x, %last : index
    %v = obs.get %a[%y] : !a
    obs.yield %v : i32
  } : !a
  %f = obs.force %r {kernel = "wrapped"} : !a
  return %f : !a
}
