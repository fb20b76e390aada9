// Indices that are sums of multiples of dimensions are in their operands. The host checks extents that only the run knows.

// Element i is the sum of k a[i + k] for k = 0, 1, 2.
// RUN: obs-run %s --entry=window --device=interpret iota:10xi32 iota:3xi32 zeros:8xi32 | FileCheck %s --check-prefix=WINDOW
// RUN: obs-run %s --entry=window --device=emulate iota:10xi32 iota:3xi32 zeros:8xi32 | FileCheck %s --check-prefix=WINDOW
// RUN: obs-run %s --entry=window --device=emulate iota:10xi32 iota:3xi32 zeros:7xi32 | FileCheck %s --check-prefix=FEWER
// RUN: obs-run %s --entry=window --device=emulate iota:0xi32 iota:0xi32 iota:3xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: not obs-run %s --entry=window --device=interpret iota:10xi32 iota:3xi32 zeros:9xi32 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not obs-run %s --entry=window --device=emulate iota:10xi32 iota:3xi32 zeros:9xi32 2>&1 | FileCheck %s --check-prefix=LONG
// WINDOW: [5, 8, 11, 14, 17, 20, 23, 26]
// FEWER: [5, 8, 11, 14, 17, 20, 23]
// EMPTY: [0, 1, 2]
// LONG: windows.mlir:[[#@LINE+2]]:8: error: {{.*}}an index of 'linalg.generic' leaves an operand: make the operand longer, or the result shorter
func.func @window(%a: tensor<?xi32>, %w: tensor<?xi32>, %e: tensor<?xi32>) -> tensor<?xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a, %w : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %m = arith.muli %x, %y : i32
    %s = arith.addi %m, %o : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// Element i is a[4 - i].
// RUN: obs-run %s --entry=back --device=emulate iota:5xi32 zeros:5xi32 | FileCheck %s --check-prefix=BACK
// RUN: not obs-run %s --entry=back --device=emulate iota:5xi32 zeros:6xi32 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not obs-run %s --entry=back --device=emulate iota:4xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=BEFORE
// BACK: [4, 3, 2, 1, 0]
// BEFORE: windows.mlir:[[#@LINE+2]]:8: error: {{.*}}an index of 'linalg.generic' leaves an operand
func.func @back(%a: tensor<?xi32>, %e: tensor<?xi32>) -> tensor<?xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (4 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
