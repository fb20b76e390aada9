// The extents of the rows of nested arrays are those of a row, which reads other nested arrays: each such read is
// replaced, however deep the arrays are nested.

// RUN: obs-run %s --entry=twice --device=interpret iota:1x3x2xi64 | FileCheck %s --check-prefix=TWICE
// RUN: obs-run %s --entry=twice --device=emulate iota:1x3x2xi64 | FileCheck %s --check-prefix=TWICE
// RUN: obs-run %s --entry=thrice --device=interpret iota:2x1x3xi64 | FileCheck %s --check-prefix=THRICE
// RUN: obs-run %s --entry=thrice --device=emulate iota:2x1x3xi64 | FileCheck %s --check-prefix=THRICE
// RUN: obs-run %s --entry=thrice --device=emulate zeros:0x1x3xi64 | FileCheck %s --check-prefix=EMPTY

// The rows are reversed between two views of them.
// TWICE: {{^\[\[\[}}4, 5],
// TWICE-NEXT: [2, 3],
// TWICE-NEXT: [0, 1]]]
func.func @twice(%a: !obs.pull<1 x 3 x ? x i64>) -> !obs.pull<1 x 3 x ? x i64> {
  %rows = obs.nest %a dims 2 : !obs.pull<1 x 3 x ? x i64>
  %reversed = obs.reverse %rows dim 1 : !obs.pull<1 x 3 x !obs.pull<? x i64>>
  %flat = obs.unnest %reversed : !obs.pull<1 x 3 x !obs.pull<? x i64>>
  %planes = obs.nest %flat dims 1 : !obs.pull<1 x 3 x ? x i64>
  %again = obs.unnest %planes : !obs.pull<1 x !obs.pull<3 x ? x i64>>
  %r = obs.force %again : !obs.pull<1 x 3 x ? x i64>
  return %r : !obs.pull<1 x 3 x ? x i64>
}

// The outer dimensions are reversed, one by one.
// THRICE: {{^\[\[\[}}3, 4, 5]],
// THRICE-NEXT: [{{\[}}0, 1, 2]]]
// EMPTY: {{^\[\]$}}
func.func @thrice(%a: !obs.pull<? x ? x ? x i64>) -> !obs.pull<? x ? x ? x i64> {
  %n1 = obs.nest %a dims 2 : !obs.pull<? x ? x ? x i64>
  %r1 = obs.reverse %n1 dim 1 : !obs.pull<? x ? x !obs.pull<? x i64>>
  %u1 = obs.unnest %r1 : !obs.pull<? x ? x !obs.pull<? x i64>>
  %n2 = obs.nest %u1 dims 1 : !obs.pull<? x ? x ? x i64>
  %r2 = obs.reverse %n2 dim 0 : !obs.pull<? x !obs.pull<? x ? x i64>>
  %u2 = obs.unnest %r2 : !obs.pull<? x !obs.pull<? x ? x i64>>
  %n3 = obs.nest %u2 dims 2 : !obs.pull<? x ? x ? x i64>
  %u3 = obs.unnest %n3 : !obs.pull<? x ? x !obs.pull<? x i64>>
  %r = obs.force %u3 : !obs.pull<? x ? x ? x i64>
  return %r : !obs.pull<? x ? x ? x i64>
}
