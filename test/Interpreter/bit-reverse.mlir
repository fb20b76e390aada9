// RUN: obs-run %s --entry=numbers 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --entry=numbers 2 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 2 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=numbers 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 0 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=numbers 65 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=whole 6 | FileCheck %s --check-prefix=WHOLE
// RUN: obs-run %s --device=emulate --threads=17 --entry=whole 6 | FileCheck %s --check-prefix=WHOLE

// THREE: {{^}}[0, 4, 2, 6, 1, 5, 3, 7]{{$}}
// Bit 2 stays.
// TWO: {{^}}[0, 2, 1, 3, 4, 6, 5, 7]{{$}}
// NONE: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// RANGE: bit-reverse.mlir:[[#@LINE+3]]:10: error: 'obs.bit.reverse' operand 1 is 65, more than 64
func.func @numbers(%width: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.reverse %i, %width : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}

// 0b00000110 backwards is 0b01100000.
// WHOLE: {{^}}96{{$}}
func.func @whole(%x: i8) -> i8 {
  %c8 = arith.constant 8 : i8
  %r = obs.bit.reverse %x, %c8 : i8
  return %r : i8
}
