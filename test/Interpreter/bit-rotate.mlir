// RUN: obs-run %s --entry=numbers 1 3 | FileCheck %s --check-prefix=RIFFLE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 3 | FileCheck %s --check-prefix=RIFFLE
// RUN: obs-run %s --entry=numbers 2 3 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 2 3 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --entry=numbers 1 2 | FileCheck %s --check-prefix=LOW
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 2 | FileCheck %s --check-prefix=LOW
// RUN: obs-run %s --entry=numbers 0 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 0 0 | FileCheck %s --check-prefix=NONE
// RUN: not obs-run %s --entry=numbers 3 3 2>&1 | FileCheck %s --check-prefix=AMOUNT
// RUN: not obs-run %s --entry=numbers 3 65 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: obs-run %s --entry=whole -127 | FileCheck %s --check-prefix=WHOLE
// RUN: obs-run %s --device=emulate --threads=17 --entry=whole -127 | FileCheck %s --check-prefix=WHOLE

// 2 i modulo 7 for i < 7: b2 b1 b0 becomes b1 b0 b2.
// RIFFLE: {{^}}[0, 2, 4, 6, 1, 3, 5, 7]{{$}}
// b2 b1 b0 becomes b0 b2 b1.
// TWO: {{^}}[0, 4, 1, 5, 2, 6, 3, 7]{{$}}
// Bit 2 stays, bits 0 and 1 change places.
// LOW: {{^}}[0, 2, 1, 3, 4, 6, 5, 7]{{$}}
// NONE: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// AMOUNT: bit-rotate.mlir:[[#@LINE+4]]:10: error: 'obs.bit.rotate' operand 1 is 3, more than 2
// WIDTH: bit-rotate.mlir:[[#@LINE+3]]:10: error: 'obs.bit.rotate' operand 2 is 65, more than 64
func.func @numbers(%amount: index, %width: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.rotate %i, %amount, %width : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}

// 0b10000001 by 3 of 8 bits is 0b00001100.
// WHOLE: {{^}}12{{$}}
func.func @whole(%x: i8) -> i8 {
  %c3 = arith.constant 3 : i8
  %c8 = arith.constant 8 : i8
  %r = obs.bit.rotate %x, %c3, %c8 : i8
  return %r : i8
}
