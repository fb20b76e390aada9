// plan.py executes a launch contract: halves, text, views, and arrays that no memory has room for.

// RUN: obs-translate --obs-to-launch-json %s -o %t.json
// DEFINE: %{plan} = %python %S/Inputs/run-plan.py %examples/interop/plan.py %t.json
// RUN: %{plan} half 5 2.5 | FileCheck %s --check-prefix=HALF
// RUN: %{plan} brain 5 2.5 | FileCheck %s --check-prefix=BRAIN
// RUN: %{plan} text 0.1 1e22 1 -3 0.1 | FileCheck %s --check-prefix=TEXT
// RUN: obs-run %s --entry=text --device=interpret -- 0.1 1e22 true -3 0.1 | FileCheck %s --check-prefix=TEXT
// RUN: %{plan} rows 10 5 | FileCheck %s --check-prefix=ROWS
// RUN: %{plan} boxes 24 3 4 | FileCheck %s --check-prefix=BOXES
// RUN: not %{plan} long 262144 2>&1 | FileCheck %s --check-prefix=LONG --implicit-check-not=launch
// REQUIRES: python

!h = !obs.pull<? x f16>
!b = !obs.pull<? x bf16>
!v = !obs.pull<? x i32>
!m = !obs.pull<? x ? x i32>
!c = !obs.pull<? x ? x ? x i32>

// Halves are told kernels by their bits: 2.5 is 0x4100 of f16, 0x4020 of bf16, and 1.5 is 0x3fc0.
// HALF: launch half_kernel: 1 blocks of {{[0-9]+}} threads, 0 bytes shared, (#1, 5, 16640, #2, 5)
func.func @half(%a: !h, %s: f16) -> !h {
  %m = obs.map (%x = %a : !h) -> !h {
    %y = arith.mulf %x, %s : f16
    obs.yield %y : f16
  }
  %p = obs.push %m : !h -> !obs.push<grid, ? x f16>
  %f = obs.force %p : !obs.push<grid, ? x f16> -> !h
  return %f : !h
}

// BRAIN: launch brain_kernel: 1 blocks of {{[0-9]+}} threads, 0 bytes shared, (#1, 5, 16416, #2, 5)
// BRAIN: fill #3 with 5 times c03f
func.func @brain(%a: !b, %s: bf16) -> !b {
  %m = obs.map (%x = %a : !b) -> !b {
    %y = arith.mulf %x, %s : bf16
    obs.yield %y : bf16
  }
  %p = obs.push %m : !b -> !obs.push<grid, ? x bf16>
  %f = obs.force %p : !obs.push<grid, ? x bf16> -> !b
  %n = obs.dim %a, 0 : !b
  %c2 = arith.constant 2 : index
  %h = arith.divui %n, %c2 : index
  %one = arith.constant 1.5 : bf16
  %q = obs.fill init %one [%n] par (%i) in (%h) {
    %x = obs.get %f[%i] : !b
    obs.write %x at [%i] : bf16
  } : !obs.push<grid, ? x bf16>
  %g = obs.force %q : !obs.push<grid, ? x bf16> -> !b
  return %g : !b
}

// Text is that of obs-run.
// TEXT: 100%% 0.1 a=1e+22 {true} %s {
// TEXT-NEXT: -3|0.1
func.func @text(%a: f32, %b: f64, %c: i1, %d: i8, %e: f16) {
  obs.print "100%% {} a={} {{}} %s {", %a, %b, %c : f32, f64, i1
  obs.print "{}|{}", %d, %e : i8, f16
  return
}

// Rows of two: the type of the view has the strides of an array in rows.
// ROWS: launch twice: 1 blocks of {{[0-9]+}} threads, 0 bytes shared, (#1, 5, 2, #2, 5, 2)
// ROWS: result [10]
func.func @rows(%a: !v, %h: index) -> !v {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %m = obs.reshape %a [%h, %c2] : !v -> !m
  %r = scf.for %i = %c0 to %h step %c1 iter_args(%x = %m) -> !m {
    %q = obs.map (%e = %x : !m) -> !m {
      %s = arith.addi %e, %e : i32
      obs.yield %s : i32
    }
    %p = obs.push %q : !m -> !obs.push<grid, ? x ? x i32>
    %f = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x ? x i32> -> !m
    scf.yield %f : !m
  }
  %k = arith.muli %h, %c2 : index
  %flat = obs.reshape %r [%k] : !m -> !v
  return %flat : !v
}

// BOXES: result [3, 4, 2]
// BOXES: result [3, 2, 4]
// BOXES: result [6, 1, 4]
// BOXES: result [2, 3, 4]
func.func @boxes(%a: !v, %h: index, %w: index) -> (!c, !c, !c, !c) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h2 = arith.muli %h, %c2 : index
  %last = obs.reshape %a [%h, %w, %c2] : !v -> !c
  %middle = obs.reshape %a [%h, %c2, %w] : !v -> !c
  %one = obs.reshape %a [%h2, %c1, %w] : !v -> !c
  %first = obs.reshape %a [%c2, %h, %w] : !v -> !c
  return %last, %middle, %one, %first : !c, !c, !c, !c
}

// LONG: error: an array of more than 2^63 bytes cannot be allocated
func.func @long(%n: index) -> !obs.pull<? x ? x i32> {
  %z = arith.constant 1 : i32
  %m = arith.constant 17592186044416 : index
  %g = obs.splat %z [%n, %m] : !obs.pull<? x ? x i32>
  %p = obs.push %g : !obs.pull<? x ? x i32> -> !obs.push<grid, ? x ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x ? x i32> -> !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}
