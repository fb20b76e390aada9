// Products and sums of extents that 64 bits, or R4, do not allow.
// RUN: not obs-run %s --entry=grid_static --device=emulate 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not obs-run %s --entry=block_static --device=emulate 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not obs-run %s --entry=block_dynamic --device=emulate 4294967296 4294967296 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: obs-run %s --entry=block_dynamic --device=emulate -1 4294967296 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=block_dynamic --device=emulate 3 5 | FileCheck %s --check-prefix=SOME
// RUN: not obs-run %s --entry=join --device=interpret 4294967296 4294967296 2>&1 | FileCheck %s --check-prefix=JOIN
// RUN: not obs-run %s --entry=join --device=emulate 4294967296 4294967296 2>&1 | FileCheck %s --check-prefix=JOIN
// RUN: obs-run %s --entry=join --device=emulate 3 5 | FileCheck %s --check-prefix=JOINED
// RUN: not obs-run %s --entry=concat --device=interpret 140737488355328 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: not obs-run %s --entry=concat --device=emulate 140737488355328 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: not obs-run %s --entry=interleave --device=interpret 140737488355328 2>&1 | FileCheck %s --check-prefix=INTERLEAVE
// RUN: not obs-run %s --entry=interleave --device=emulate 140737488355328 2>&1 | FileCheck %s --check-prefix=INTERLEAVE
// RUN: not obs-run %s --entry=split --device=interpret 4294967296 9223372036854775807 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not obs-run %s --entry=split --device=emulate 4294967296 9223372036854775807 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: obs-run %s --entry=rotate --device=interpret 1 | FileCheck %s --check-prefix=ROTATE
// RUN: obs-run %s --entry=rotate --device=emulate 1 | FileCheck %s --check-prefix=ROTATE

// GRID: products.mlir:[[#@LINE+7]]:8: error: assertion-failed: [R4-extents] a loop over the grid has more than 2^63 iterations
func.func @grid_static() -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %n = arith.constant 4294967296 : index

  %p = obs.fill init %zero any par (%i, %j) in (%n, %n) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}

// BLOCK: products.mlir:[[#@LINE+9]]:7: error: assertion-failed: [R4-extents] obs.par: a loop has more than 2^63 iterations
func.func @block_static() -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4294967296 : index
  %p = obs.fill init %zero any {
    obs.par block (%b) in (%c1) {
      obs.par (%i, %j) in (%n, %n) {
        obs.write %one at [%c0] : i32
      }
    }
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}

// DYNAMIC: products.mlir:[[#@LINE+10]]:7: error: assertion-failed: [R4-extents] obs.par: a loop has more than 2^63 iterations
// NONE: [0]
// SOME: [1]
func.func @block_dynamic(%n: index, %m: index) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = obs.fill init %zero any {
    obs.par block (%b) in (%c1) {
      obs.par (%i, %j) in (%n, %m) {
        obs.write %one at [%c0] : i32
      }
    }
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}

// JOIN: products.mlir:[[#@LINE+7]]:8: error: {{.*}}[R4-extents]
// JOINED: 15
func.func @join(%n: index, %m: index) -> index {
  %x = arith.constant 1 : i32
  %a = obs.generate (%i, %j) [%n, %m] {
    obs.yield %x : i32
  } : !obs.pull<? x ? x i32>
  %r = obs.join %a : !obs.pull<? x ? x i32>
  %d = obs.dim %r, 0 : !obs.pull<? x i32>
  return %d : index
}

// CONCAT: products.mlir:[[#@LINE+3]]:8: error: {{.*}}[R4-extents]
func.func @concat(%n: index) -> !obs.pull<4 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.concat %a, %a, %a : !obs.pull<? x index>
  %d = obs.take %b [4] : !obs.pull<? x index>
  %f = obs.force %d : !obs.pull<4 x index>
  return %f : !obs.pull<4 x index>
}

// INTERLEAVE: products.mlir:[[#@LINE+3]]:8: error: {{.*}}[R4-extents]
func.func @interleave(%n: index) -> !obs.pull<4 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.interleave %a, %a, %a : !obs.pull<? x index>
  %d = obs.take %b [4] : !obs.pull<? x index>
  %f = obs.force %d : !obs.pull<4 x index>
  return %f : !obs.pull<4 x index>
}

// SPLIT: products.mlir:[[#@LINE+4]]:8: error: {{.*}}[R4-extents]
func.func @split(%n: index, %k: index) -> !obs.pull<1 x index> {
  %z = arith.constant 0 : index
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.split %a by [%k] pad %z : !obs.pull<? x index>
  %d = obs.dim %b, 0 : !obs.pull<? x !obs.pull<? x index>>
  %c = obs.splat %d : !obs.pull<1 x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// A riffle of one element.
// ROTATE: [0]
func.func @rotate(%n: index) -> !obs.pull<? x index> {
  %c0 = arith.constant 0 : index
  %a = obs.iota [%n] : !obs.pull<? x index>
  %r = obs.reindex (%i) = %a [%n] {
    %j = obs.bit.rotate %i, %c0, %c0 : index
    obs.yield %j : index
  } : !obs.pull<? x index> -> !obs.pull<? x index>
  %f = obs.force %r : !obs.pull<? x index>
  return %f : !obs.pull<? x index>
}
