// RUN: obs-run %s --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=numbers 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=all 5 | FileCheck %s --check-prefix=ALL
// RUN: obs-run %s --device=emulate --threads=17 --entry=all 5 | FileCheck %s --check-prefix=ALL
// RUN: not obs-run %s --entry=numbers 64 2>&1 | FileCheck %s --check-prefix=RANGE

// Bits 0 and 1: every four backwards.
// ONE: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}
// ZERO: {{^}}[1, 0, 3, 2, 5, 4, 7, 6]{{$}}
// RANGE: bit-flip-low.mlir:[[#@LINE+3]]:10: error: 'obs.bit.flip_low' operand 1 is 64, more than 63
func.func @numbers(%bit: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.flip_low %i, %bit : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}

// All 64 bits: -1 - 5.
// ALL: {{^}}-6{{$}}
func.func @all(%x: index) -> index {
  %c63 = arith.constant 63 : index
  %r = obs.bit.flip_low %x, %c63 : index
  return %r : index
}
