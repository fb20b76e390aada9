// An integer of 65520 or more becomes an infinity of f16. LLVM forgets that where a longer float follows, and it knows
// that the integer has few digits: it was a bf16, or its low bits are 0.

// RUN: %python -c "import struct, sys; open('%t.in', 'wb').write(b''.join(struct.pack('<f', x)[2:] for x in [0, 1, -2, 5, -1, 100, 65280, 65536, 131072]))"
// RUN: obs-run %s %t.in:bf16 | FileCheck %s
// RUN: obs-run %s --device=emulate %t.in:bf16 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1 %t.in:bf16 | FileCheck %s
// CHECK: [0.0, 1.0, inf, 5.0, inf, 100.0, 65280.0, inf, inf]
// CHECK-NEXT: [0.0, 1.0, -2.0, 5.0, -1.0, 100.0, 65280.0, inf, inf]
// CHECK-NEXT: [0.0, inf, -inf, inf, -inf, inf, inf, inf, inf]

// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// PTX: cvt.rn.f16.{{u|s}}{{16|32|64}}

func.func @main(%a: !obs.pull<? x bf16>) -> (!obs.pull<? x f64>, !obs.pull<? x f64>, !obs.pull<? x f32>) {
  %u = obs.map (%x = %a : !obs.pull<? x bf16>) -> !obs.pull<? x f64> {
    %i = arith.fptosi %x : bf16 to i32
    %h = arith.uitofp %i : i32 to f16
    %d = arith.extf %h : f16 to f64
    obs.yield %d : f64
  }
  %s = obs.map (%x = %a : !obs.pull<? x bf16>) -> !obs.pull<? x f64> {
    %i = arith.fptosi %x : bf16 to i32
    %h = arith.sitofp %i : i32 to f16
    %d = arith.extf %h : f16 to f64
    obs.yield %d : f64
  }
  %l = obs.map (%x = %a : !obs.pull<? x bf16>) -> !obs.pull<? x f32> {
    %c = arith.constant 17 : i64
    %i = arith.fptosi %x : bf16 to i64
    %j = arith.shli %i, %c : i64
    %h = arith.sitofp %j : i64 to f16
    %d = arith.extf %h : f16 to f32
    obs.yield %d : f32
  }
  %fu, %fs, %fl = obs.force %u, %s, %l : !obs.pull<? x f64>, !obs.pull<? x f64>, !obs.pull<? x f32>
  return %fu, %fs, %fl : !obs.pull<? x f64>, !obs.pull<? x f64>, !obs.pull<? x f32>
}
