// RUN: obs-run %s --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=top 5 | FileCheck %s --check-prefix=TOP
// RUN: obs-run %s --device=emulate --threads=17 --entry=top 5 | FileCheck %s --check-prefix=TOP
// RUN: not obs-run %s --entry=numbers 64 2>&1 | FileCheck %s --check-prefix=RANGE

// Neighbouring pairs exchanged.
// ONE: {{^}}[2, 3, 0, 1, 6, 7, 4, 5]{{$}}
// RANGE: bit-flip.mlir:[[#@LINE+3]]:10: error: 'obs.bit.flip' operand 1 is 64, more than 63
func.func @numbers(%bit: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.flip %i, %bit : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}

// 5 - 128
// TOP: {{^}}-123{{$}}
func.func @top(%x: i8) -> i8 {
  %c7 = arith.constant 7 : i8
  %r = obs.bit.flip %x, %c7 : i8
  return %r : i8
}
