// A product and a sum with one rounding: the same bits on all devices. With two roundings, (1 + 2^-12)^2 - 1 - 2^-11 is 0,
// for the square takes 25 bits. With one it is 2^-24.

// RUN: %python -c "import struct; open('%t.in', 'wb').write(struct.pack('<33f', *[1 + 2 ** -12] * 33))"
// RUN: obs-run %s %t.in:f32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --device=emulate %t.in:f32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --fp-contract=flagged %t.in:f32 | FileCheck %s --check-prefix=TWO
// RUN: obs-run %s --fp-contract=fast %t.in:f32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --fp-contract=fast --device=emulate --threads=17 %t.in:f32 | FileCheck %s --check-prefix=ONE
// TWO: {{^}}[0.0, 0.0,
// ONE: {{^}}[5.9604645e-08, 5.9604645e-08,

// RUN: not obs-run %s --fp-contract=slow %t.in:f32 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: --fp-contract must be fast or flagged, not 'slow'

// RUN: obs-translate --obs-to-ptx --fp-contract=fast %s | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX-TWO --implicit-check-not=fma.rn
// PTX: fma.rn.f32
// PTX-TWO: mul.rn.f32

func.func @main(%a: !obs.pull<33 x f32>) -> !obs.pull<33 x f32> {
  %c = arith.constant -1.00048828125 : f32
  %m = obs.map (%x = %a : !obs.pull<33 x f32>) {
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %p, %c : f32
    obs.yield %s : f32
  }
  %r = obs.force %m : !obs.pull<33 x f32>
  return %r : !obs.pull<33 x f32>
}
