// RUN: obs-run %s --entry=numbers 0 2 | FileCheck %s --check-prefix=ENDS
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 0 2 | FileCheck %s --check-prefix=ENDS
// RUN: obs-run %s --entry=numbers 2 0 | FileCheck %s --check-prefix=ENDS
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 2 0 | FileCheck %s --check-prefix=ENDS
// RUN: obs-run %s --entry=numbers 1 1 | FileCheck %s --check-prefix=SAME
// RUN: obs-run %s --device=emulate --threads=17 --entry=numbers 1 1 | FileCheck %s --check-prefix=SAME
// RUN: not obs-run %s --entry=numbers 0 64 2>&1 | FileCheck %s --check-prefix=RANGE

// b2 b1 b0 becomes b0 b1 b2.
// ENDS: {{^}}[0, 4, 2, 6, 1, 5, 3, 7]{{$}}
// SAME: {{^}}[0, 1, 2, 3, 4, 5, 6, 7]{{$}}
// RANGE: bit-swap.mlir:[[#@LINE+3]]:10: error: 'obs.bit.swap' operand 2 is 64, more than 63
func.func @numbers(%first: index, %second: index) -> !obs.pull<8 x index> {
  %r = obs.generate (%i) {
    %x = obs.bit.swap %i, %first, %second : index
    obs.yield %x : index
  } : !obs.pull<8 x index>
  return %r : !obs.pull<8 x index>
}
