// RUN: obs-run %s --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=numbers 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=numbers 3 | FileCheck %s --check-prefix=THREE
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 3 | FileCheck %s --check-prefix=THREE
// RUN: not obs-run %s --entry=numbers 64 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=narrow 193 1 | FileCheck %s --check-prefix=NARROW
// RUN: obs-run %s --device=emulate --threads=17 --entry=narrow 193 1 | FileCheck %s --check-prefix=NARROW

// 0 to 7 with a 0 at bit 1: the numbers with bit 1 clear, in order.
// ONE: {{^}}[0, 1, 4, 5, 8, 9, 12, 13]{{$}}
// The even numbers.
// ZERO: {{^}}[0, 2, 4, 6, 8, 10, 12, 14]{{$}}
// Nothing above bit 2.
// THREE: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// RANGE: bit-insert-zero.mlir:[[#@LINE+3]]:10: error: 'obs.bit.insert_zero' operand 1 is 64, more than 63
func.func @numbers(%bit: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.insert_zero %i, %bit : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}

// 0b11000001: the highest bit is lost, 0b10000001.
// NARROW: {{^}}-127{{$}}
func.func @narrow(%x: i8, %bit: i8) -> i8 {
  %r = obs.bit.insert_zero %x, %bit : i8
  return %r : i8
}
