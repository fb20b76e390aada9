// RUN: obs-opt --obs-fold-tables --split-input-file --verify-diagnostics %s

func.func @argument(%n: i32) -> !obs.pull<4 x i32> {
  // expected-note@-1 {{this is not known before it runs}}
  %s = obs.splat %n : !obs.pull<4 x i32>
  %p = obs.push %s : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  // expected-error@+1 {{[table-known] a table in constant memory is computed from constants}}
  %r = obs.force %p in constant : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// -----

func.func @memory(%m: memref<4xi32>) -> !obs.pull<4 x i32> {
  // expected-note@+1 {{this is not known before it runs}}
  %v = obs.view %m : memref<4xi32>
  %p = obs.push %v : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  // expected-error@+1 {{[table-known] a table in constant memory is computed from constants}}
  %r = obs.force %p in constant : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// -----

func.func @large(%x: i32) -> !obs.pull<16385 x i32> {
  %s = obs.splat %x : !obs.pull<16385 x i32>
  %p = obs.push %s : !obs.pull<16385 x i32> -> !obs.push<grid, 16385 x i32>
  // expected-error@+1 {{[table-known] a table in constant memory has static extents and at most 65536 bytes, but this has 65540}}
  %r = obs.force %p in constant : !obs.push<grid, 16385 x i32> -> !obs.pull<16385 x i32>
  return %r : !obs.pull<16385 x i32>
}

// -----

func.func @dynamic(%n: index) -> !obs.pull<? x index> {
  %s = obs.iota [%n] : !obs.pull<? x index>
  %p = obs.push %s : !obs.pull<? x index> -> !obs.push<grid, ? x index>
  // expected-error@+1 {{[table-known] a table in constant memory has static extents and at most 65536 bytes}}
  %r = obs.force %p in constant : !obs.push<grid, ? x index> -> !obs.pull<? x index>
  return %r : !obs.pull<? x index>
}

// -----

func.func @division() -> !obs.pull<4 x index> {
  %c8 = arith.constant 8 : index
  %s = obs.generate (%i) {
    %x = arith.divui %c8, %i : index
    obs.yield %x : index
  } : !obs.pull<4 x index>
  %p = obs.push %s : !obs.pull<4 x index> -> !obs.push<grid, 4 x index>
  // expected-error@+1 {{[table-known] the table cannot be computed: }}
  %r = obs.force %p in constant : !obs.push<grid, 4 x index> -> !obs.pull<4 x index>
  return %r : !obs.pull<4 x index>
}

// -----

// Compile time does not grow with the numbers in a program.
func.func @long() -> !obs.pull<3 x i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4294967296 : index
  %one = arith.constant 1 : i64
  %a = obs.generate (%i) {
    %f = scf.for %k = %c0 to %n step %c1 iter_args(%x = %one) -> i64 {
      %y = arith.addi %x, %one : i64
      scf.yield %y : i64
    }
    obs.yield %f : i64
  } : !obs.pull<3 x i64>
  // expected-error-re@+1 {{[table-known] the table cannot be computed: {{.*}}: the run takes too many steps}}
  %r = obs.force %a in constant : !obs.pull<3 x i64>
  return %r : !obs.pull<3 x i64>
}
