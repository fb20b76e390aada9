// RUN: obs-run %s --entry=positive 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=positive 1 | FileCheck %s --check-prefix=ONE
// RUN: not obs-run %s --entry=positive 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not obs-run %s --entry=element iota:3xi32 2>&1 | FileCheck %s --check-prefix=ELEMENT

// ONE: {{^}}1{{$}}
// ZERO: assert.mlir:[[#@LINE+4]]:3: error: assertion failed: n must be positive
func.func @positive(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi sgt, %n, %c0 : index
  obs.assert %ok, "n must be positive"
  return %n : index
}

// In thread-level code.
// ELEMENT: assert.mlir:[[#@LINE+7]]:5: error: assertion failed: too large
func.func @element(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c2 = arith.constant 2 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %ok = arith.cmpi slt, %x, %c2 : i32
    obs.assert %ok, "too large"
    obs.write %x at [%t] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
