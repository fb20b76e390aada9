// A loop ends where its counter would wrap. The loops of kernels added the step and compared, so a counter
// of 8 bits went from 125 to -126, and the loop went on: with other sums, or without end.

// RUN: obs-run %s --entry=signed iota:2xi32 100 127 5 --device=interpret | FileCheck %s --check-prefix=SIGNED
// RUN: obs-run %s --entry=signed iota:2xi32 100 127 5 --device=emulate | FileCheck %s --check-prefix=SIGNED
// 100 + 105 + 110 + 115 + 120 + 125
// SIGNED: [675, 676]
// RUN: obs-run %s --entry=signed iota:2xi32 -128 127 64 --device=interpret | FileCheck %s --check-prefix=QUARTERS
// RUN: obs-run %s --entry=signed iota:2xi32 -128 127 64 --device=emulate | FileCheck %s --check-prefix=QUARTERS
// -128 - 64 + 0 + 64
// QUARTERS: [-128, -127]
// RUN: obs-run %s --entry=signed iota:2xi32 0 -5 3 --device=emulate | FileCheck %s --check-prefix=NONE
// NONE: [0, 1]

// RUN: obs-run %s --entry=unsigned iota:2xi32 100 -1 50 --device=interpret | FileCheck %s --check-prefix=UNSIGNED
// RUN: obs-run %s --entry=unsigned iota:2xi32 100 -1 50 --device=emulate | FileCheck %s --check-prefix=UNSIGNED
// 100 + 150 + 200 + 250
// UNSIGNED: [700, 701]
// A step of 200 is -56 as a signed number.
// RUN: obs-run %s --entry=unsigned iota:2xi32 3 -1 -56 --device=interpret | FileCheck %s --check-prefix=FAR
// RUN: obs-run %s --entry=unsigned iota:2xi32 3 -1 -56 --device=emulate | FileCheck %s --check-prefix=FAR
// 3 + 203
// FAR: [206, 207]

// RUN: obs-run %s --entry=constants --device=interpret | FileCheck %s --check-prefix=CONSTANTS
// RUN: obs-run %s --entry=constants --device=emulate | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: [2, 2, 2, 2, 1]

// RUN: obs-run %s --entry=wide -8 -1 5 --device=interpret | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=wide -8 -1 5 --device=emulate | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=wide 0 -1 9223372036854775807 --device=interpret | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=wide 0 -1 9223372036854775807 --device=emulate | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=wide 5 5 1 --device=emulate | FileCheck %s --check-prefix=ZERO
// RUN: not obs-run %s --entry=wide 5 9 0 --device=emulate 2>&1 | FileCheck %s --check-prefix=STEP
// TWO: [2, 2]
// 0, 2^63 - 1 and 2^64 - 2
// THREE: [3, 3]
// ZERO: [0, 0]
// STEP: counters-that-wrap.mlir:[[#@LINE+63]]:10: error: assertion-failed: the step of a loop must be positive

// Signed counters of 64 bits: 0 and 2^62; -2^63, -2^62, 0 and 2^62; -2^63, -2 and 2^63 - 4. The step of the last loop is the
// constant 2^63 - 2.
// RUN: obs-run %s --entry=far 0 9223372036854775807 4611686018427387904 --device=interpret | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=far 0 9223372036854775807 4611686018427387904 --device=emulate | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=far -9223372036854775808 9223372036854775807 4611686018427387904 --device=interpret | FileCheck %s --check-prefix=FOUR
// RUN: obs-run %s --entry=far -9223372036854775808 9223372036854775807 4611686018427387904 --device=emulate | FileCheck %s --check-prefix=FOUR
// RUN: obs-run %s --entry=far 5 5 1 --device=emulate | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=far 9223372036854775807 -9223372036854775808 1 --device=emulate | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=step -9223372036854775808 9223372036854775805 --device=interpret | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=step -9223372036854775808 9223372036854775805 --device=emulate | FileCheck %s --check-prefix=THREE
// FOUR: [4, 4]

// A loop of a block, with barriers.
// RUN: obs-run %s --entry=block iota:64xi32 100 127 9 --device=interpret | FileCheck %s --check-prefix=BLOCK
// RUN: obs-run %s --entry=block iota:64xi32 100 127 9 --device=emulate --threads=64 | FileCheck %s --check-prefix=BLOCK
// The counters are 100, 109 and 118: three reverses and a sum of 327.
// BLOCK: {{^\[\[}}390, 389, 388,

// Host code: the executor, and C.
// RUN: obs-run %s --entry=host iota:2xi32 100 127 5 --device=interpret | FileCheck %s --check-prefix=HOST
// RUN: obs-run %s --entry=host iota:2xi32 100 127 5 --device=emulate | FileCheck %s --check-prefix=HOST
// Six times x -> 2 x.
// HOST: [0, 64]
// RUN: obs-translate --obs-to-host-c %s | FileCheck %s --check-prefix=C
// C-LABEL: CUresult obs_host(
// C: if (!((int8_t)arg3 > 0)) {
// C-NEXT: error: the step of a loop must be positive
// C: for (int8_t [[I:v[0-9]+]] = arg1; [[I]] < (int8_t)arg2; [[I]] += arg3) {
// C: if ((uint64_t)(int8_t)arg2 - (uint64_t)[[I]] <= (uint64_t)(int8_t)arg3) break;
// C-NEXT: {{^ *}}}

func.func @signed(%a: !obs.pull<? x i32>, %from: i8, %to: i8, %step: i8) -> !obs.pull<? x i32> {
  %m = obs.map (%x = %a : !obs.pull<? x i32>) {
    %r = scf.for %i = %from to %to step %step iter_args(%y = %x) -> i32 : i8 {
      %e = arith.extsi %i : i8 to i32
      %z = arith.addi %y, %e : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  }
  %r = obs.force %m : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @unsigned(%a: !obs.pull<? x i32>, %from: i8, %to: i8, %step: i8) -> !obs.pull<? x i32> {
  %m = obs.map (%x = %a : !obs.pull<? x i32>) {
    %r = scf.for unsigned %i = %from to %to step %step iter_args(%y = %x) -> i32 : i8 {
      %e = arith.extui %i : i8 to i32
      %z = arith.addi %y, %e : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  }
  %r = obs.force %m : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @wide(%from: index, %to: index, %step: index) -> !obs.pull<2 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %g = obs.generate (%k) {
    %r = scf.for unsigned %i = %from to %to step %step iter_args(%y = %zero) -> i32 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  } : !obs.pull<2 x i32>
  %r = obs.force %g : !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

func.func @far(%from: index, %to: index, %step: index) -> !obs.pull<2 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %g = obs.generate (%k) {
    %r = scf.for %i = %from to %to step %step iter_args(%y = %zero) -> i32 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  } : !obs.pull<2 x i32>
  %r = obs.force %g : !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

func.func @step(%from: i64, %to: i64) -> !obs.pull<2 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 9223372036854775806 : i64
  %g = obs.generate (%k) {
    %r = scf.for %i = %from to %to step %step iter_args(%y = %zero) -> i32 : i64 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  } : !obs.pull<2 x i32>
  %r = obs.force %g : !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

// 0 and 100 (unsigned, below 127); 2^31 - 8 and 2^31 - 3; 2^63 - 10 and 2^63 - 4; 2^64 - 9 and 2^64 - 3 (unsigned);
// 1 alone, of 16 bits.
func.func @constants() -> !obs.pull<5 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a0 = arith.constant 0 : i8
  %a1 = arith.constant 127 : i8
  %a2 = arith.constant 100 : i8
  %b0 = arith.constant 2147483640 : i32
  %b1 = arith.constant 2147483647 : i32
  %b2 = arith.constant 5 : i32
  %c0 = arith.constant 9223372036854775798 : index
  %c1 = arith.constant 9223372036854775807 : index
  %c2 = arith.constant 6 : index
  %d0 = arith.constant -9 : i64
  %d1 = arith.constant -1 : i64
  %d2 = arith.constant 6 : i64
  %e0 = arith.constant 1 : i16
  %e1 = arith.constant 32767 : i16
  %m = obs.generate (%k) {
    %a = scf.for unsigned %i = %a0 to %a1 step %a2 iter_args(%y = %zero) -> i32 : i8 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %b = scf.for %i = %b0 to %b1 step %b2 iter_args(%y = %zero) -> i32 : i32 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %c = scf.for %i = %c0 to %c1 step %c2 iter_args(%y = %zero) -> i32 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %d = scf.for unsigned %i = %d0 to %d1 step %d2 iter_args(%y = %zero) -> i32 : i64 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %e = scf.for %i = %e0 to %e1 step %e1 iter_args(%y = %zero) -> i32 : i16 {
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %is0 = arith.cmpi eq, %k, %i0 : index
    %is1 = arith.cmpi eq, %k, %i1 : index
    %is2 = arith.cmpi eq, %k, %i2 : index
    %is3 = arith.cmpi eq, %k, %i3 : index
    %s3 = arith.select %is3, %d, %e : i32
    %s2 = arith.select %is2, %c, %s3 : i32
    %s1 = arith.select %is1, %b, %s2 : i32
    %s0 = arith.select %is0, %a, %s1 : i32
    obs.yield %s0 : i32
  } : !obs.pull<5 x i32>
  %r = obs.force %m : !obs.pull<5 x i32>
  return %r : !obs.pull<5 x i32>
}

func.func @block(%a: !obs.pull<64 x i32>, %from: i8, %to: i8, %step: i8) -> !obs.pull<2 x 64 x i32> {
  %ids = obs.iota : !obs.pull<2 x index>
  %p = obs.distribute block in grid (%k = %ids : !obs.pull<2 x index>) {
    %r = scf.for %i = %from to %to step %step iter_args(%x = %a) -> !obs.pull<64 x i32> : i8 {
      %e = arith.extsi %i : i8 to i32
      %rev = obs.reverse %x : !obs.pull<64 x i32>
      %m = obs.map (%y = %rev : !obs.pull<64 x i32>) {
        %z = arith.addi %y, %e : i32
        obs.yield %z : i32
      }
      %f = obs.force %m : !obs.pull<64 x i32>
      scf.yield %f : !obs.pull<64 x i32>
    }
    %q = obs.push block %r : !obs.pull<64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 2 x 64 x i32>
  return %f : !obs.pull<2 x 64 x i32>
}

func.func @host(%a: !obs.pull<? x i32>, %from: i8, %to: i8, %step: i8) -> !obs.pull<? x i32> {
  %r = scf.for %i = %from to %to step %step iter_args(%x = %a) -> !obs.pull<? x i32> : i8 {
    %m = obs.map { arith.addi } %x, %x : !obs.pull<? x i32>
    %f = obs.force %m : !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}
