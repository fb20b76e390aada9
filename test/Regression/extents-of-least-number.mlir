// Extents and numbers of iterations that are constants below 0, the least number
// included, which stands for an unknown extent elsewhere: a loop has no iterations,
// and an array is refused when the program runs.
// RUN: obs-run %s --entry=loop iota:4xi32 | FileCheck %s --check-prefix=LOOP
// RUN: obs-run %s --entry=loop --device=emulate iota:4xi32 | FileCheck %s --check-prefix=LOOP
// RUN: not obs-run %s --entry=least iota:4xi32 2 2 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not obs-run %s --entry=least --device=emulate iota:4xi32 2 2 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not obs-run %s --entry=below --device=emulate iota:4xi32 2 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: obs-translate %s --obs-to-ptx | FileCheck %s --check-prefix=PTX
// PTX: .entry

// LOOP: [7, 7, 7, 7]
// ERROR: error: {{.*}}[R4-{{extents|size}}]
func.func @loop(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %none = arith.constant -9223372036854775808 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %seven [%n] par (%t) in (%none) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @least(%a: !obs.pull<? x i32>, %h: index, %w: index) -> !obs.pull<? x ? x ? x i32> {
  %least = arith.constant -9223372036854775808 : index
  %one = obs.reshape %a [%h, %least, %w] : !obs.pull<? x i32> -> !obs.pull<? x ? x ? x i32>
  return %one : !obs.pull<? x ? x ? x i32>
}

func.func @below(%a: !obs.pull<? x i32>, %h: index) -> !obs.pull<? x ? x i32> {
  %below = arith.constant -1 : index
  %one = obs.reshape %a [%h, %below] : !obs.pull<? x i32> -> !obs.pull<? x ? x i32>
  return %one : !obs.pull<? x ? x i32>
}
