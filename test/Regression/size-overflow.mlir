// Numbers of elements and bytes that 64 bits do not hold are refused, not taken modulo 2^64.

// RUN: not obs-run %s --entry=reshape zeros:0xi32 4294967296 4294967296 --device=interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET
// RUN: not obs-run %s --entry=reshape zeros:0xi32 4294967296 4294967296 --device=emulate 2>&1 | FileCheck %s --check-prefix=EMULATE
// INTERPRET: [[#@LINE+5]]:8: error: [R4-size] cannot reshape extents [0] to [4294967296, 4294967296]
// EMULATE: [[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.reshape: an array has more than 2^63 elements
// As rows without elements it is printed in a few lines.
// RUN: obs-run %s --entry=reshape zeros:0xi32 1000000000 0 --device=interpret | FileCheck %s --check-prefix=ROWS
func.func @reshape(%a: !obs.pull<? x i32>, %k: index, %l: index) -> !obs.pull<? x ? x i32> {
  %u = obs.reshape %a [%k, %l] : !obs.pull<? x i32> -> !obs.pull<? x ? x i32>
  return %u : !obs.pull<? x ? x i32>
}
// ROWS:      {{^\[\[\],}}
// ROWS-NEXT: {{^ \[\],}}
// ROWS-NEXT: {{^ \[\],}}
// ROWS-NEXT: {{^ \.\.\.,}}
// ROWS-NEXT: {{^ \[\],}}
// ROWS-NEXT: {{^ \[\],}}
// ROWS-NEXT: {{^ \[\]\]}}

// RUN: not obs-run %s --entry=join 281474976710656 9 --device=emulate 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN: error: assertion-failed: [R4-extents] obs.join: an array has more than 2^63 elements
func.func @join(%n: index, %m: index) -> !obs.pull<? x index> {
  %rows = obs.generate (%i) [%n] {
    %row = obs.iota : !obs.pull<1048576 x index>
    obs.yield %row : !obs.pull<1048576 x index>
  } : !obs.pull<? x !obs.pull<1048576 x index>>
  %j = obs.join %rows to [%m] : !obs.pull<? x !obs.pull<1048576 x index>> -> !obs.pull<? x index>
  return %j : !obs.pull<? x index>
}

// A loop of the grid over 2^64 pairs does not run 0 times.
// RUN: not obs-run %s --entry=loop 4294967296 --device=emulate 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: [[#@LINE+5]]:8: error: assertion-failed: [R4-extents] a loop over the grid has more than 2^63 iterations
func.func @loop(%n: index) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %p = obs.fill init %zero any par (%i, %j) in (%n, %n) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %f : !obs.pull<1 x i32>
}

// RUN: not obs-run %s --entry=iota 281474976710657 --device=emulate 2>&1 | FileCheck %s --check-prefix=IOTA
// IOTA: error: assertion-failed: [R4-extents] obs.iota: an extent is negative, or more than 2^48
func.func @iota(%n: index) -> !obs.pull<5 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.take %a [5] : !obs.pull<? x index> -> !obs.pull<5 x index>
  %p = obs.push %b : !obs.pull<5 x index> -> !obs.push<grid, 5 x index>
  %f = obs.force %p : !obs.push<grid, 5 x index> -> !obs.pull<5 x index>
  return %f : !obs.pull<5 x index>
}
