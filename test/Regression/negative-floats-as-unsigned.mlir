// uitofp(fptosi(x)) of a negative number rounds: -1 of i32 is 2^32 - 1, and the nearest f32 is 2^32. LLVM took this
// conversion for exact, and computed 2^32 - 1 if a longer float or an integer follows.

// RUN: %python -c "import struct; open('%t.in', 'wb').write(b''.join(struct.pack('<f', x)[2:] for x in [0, 1, -1, 30, -2, 100, -100]))"
// RUN: obs-run %s %t.in:bf16 | FileCheck %s
// RUN: obs-run %s --device=emulate %t.in:bf16 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=1 %t.in:bf16 | FileCheck %s
// 2^32 - 1, 2^32 - 2 and 2^32 - 100 are nearer to 2^32 than to 2^32 - 256.
// CHECK: [0.0, 1.0, 4294967296.0, 30.0, 4294967296.0, 100.0, 4294967296.0]
// CHECK-NEXT: [0, 1, 4294967296, 30, 4294967296, 100, 4294967296]

// The host computes such a number, too: 2^32 >> 31 is the number of elements.
// RUN: obs-run %s --entry=host %t.in:bf16 | FileCheck %s --check-prefix=HOST
// RUN: obs-run %s --entry=host --device=emulate %t.in:bf16 | FileCheck %s --check-prefix=HOST
// HOST: [4294967296.0, 4294967296.0]

// The code of a GPU rounds, too.
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// PTX: cvt.rn.f32.u32

func.func @main(%a: !obs.pull<? x bf16>) -> (!obs.pull<? x f64>, !obs.pull<? x i64>) {
  %d = obs.map (%x = %a : !obs.pull<? x bf16>) -> !obs.pull<? x f64> {
    %i = arith.fptosi %x : bf16 to i32
    %f = arith.uitofp %i : i32 to f32
    %y = arith.extf %f : f32 to f64
    obs.yield %y : f64
  }
  %l = obs.map (%x = %a : !obs.pull<? x bf16>) -> !obs.pull<? x i64> {
    %i = arith.fptosi %x : bf16 to i32
    %f = arith.uitofp %i : i32 to f32
    %y = arith.fptosi %f : f32 to i64
    obs.yield %y : i64
  }
  %r, %s = obs.force %d, %l : !obs.pull<? x f64>, !obs.pull<? x i64>
  return %r, %s : !obs.pull<? x f64>, !obs.pull<? x i64>
}

func.func @host(%a: !obs.pull<? x bf16>) -> !obs.pull<? x f64> {
  %c2 = arith.constant 2 : index
  %c31 = arith.constant 31 : index
  %x = obs.get %a[%c2] : !obs.pull<? x bf16>
  %i = arith.fptosi %x : bf16 to i32
  %f = arith.uitofp %i : i32 to f32
  %l = arith.fptosi %f : f32 to i64
  %k = arith.index_cast %l : i64 to index
  %n = arith.shrui %k, %c31 : index
  %y = arith.extf %f : f32 to f64
  %s = obs.generate (%j) [%n] {
    obs.yield %y : f64
  } : !obs.pull<? x f64>
  %r = obs.force %s : !obs.pull<? x f64>
  return %r : !obs.pull<? x f64>
}
