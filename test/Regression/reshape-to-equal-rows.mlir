// A reshape of a push array computes the number of an element from its row and
// column, and divides it again. The proof of races sees that it is one number.

// RUN: obs-opt --obs-to-gpu %s | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s
// RUN: obs-run %s --entry=drop iota:3x5x1xi32 5 3 --device emulate | FileCheck %s --check-prefix=RESULT
// CHECK: remark: kernel 'drop_kernel' is proved free of races
// RESULT: {{\[\[}}0, 1, 2],
// RESULT-NEXT: [3, 4, 5],
// RESULT-NEXT: [6, 7, 8],
// RESULT-NEXT: [9, 10, 11],
// RESULT-NEXT: [12, 13, 14]]

func.func @drop(%a: !obs.pull<? x ? x 1 x i32>, %h: index, %w: index) -> !obs.pull<? x ? x i32> {
  %p = obs.push grid %a : !obs.pull<? x ? x 1 x i32>
  %r = obs.reshape %p [%h, %w] : !obs.push<grid, ? x ? x 1 x i32> -> !obs.push<grid, ? x ? x i32>
  %f = obs.force %r : !obs.push<grid, ? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}
