// A store of an array that is too large is refused at its operation: by the interpreter, which holds at most 2^30
// elements of an array, and on devices by the allocation.

// RUN: not obs-run %s --entry=force --device=interpret 2147483648 2>&1 | FileCheck %s --check-prefix=FORCE31
// RUN: not obs-run %s --entry=force --device=interpret 4294967296 2>&1 | FileCheck %s --check-prefix=FORCE32
// RUN: not obs-run %s --entry=force --device=emulate 1099511627776 2>&1 | FileCheck %s --check-prefix=FORCE40
// FORCE31: out-of-memory.mlir:[[#@LINE+5]]:8: error: an array of extents [2147483648] is too large for the interpreter
// FORCE32: out-of-memory.mlir:[[#@LINE+4]]:8: error: an array of extents [4294967296] is too large for the interpreter
// FORCE40: out-of-memory.mlir:[[#@LINE+3]]:8: error: the emulated device is out of memory: cannot allocate 4398046511104 bytes
func.func @force(%n: index) -> !obs.pull<? x i32> {
  %a = obs.iota [%n] : !obs.pull<? x i32>
  %f = obs.force %a : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// RUN: not obs-run %s --entry=fill --device=interpret 4294967296 2>&1 | FileCheck %s --check-prefix=FILL32
// RUN: not obs-run %s --entry=fill --device=emulate 1099511627776 2>&1 | FileCheck %s --check-prefix=FILL40
// FILL32: out-of-memory.mlir:[[#@LINE+8]]:8: error: an array of extents [4294967296] is too large for the interpreter
// FILL40: out-of-memory.mlir:[[#@LINE+7]]:8: error: the emulated device is out of memory: cannot allocate 4398046511104 bytes
func.func @fill(%n: index) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %a = obs.fill init %z [%n] par (%i) in (%c1) {
    obs.write %z at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %a : !obs.push<grid, ? x i32>
  return %f : !obs.pull<? x i32>
}

// RUN: not obs-run %s --entry=scatter --device=interpret 4294967296 2>&1 | FileCheck %s --check-prefix=SCATTER32
// RUN: not obs-run %s --entry=scatter --device=emulate 1099511627776 2>&1 | FileCheck %s --check-prefix=SCATTER40
// SCATTER32: out-of-memory.mlir:[[#@LINE+5]]:8: error: an array of extents [4294967296] is too large for the interpreter
// SCATTER40: out-of-memory.mlir:[[#@LINE+4]]:8: error: the emulated device is out of memory: cannot allocate 4398046511104 bytes
func.func @scatter(%n: index) -> !obs.pull<? x i32> {
  %l = obs.constant dense<[1, 2]> : tensor<2xi32>
  %p = obs.scatter %l at %l [%n] : !obs.pull<2 x i32>, !obs.pull<2 x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32>
  return %f : !obs.pull<? x i32>
}

// Sub-programs: three rows.
// RUN: not obs-run %s --entry=distribute --device=interpret 4294967296 2>&1 | FileCheck %s --check-prefix=ROWS32
// RUN: not obs-run %s --entry=distribute --device=emulate 1099511627776 2>&1 | FileCheck %s --check-prefix=ROWS40
// ROWS32: out-of-memory.mlir:[[#@LINE+9]]:8: error: an array of extents [3, 4294967296] is too large for the interpreter
// ROWS40: out-of-memory.mlir:[[#@LINE+8]]:8: error: the emulated device is out of memory: cannot allocate 13194139533312 bytes
func.func @distribute(%n: index) -> !obs.pull<3 x ? x i32> {
  %three = obs.iota : !obs.pull<3 x index>
  %p = obs.distribute block in grid (%i = %three : !obs.pull<3 x index>) {
    %row = obs.iota [%n] : !obs.pull<? x i32>
    %q = obs.push block %row : !obs.pull<? x i32>
    obs.yield %q : !obs.push<block, ? x i32>
  }
  %f = obs.force %p : !obs.push<grid, 3 x ? x i32>
  return %f : !obs.pull<3 x ? x i32>
}

// A matrix of 2^64 elements.
// RUN: not obs-run %s --entry=matrix --device=interpret 4294967296 2>&1 | FileCheck %s --check-prefix=MATRIX-INTERPRET
// RUN: not obs-run %s --entry=matrix --device=emulate 4294967296 2>&1 | FileCheck %s --check-prefix=MATRIX-EMULATE
// MATRIX-INTERPRET: out-of-memory.mlir:[[#@LINE+8]]:8: error: an array of extents [4294967296, 4294967296] is too large for the interpreter
// MATRIX-EMULATE: out-of-memory.mlir:[[#@LINE+7]]:8: error: an array of more than 2^63 bytes cannot be allocated
func.func @matrix(%n: index) -> !obs.pull<? x ? x i32> {
  %a = obs.generate (%i, %j) [%n, %n] {
    %s = arith.addi %i, %j : index
    %x = arith.index_cast %s : index to i32
    obs.yield %x : i32
  } : !obs.pull<? x ? x i32>
  %f = obs.force %a : !obs.pull<? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}

// Shared memory: an array of a block with 2^31 elements. No number of blocks makes room for it.
// RUN: not obs-translate --obs-to-ptx %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: out-of-memory.mlir:[[#@LINE+10]]:8: error: {{.*}}[shared-limit] needs {{[0-9]+}} bytes of shared memory, but a block has 232448
// SHARED: out-of-memory.mlir:[[#@LINE+4]]:10: note: 8589934592 bytes at offset
func.func @shared(%a: !obs.pull<3 x 2147483648 x i32>) -> !obs.pull<3 x 2147483648 x i32> {
  %rows = obs.nest %a dims 1 : !obs.pull<3 x 2147483648 x i32>
  %p = obs.distribute block in grid (%row = %rows : !obs.pull<3 x !obs.pull<2147483648 x i32>>) {
    %s = obs.force %row : !obs.pull<2147483648 x i32>
    %r = obs.reverse %s : !obs.pull<2147483648 x i32>
    %q = obs.push block %r : !obs.pull<2147483648 x i32>
    obs.yield %q : !obs.push<block, 2147483648 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 3 x 2147483648 x i32>
  return %f : !obs.pull<3 x 2147483648 x i32>
}
